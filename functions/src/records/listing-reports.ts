import { z } from 'zod';
import { FieldValue, type DocumentReference } from 'firebase-admin/firestore';
import { reportReasons, type ReportReason } from '../policy/listing-reports';
import { collection, date, paths } from './collections';
import { commitUnless, db, isAlreadyExists, type Transaction } from './database';

/**
 * A report of a listing. At most 20 are stored for each reason (policy/listing-reports). The reporter is not stored.
 */
const report = z.object({ reason: z.enum(reportReasons), details: z.string().nullable(), reportedAt: date });
export type Report = z.output<typeof report>;

/** The reports of a listing in the list of the operator. */
const reportCase = z.object({
  slug: z.string(),
  /** Until an operator closes the reports or deletes them. */
  isOpen: z.boolean(),
  lastReportedAt: date,
  /** The number of stored reports of each reason. */
  counts: z.partialRecord(z.enum(reportReasons), z.number().int()),
});
export type ReportCase = z.output<typeof reportCase>;

export const reportRef = (slug: string, id: string) => collection(paths.reports(slug), report).doc(id);
const caseRef = (slug: string) => collection(paths.listingReports, reportCase).doc(slug);

/** Stores a report. A report whose place is filled is dropped. */
export async function addReport(
  slug: string,
  id: string,
  content: { reason: ReportReason; details: string | null },
  now: Date,
): Promise<void> {
  const batch = db()
    .batch()
    .create(reportRef(slug, id), { ...content, reportedAt: now });
  const counts = { [content.reason]: FieldValue.increment(1) };
  batch.set(caseRef(slug).withConverter(null), { slug, isOpen: true, lastReportedAt: now, counts }, { merge: true });
  await commitUnless(isAlreadyExists, batch);
}

/** The listings with open reports, the one with the newest report first. One query. */
export async function listOpenCases(limit: number): Promise<ReportCase[]> {
  const open = collection(paths.listingReports, reportCase).where('isOpen', '==', true);
  const found = await open.orderBy('lastReportedAt', 'desc').limit(limit).get();
  return found.docs.map((document) => document.data());
}

/** All stored reports of a listing, newest first. One query. */
export async function listReports(slug: string): Promise<Report[]> {
  const found = (await collection(paths.reports(slug), report).get()).docs.map((document) => document.data());
  return found.sort((a, b) => b.reportedAt.getTime() - a.reportedAt.getTime());
}

/** The reports of a listing, read in a transaction that closes or deletes them. */
export interface Reports {
  slug: string;
  refs: DocumentReference[];
  isOpen: boolean;
}

export async function readReports(tx: Transaction, slug: string): Promise<Reports> {
  const [found, all] = await Promise.all([tx.get(caseRef(slug)), tx.get(collection(paths.reports(slug), report))]);
  return { slug, refs: all.docs.map(({ ref }) => ref), isOpen: found.data()?.isOpen ?? false };
}

/** Removes the reports from the list of the operator. The reports stay stored. */
export function closeReports(tx: Transaction, { slug, isOpen }: Reports): void {
  if (isOpen) tx.update(caseRef(slug), { isOpen: false });
}

/** Deletes the reports. New reports of the listing are stored again. */
export function deleteReports(tx: Transaction, { slug, refs }: Reports): void {
  for (const ref of refs) tx.delete(ref);
  tx.delete(caseRef(slug));
}
