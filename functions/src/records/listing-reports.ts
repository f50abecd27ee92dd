import { FieldValue, type DocumentReference } from 'firebase-admin/firestore';
import { z } from 'zod';
import { reportReasons, type ReportReason } from '../policy/listing-reports';
import { collection, paths } from './collections';
import { commitUnless, db, isAlreadyExists, type Transaction } from './database';
import { date } from './fields';

/** What somebody said of a listing; at most 20 of them for each reason (policy/listing-reports). Who it was is not kept. */
const report = z.object({ reason: z.enum(reportReasons), details: z.string().nullable(), reportedAt: date });
export type Report = z.output<typeof report>;

/** The reports of a listing as the operator's list shows them. */
const reportCase = z.object({
  slug: z.string(),
  /** Until an operator has dealt with them. */
  isOpen: z.boolean(),
  lastReportedAt: date,
  /** How many reports of each reason are kept. */
  counts: z.partialRecord(z.enum(reportReasons), z.number().int()),
});
export type ReportCase = z.output<typeof reportCase>;

export const reportRef = (slug: string, id: string) => collection(paths.reports(slug), report).doc(id);
const caseRef = (slug: string) => collection(paths.listingReports, reportCase).doc(slug);

/** Keeps a report, unless there is one in its place. */
export async function addReport(
  slug: string,
  id: string,
  said: { reason: ReportReason; details: string | null },
  now: Date,
): Promise<void> {
  const batch = db()
    .batch()
    .create(reportRef(slug, id), { ...said, reportedAt: now });
  const counts = { [said.reason]: FieldValue.increment(1) };
  batch.set(caseRef(slug).withConverter(null), { slug, isOpen: true, lastReportedAt: now, counts }, { merge: true });
  await commitUnless(isAlreadyExists, batch);
}

/** The listings whose reports nobody has dealt with, the one with the newest report first. One query. */
export async function listOpenCases(limit: number): Promise<ReportCase[]> {
  const open = collection(paths.listingReports, reportCase).where('isOpen', '==', true);
  const found = await open.orderBy('lastReportedAt', 'desc').limit(limit).get();
  return found.docs.map((document) => document.data());
}

/** Everything that is kept of what was said of a listing, the newest first. */
export async function listReports(slug: string): Promise<Report[]> {
  const found = (await collection(paths.reports(slug), report).get()).docs.map((document) => document.data());
  return found.sort((a, b) => b.reportedAt.getTime() - a.reportedAt.getTime());
}

/** The reports of a listing as a transaction that may deal with them reads them. */
export interface Reports {
  slug: string;
  refs: DocumentReference[];
  isOpen: boolean;
}

export async function readReports(tx: Transaction, slug: string): Promise<Reports> {
  const [found, all] = await Promise.all([tx.get(caseRef(slug)), tx.get(collection(paths.reports(slug), report))]);
  return { slug, refs: all.docs.map(({ ref }) => ref), isOpen: found.data()?.isOpen ?? false };
}

/** Takes them from the operator's list. What was said is kept. */
export function closeReports(tx: Transaction, { slug, isOpen }: Reports): void {
  if (isOpen) tx.update(caseRef(slug), { isOpen: false });
}

/** Forgets them: whoever reports the listing from now on is heard anew. */
export function deleteReports(tx: Transaction, { slug, refs }: Reports): void {
  for (const ref of refs) tx.delete(ref);
  tx.delete(caseRef(slug));
}
