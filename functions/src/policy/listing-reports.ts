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

/** The largest number of reports of one client network in one hour. */
export const MAX_REPORTS_PER_NETWORK = 10;

/** The largest number of stored reports of one listing for each reason. */
const PLACES = 20;

/**
 * The document id of a report. A keyed hash of the client network selects one of the 20 places that the listing has for
 * the reason, so no client can choose a place. A second report from the same network selects the same place. At most 20
 * reports are therefore stored for each reason, whatever the number of reporters. The id does not reveal the network.
 */
export function reportIdOf(secret: string, slug: string, reason: ReportReason, clientAddress: string): string {
  const hash = mac(secret, 'listing-report', slug, reason, networkOf(clientAddress));
  return `${reason}-${parseInt(hash.slice(0, 8), 16) % PLACES}`;
}
