import type { z } from 'zod';
import { serviceSecrets } from '../config';
import type { listingReport } from '../contract/listings';
import { MAX_REPORTS_PER_REPORTER, placeOf, type Reporter } from '../policy/listing-reports';
import { read } from '../records/database';
import { addReport, reportCaseRef } from '../records/listing-reports';
import { listingRef } from '../records/listings';
import { countRequest } from '../records/request-windows';
import { assertShown } from './shown-listing';

/**
 * Counts a report of a listing, once for each reporter and reason, and stores a sample of the texts. Throws
 * rate-limited after 10 reports of one reporter within an hour, not-found, and expired.
 */
export async function reportListing(
  { slug, reason, details }: z.output<typeof listingReport>,
  reporter: Reporter,
  now: Date,
): Promise<void> {
  await countRequest(
    'reporter',
    reporter.kind === 'account' ? `account ${reporter.id}` : reporter.id,
    MAX_REPORTS_PER_REPORTER,
    now,
  );
  const [listing, found] = await read(listingRef(slug), reportCaseRef(slug));
  assertShown(listing);
  const place = placeOf(serviceSecrets.current(), slug, reason, reporter);
  await addReport(slug, found, { reason, by: reporter.kind, place, details: details || null, reportedAt: now });
}
