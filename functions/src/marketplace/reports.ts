import type { z } from 'zod';
import type { listingReport } from '../contract/listings';
import { serviceSecret } from '../config';
import { MAX_REPORTS_PER_NETWORK, reportIdOf } from '../policy/listing-reports';
import { networkOf } from '../values/networks';
import { read } from '../records/database';
import { addReport, reportRef } from '../records/listing-reports';
import { listingRef } from '../records/listings';
import { countReport } from '../records/request-windows';
import { assertShown } from './listings';

/** Keeps a report, unless its network or twenty others have said the same of that listing. Throws rate-limited, not-found or expired. */
export async function reportListing(
  { slug, reason, details }: z.output<typeof listingReport>,
  clientAddress: string,
  now: Date,
): Promise<void> {
  await countReport(networkOf(clientAddress), MAX_REPORTS_PER_NETWORK, now);
  const id = reportIdOf(serviceSecret.value(), slug, reason, clientAddress);
  const [listing, taken] = await read(listingRef(slug), reportRef(slug, id));
  assertShown(listing);
  if (!taken) await addReport(slug, id, { reason, details: details || null }, now);
}
