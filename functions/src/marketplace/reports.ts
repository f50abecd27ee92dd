import type { z } from 'zod';
import { serviceSecrets } from '../config';
import type { listingReport } from '../contract/listings';
import { MAX_REPORTS_PER_NETWORK, reportIdOf } from '../policy/listing-reports';
import { read } from '../records/database';
import { addReport, reportRef } from '../records/listing-reports';
import { listingRef } from '../records/listings';
import { countReport } from '../records/request-windows';
import { networkOf } from '../values/networks';
import { assertShown } from './listings';

/**
 * Stores a report of a listing. Each listing stores at most 20 reports for a reason; the client's network decides which
 * of the 20 places the report gets. When the place is taken, the report is dropped without an error. Throws
 * rate-limited after 10 reports of one network within an hour, not-found, and expired.
 */
export async function reportListing(
  { slug, reason, details }: z.output<typeof listingReport>,
  clientAddress: string,
  now: Date,
): Promise<void> {
  await countReport(networkOf(clientAddress), MAX_REPORTS_PER_NETWORK, now);
  const id = reportIdOf(serviceSecrets.current(), slug, reason, clientAddress);
  const [listing, taken] = await read(listingRef(slug), reportRef(slug, id));
  assertShown(listing);
  if (!taken) await addReport(slug, id, { reason, details: details || null }, now);
}
