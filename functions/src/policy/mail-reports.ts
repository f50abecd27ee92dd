/** What a recipient may report about a mail. */
export const mailReportReasons = ['spam', 'phishing', 'impersonation', 'offensive', 'other'] as const;
export type MailReportReason = (typeof mailReportReasons)[number];

/** The largest number of stored reports about the mails of one organization. */
export const MAX_MAIL_REPORTS = 200;
