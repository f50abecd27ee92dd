import { z } from 'zod';
import { mailReportReasons, MAX_MAIL_REPORTS, type MailReportReason } from '../policy/mail-reports';
import type { MailOrigin } from '../values/mail-tokens';
import { collection, date, paths } from './collections';
import { readIn, type Transaction } from './database';
import { transact } from './transact';

/** A report of a mail by its recipient. The id is that of the recipient, whose address is not stored. */
const mailReport = z.object({ reason: z.enum(mailReportReasons), presentationId: z.string(), reportedAt: date });
export type MailReport = z.output<typeof mailReport>;

/** The reports about the mails of an organization in the list of the operator. */
const mailReportCase = z.object({
  organizationId: z.string(),
  /** Until an operator dismisses the reports. */
  isOpen: z.boolean(),
  lastReportedAt: date,
  /** The number of stored reports of each reason. */
  counts: z.partialRecord(z.enum(mailReportReasons), z.number().int()),
});
export type MailReportCase = z.output<typeof mailReportCase>;

const caseRef = (organizationId: string) => collection(paths.mailReports, mailReportCase).doc(organizationId);
const reportsOf = (organizationId: string) => collection(paths.reportedMails(organizationId), mailReport);

/**
 * Stores the report of a recipient. A recipient has one report for each organization, so a repeated report changes
 * nothing. At most 200 reports of one organization are stored; further ones are dropped.
 */
export function addMailReport(
  { recipientId, organizationId, presentationId }: MailOrigin,
  reason: MailReportReason,
  now: Date,
): Promise<void> {
  return transact(async (tx) => {
    const own = reportsOf(organizationId).doc(recipientId);
    const [found, earlier] = await readIn(tx, caseRef(organizationId), own);
    const counts = found?.counts ?? {};
    const stored = Object.values(counts).reduce((total, count) => total + count, 0);
    if (earlier || stored >= MAX_MAIL_REPORTS) return;
    tx.set(own, { reason, presentationId, reportedAt: now });
    const counted = { ...counts, [reason]: (counts[reason] ?? 0) + 1 };
    tx.set(caseRef(organizationId), { organizationId, isOpen: true, lastReportedAt: now, counts: counted });
  });
}

/** The organizations with reported mails, the one with the newest report first. One query. */
export async function listOpenMailCases(limit: number): Promise<MailReportCase[]> {
  const open = collection(paths.mailReports, mailReportCase).where('isOpen', '==', true);
  const found = await open.orderBy('lastReportedAt', 'desc').limit(limit).get();
  return found.docs.map((document) => document.data());
}

/** The stored reports about the mails of an organization, newest first. One query. */
export async function listMailReports(organizationId: string): Promise<MailReport[]> {
  const found = (await reportsOf(organizationId).get()).docs.map((document) => document.data());
  return found.sort((a, b) => b.reportedAt.getTime() - a.reportedAt.getTime());
}

/** Deletes the reports, and returns their number. New reports are stored again. */
export async function deleteMailReports(tx: Transaction, organizationId: string): Promise<number> {
  const { docs } = await tx.get(reportsOf(organizationId));
  for (const { ref } of docs) tx.delete(ref);
  tx.delete(caseRef(organizationId));
  return docs.length;
}
