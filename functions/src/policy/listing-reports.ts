import { networkOf } from '../values/networks';
import { mac } from '../values/secrets';

export const reportReasons = [
  'copyright',
  'illegal',
  'impersonation',
  'malware',
  'offensive',
  'phishing',
  'privacy',
  'spam',
  'other',
] as const;
export type ReportReason = (typeof reportReasons)[number];

/** The largest number of reports of one account, or of one client network without an account, in one hour. */
export const MAX_REPORTS_PER_REPORTER = 10;

/** Who reports: an account whose key or session the request carries, or else a client network. */
export interface Reporter {
  kind: 'account' | 'network';
  id: string;
}

export function reporterOf(userId: string | null | undefined, clientAddress: string): Reporter {
  return userId ? { kind: 'account', id: userId } : { kind: 'network', id: networkOf(clientAddress) };
}

/** The number of places that a listing has for the reports of one reason and kind of reporter. */
const PLACES = 20;
/** The largest number of texts in one place. */
export const TEXTS_PER_PLACE = 10;
/** The largest number of reporters whose further reports a place recognises. */
const REPORTERS_PER_PLACE = 100;

/**
 * The document id of the place of a report, and the mark of its reporter. A keyed hash of the reporter selects one of
 * the 20 places that the listing has for the reason and the kind of reporter, so nobody can choose a place, and reports
 * without an account never use the places of accounts. Neither value reveals the reporter.
 */
export function placeOf(secret: string, slug: string, reason: ReportReason, reporter: Reporter) {
  const isAccount = reporter.kind === 'account';
  const hash = isAccount
    ? mac(secret, 'listing-report', slug, reason, reporter.id, 'account')
    : mac(secret, 'listing-report', slug, reason, reporter.id);
  const place = parseInt(hash.slice(0, 8), 16) % PLACES;
  return { id: isAccount ? `account-${reason}-${place}` : `${reason}-${place}`, mark: hash.slice(8, 24) };
}

export interface ReportText {
  details: string | null;
  reportedAt: Date;
}

/** The reports of one place. */
export interface ReportPlace {
  /** All reports, those without a stored text included. */
  count: number;
  /** The marks of the latest 100 reporters. */
  reporters: string[];
  texts: ReportText[];
}

/**
 * The place with one more report, or undefined when its reporter is one of the latest 100 of the place. A full place
 * counts the report and keeps a random sample of 10 texts, in which each report has the same chance. `random` is a
 * number from 0 to 1, without 1.
 */
export function withReport(
  place: ReportPlace | undefined,
  mark: string,
  text: ReportText,
  random: number,
): ReportPlace | undefined {
  const { count, reporters, texts } = place ?? { count: 0, reporters: [], texts: [] };
  if (reporters.includes(mark)) return undefined;
  const sampled = [...texts];
  if (count < TEXTS_PER_PLACE) sampled.push(text);
  else {
    const chosen = Math.floor(random * (count + 1));
    if (chosen < TEXTS_PER_PLACE) sampled[chosen] = text;
  }
  return { count: count + 1, reporters: [...reporters, mark].slice(-REPORTERS_PER_PLACE), texts: sampled };
}

/** How long the case of a listing may show an earlier time than that of its newest report. */
const CASE_AGE_MS = 60_000;

/**
 * Whether a report must be noted in the case of its listing: at most one write a minute, and the first of each place.
 */
export const isCaseStale = (notedAt: Date | null | undefined, now: Date) =>
  !notedAt || Math.abs(now.getTime() - notedAt.getTime()) >= CASE_AGE_MS;
