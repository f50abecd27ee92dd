import { z } from 'zod';
import { serviceSecret } from '../config';
import { MAX_REPORTS_PER_NETWORK, reportIdOf, reportReasons } from '../policy/listing-reports';
import { networkOf } from '../values/networks';
import { db, read } from '../records/database';
import { addReport, reportRef } from '../records/listing-reports';
import { listingRef } from '../records/listings';
import { countReport } from '../records/request-windows';
import { assertShown, slug } from './listings';

/** What somebody says of a listing. */
export const listingReport = z.object({
  slug,
  reason: z.enum(reportReasons),
  details: z
    .string()
    .max(2000, 'Details have at most 2000 characters.')
    // An operator's terminal shows it: what could move its cursor is taken out.
    .transform((text) => text.replace(/[^\P{Cc}\n\t]/gu, '').trim())
    .nullish(),
});

/** Keeps a report, unless its network or twenty others have said the same of that listing. Throws rate-limited, not-found or expired. */
export async function reportListing(
  { slug, reason, details }: z.output<typeof listingReport>,
  clientAddress: string,
  now: Date,
): Promise<void> {
  await countReport(networkOf(clientAddress), MAX_REPORTS_PER_NETWORK, now);
  const id = reportIdOf(serviceSecret.value(), slug, reason, clientAddress);
  const [listing, taken] = await read(db(), listingRef(slug), reportRef(slug, id));
  assertShown(listing);
  if (!taken) await addReport(slug, id, { reason, details: details || null }, now);
}
