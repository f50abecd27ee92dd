import { z } from 'zod';
import type { DocumentReference, Query } from 'firebase-admin/firestore';
import {
  isCaseStale,
  reportReasons,
  withReport,
  type Reporter,
  type ReportReason,
  type ReportText,
} from '../policy/listing-reports';
import { anyFields, collection, date, paths } from './collections';
import { pagesOf, readIn, type Transaction } from './database';
import { transact } from './transact';

/**
 * Reports of a listing for one reason, of one kind of reporter (policy/listing-reports). A listing has 20 such
 * documents for each reason and kind. A document has at most 10 texts of 2 000 characters; the reporters are not
 * stored, except for a mark.
 */
const reportPlace = z.object({
  reason: z.enum(reportReasons),
  by: z.enum(['account', 'network']),
  count: z.number().int(),
  reporters: z.array(z.string()),
  texts: z.array(z.object({ details: z.string().nullable(), reportedAt: date })),
});
export type StoredPlace = z.output<typeof reportPlace>;

/** A listing with reports, in the list of the operator. */
const reportCase = z.object({
  slug: z.string(),
  /** Until an operator closes the reports or deletes them. */
  isOpen: z.boolean(),
  /** When the listing was last reported. The time may be one minute too early. */
  lastReportedAt: date,
  /** The same for reports of accounts; absent without such a report. */
  lastAccountReportAt: date.optional(),
});
export type ReportCase = z.output<typeof reportCase>;

/** The fields of a place without its texts and the marks of its reporters. */
const placeCount = reportPlace.pick({ reason: true, by: true, count: true });
export type PlaceCount = z.output<typeof placeCount>;

export const reportPlaceRef = (slug: string, id: string) => collection(paths.reports(slug), reportPlace).doc(id);
export const reportCaseRef = (slug: string) => collection(paths.listingReports, reportCase).doc(slug);

interface NewReport extends ReportText {
  reason: ReportReason;
  by: Reporter['kind'];
  place: { id: string; mark: string };
}

/**
 * Counts a report of a listing in its place, and stores its text when the sample of the place takes it. A further
 * report of the same reporter changes nothing. `found` is the case of the listing, read before the transaction.
 *
 * The transaction reads the case only when `found` says that the report need not be noted: an operator may have closed
 * or deleted the case meanwhile. Reads lock a document, so a case that will be written is not read.
 */
export async function addReport(slug: string, found: ReportCase | undefined, report: NewReport): Promise<void> {
  const { reason, by, place, details, reportedAt } = report;
  const ref = reportPlaceRef(slug, place.id);
  const isNoted = (of: ReportCase | undefined) =>
    Boolean(of?.isOpen) && !isCaseStale(by === 'account' ? of?.lastAccountReportAt : of?.lastReportedAt, reportedAt);
  const caseRef = isNoted(found) ? reportCaseRef(slug) : undefined;
  await transact(async (tx) => {
    const [before, present] = await readIn(tx, ref, caseRef);
    const after = withReport(before, place.mark, { details, reportedAt }, Math.random());
    if (!after) return;
    tx.set(ref, { reason, by, ...after });
    // The first report of a place is always noted.
    if (before && isNoted(present)) return;
    const times = { lastReportedAt: reportedAt, ...(by === 'account' && { lastAccountReportAt: reportedAt }) };
    tx.set(anyFields(reportCaseRef(slug)), { slug, isOpen: true, ...times }, { merge: true });
  });
}

/** The groups of listings with open reports: those that accounts reported, and all others. */
export const caseGroups = ['accounts', 'others'] as const;
export type CaseGroup = (typeof caseGroups)[number];

/**
 * The listings of a group with open reports, the one with the newest report of the group first. With `before` only
 * those whose newest report of the group is earlier. One query that reads at most `limit` documents; for the others it
 * repeats while the pages are full of cases that accounts reported.
 */
export async function listOpenCases(group: CaseGroup, limit: number, before?: Date): Promise<ReportCase[]> {
  const field = group === 'accounts' ? 'lastAccountReportAt' : 'lastReportedAt';
  const open = collection(paths.listingReports, reportCase).query().where('isOpen', '==', true);
  // A bound leaves out the cases that have no such time.
  const earlier = before ? open.where(field, '<', before) : open.where(field, '>', new Date(0));
  const found: ReportCase[] = [];
  for await (const page of pagesOf(earlier.orderBy(field, 'desc'), limit)) {
    const cases = page.map((document) => document.data());
    found.push(...(group === 'accounts' ? cases : cases.filter(({ lastAccountReportAt }) => !lastAccountReportAt)));
    if (found.length >= limit || group === 'accounts') break;
  }
  return found.slice(0, limit);
}

/** All places of a listing with a report. One query that reads at most 360 documents. */
export async function listReportPlaces(slug: string): Promise<StoredPlace[]> {
  return (await collection(paths.reports(slug), reportPlace).query().get()).docs.map((document) => document.data());
}

/**
 * The number of reports in each place of a listing. One query that reads at most 360 documents, without their texts,
 * which may have 21 MB in all.
 */
export async function listPlaceCounts(slug: string): Promise<PlaceCount[]> {
  return (await placeCounts(slug).get()).docs.map((document) => document.data());
}

const placeCounts = (slug: string) =>
  collection(paths.reports(slug), placeCount)
    .query()
    .select(...Object.keys(placeCount.shape)) as Query<PlaceCount>;

/** The reports of a listing, read in a transaction that closes or deletes them. */
export interface Reports {
  slug: string;
  refs: DocumentReference[];
  /** All reports, those without a stored text included. */
  count: number;
  isOpen: boolean;
}

export async function readReports(tx: Transaction, slug: string): Promise<Reports> {
  const [[found], all] = await Promise.all([readIn(tx, reportCaseRef(slug)), tx.get(placeCounts(slug))]);
  const count = all.docs.reduce((sum, document) => sum + document.data().count, 0);
  return { slug, refs: all.docs.map(({ ref }) => ref), count, isOpen: found?.isOpen ?? false };
}

/** Removes the reports from the list of the operator. The reports stay stored. */
export function closeReports(tx: Transaction, { slug, isOpen }: Reports): void {
  if (isOpen) tx.update(reportCaseRef(slug), { isOpen: false });
}

/** Deletes the reports. New reports of the listing are stored again. */
export function deleteReports(tx: Transaction, { slug, refs }: Reports): void {
  for (const ref of refs) tx.delete(ref);
  tx.delete(reportCaseRef(slug));
}
