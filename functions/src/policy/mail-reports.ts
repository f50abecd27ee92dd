/** What a recipient may report about a mail. */
export const mailReportReasons = ['spam', 'phishing', 'impersonation', 'offensive', 'other'] as const;
export type MailReportReason = (typeof mailReportReasons)[number];

/** The number of places that an organization has for the reports about its mails. */
const PLACES = 20;
/** The largest number of stored reports of one reason in one place. All places store at most 200 reports. */
const SAMPLES_PER_REASON = 2;
/** The largest number of recipients whose further reports a place recognises. */
const REPORTERS_PER_PLACE = 200;

/**
 * The document id of the place of a recipient's report, and the mark of the recipient. The id of the recipient is a
 * keyed hash, so nobody can choose a place.
 */
export function mailReportPlaceOf(recipientId: string) {
  const place = parseInt(recipientId.slice(0, 8), 16) % PLACES;
  return { id: `place-${place}`, mark: recipientId.slice(8, 24) };
}

export interface MailReport {
  reason: MailReportReason;
  presentationId: string;
  reportedAt: Date;
}

/** The reports of one place. */
export interface MailReportPlace {
  /** All reports of each reason, those that are not stored included. */
  counts: Partial<Record<MailReportReason, number>>;
  /** The marks of the latest 200 recipients who reported. */
  reporters: string[];
  /** At most 2 reports of each reason. */
  reports: MailReport[];
}

/**
 * The place with one more report, or undefined when its recipient is one of the latest 200 of the place. The place
 * counts every report. It keeps a random sample of 2 reports of each reason, in which each report has the same chance,
 * so reports of one reason never displace those of another. `random` is a number from 0 to 1, without 1.
 */
export function withMailReport(
  place: MailReportPlace | undefined,
  mark: string,
  report: MailReport,
  random: number,
): MailReportPlace | undefined {
  const { counts, reporters, reports } = place ?? { counts: {}, reporters: [], reports: [] };
  if (reporters.includes(mark)) return undefined;
  const count = counts[report.reason] ?? 0;
  const sampled = reports.filter(({ reason }) => reason === report.reason);
  const chosen = count < SAMPLES_PER_REASON ? count : Math.floor(random * (count + 1));
  if (chosen < SAMPLES_PER_REASON) sampled[chosen] = report;
  return {
    counts: { ...counts, [report.reason]: count + 1 },
    reporters: [...reporters, mark].slice(-REPORTERS_PER_PLACE),
    reports: [...reports.filter(({ reason }) => reason !== report.reason), ...sampled],
  };
}
