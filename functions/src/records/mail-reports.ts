import { z } from 'zod';
import {
  mailReportPlaceOf,
  mailReportReasons,
  withMailReport,
  type MailReport,
  type MailReportReason,
} from '../policy/mail-reports';
import type { MailOrigin } from '../values/mail-tokens';
import { collection, date, paths } from './collections';
import { readIn, type Transaction } from './database';
import { transact } from './transact';

const reason = z.enum(mailReportReasons);
const counts = z.partialRecord(reason, z.number().int());
const mailReport = z.object({ reason, presentationId: z.string(), reportedAt: date });

/**
 * Reports about the mails of an organization (policy/mail-reports). An organization has 20 such documents. The
 * recipients are not stored, except for a mark.
 */
const mailReportPlace = z.object({ counts, reporters: z.array(z.string()), reports: z.array(mailReport) });

/** The reports about the mails of an organization in the list of the operator. */
const mailReportCase = z.object({
  organizationId: z.string(),
  /** Until an operator dismisses the reports. */
  isOpen: z.boolean(),
  lastReportedAt: date,
  /** The number of all reports of each reason, those that are not stored included. */
  counts,
});
export type MailReportCase = z.output<typeof mailReportCase>;

const caseRef = (organizationId: string) => collection(paths.mailReports, mailReportCase).doc(organizationId);
const placesOf = (organizationId: string) => collection(paths.reportedMails(organizationId), mailReportPlace);

/**
 * Counts the report of a recipient, and stores it when the sample of its place takes it. A recipient has one report for
 * each organization, so a repeated report changes nothing.
 */
export function addMailReport(
  { recipientId, organizationId, presentationId }: MailOrigin,
  reason: MailReportReason,
  now: Date,
): Promise<void> {
  return transact(async (tx) => {
    const { id, mark } = mailReportPlaceOf(recipientId);
    const ref = placesOf(organizationId).doc(id);
    const [found, before] = await readIn(tx, caseRef(organizationId), ref);
    const after = withMailReport(before, mark, { reason, presentationId, reportedAt: now }, Math.random());
    if (!after) return;
    tx.set(ref, after);
    const all = { ...found?.counts, [reason]: (found?.counts[reason] ?? 0) + 1 };
    tx.set(caseRef(organizationId), { organizationId, isOpen: true, lastReportedAt: now, counts: all });
  });
}

/** The organizations with reported mails, the one with the newest report first. One query. */
export async function listOpenMailCases(limit: number): Promise<MailReportCase[]> {
  const open = collection(paths.mailReports, mailReportCase).query().where('isOpen', '==', true);
  const found = await open.orderBy('lastReportedAt', 'desc').limit(limit).get();
  return found.docs.map((document) => document.data());
}

/** The stored reports about the mails of an organization, newest first. One query. */
export async function listMailReports(organizationId: string): Promise<MailReport[]> {
  const found = (await placesOf(organizationId).query().get()).docs.flatMap((document) => document.data().reports);
  return found.sort((a, b) => b.reportedAt.getTime() - a.reportedAt.getTime());
}

/** The reports about the mails of an organization that is deleted, as a new one takes them over. */
export const carriedReports = mailReportCase
  .pick({ isOpen: true, lastReportedAt: true, counts: true })
  .extend({ reports: z.array(mailReport) });

type CarriedReports = z.output<typeof carriedReports>;

/** Of each reason so many reports are taken over. */
const CARRIED_PER_REASON = 2;

/** The reports about the mails of an organization; undefined without one. */
export async function readCarriedReports(tx: Transaction, organizationId: string): Promise<CarriedReports | undefined> {
  const [found] = await readIn(tx, caseRef(organizationId));
  if (!found) return undefined;
  const { isOpen, lastReportedAt, counts: all } = found;
  const { docs } = await tx.get(placesOf(organizationId).query());
  return {
    isOpen,
    lastReportedAt,
    counts: all,
    reports: sampleOf(docs.flatMap((document) => document.data().reports)),
  };
}

const sampleOf = (reports: readonly MailReport[]): MailReport[] =>
  mailReportReasons.flatMap((of) => reports.filter((each) => each.reason === of).slice(0, CARRIED_PER_REASON));

/** The reports about the mails of two organizations. */
export function joinedReports(a: CarriedReports | null, b: CarriedReports | null): CarriedReports | null {
  if (!a || !b) return a ?? b;
  const sums = mailReportReasons.map((of) => [of, (a.counts[of] ?? 0) + (b.counts[of] ?? 0)] as const);
  return {
    isOpen: a.isOpen || b.isOpen,
    lastReportedAt: a.lastReportedAt > b.lastReportedAt ? a.lastReportedAt : b.lastReportedAt,
    counts: Object.fromEntries(sums.filter(([, sum]) => sum > 0)),
    reports: sampleOf([...a.reports, ...b.reports]),
  };
}

/** Stores them for another organization, which has none. */
export function storeCarriedReports(tx: Transaction, organizationId: string, { reports, ...of }: CarriedReports): void {
  tx.set(caseRef(organizationId), { organizationId, ...of });
  tx.set(placesOf(organizationId).doc('place-0'), { counts: of.counts, reporters: [], reports });
}

/** Deletes the reports, and returns their number, those that were not stored included. New reports are stored again. */
export async function deleteMailReports(tx: Transaction, organizationId: string): Promise<number> {
  const { docs } = await tx.get(placesOf(organizationId).query());
  for (const { ref } of docs) tx.delete(ref);
  tx.delete(caseRef(organizationId));
  return docs.flatMap((document) => Object.values(document.data().counts)).reduce((sum, count) => sum + count, 0);
}
