import { networkOf } from '../values/networks';
import { mac } from '../values/secrets';

/** Why somebody reports a listing. */
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

/** Reports of one client network in an hour. */
export const MAX_REPORTS_PER_NETWORK = 10;

/** How many reports of one listing are kept for each reason. */
const PLACES = 20;

/**
 * The document of a report. Each network has one of the few places of a listing and reason, which nobody can foretell: who reports again finds it taken, and
 * however many report, no more than the places are filled. It tells nothing of the address.
 */
export function reportIdOf(secret: string, slug: string, reason: ReportReason, clientAddress: string): string {
  const hash = mac(secret, 'listing-report', slug, reason, networkOf(clientAddress));
  return `${reason}-${parseInt(hash.slice(0, 8), 16) % PLACES}`;
}
