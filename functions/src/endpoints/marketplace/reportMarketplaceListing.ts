import { z } from 'zod';
import { serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { assertShown, slug } from '../../http/listings';
import { MAX_REPORTS_PER_NETWORK, reportIdOf, reportReasons } from '../../policy/listing-reports';
import { networkOf } from '../../policy/networks';
import { db, read } from '../../records/database';
import { addReport, reportRef } from '../../records/listing-reports';
import { listingRef } from '../../records/listings';
import { countReport } from '../../records/request-windows';

/** Tells the operator what is wrong with a listing. Who tells it again, or after twenty others, is answered the same, and not kept. */

export const Input = z.object({
  slug,
  reason: z.enum(reportReasons),
  details: z
    .string()
    .max(2000, 'Details have at most 2000 characters.')
    // An operator's terminal shows it: what could move its cursor is taken out.
    .transform((text) => text.replace(/[^\P{Cc}\n\t]/gu, '').trim())
    .nullish(),
});

export const Answer = z.object({ slug: z.string(), reported: z.literal(true) });

export const reportMarketplaceListing = endpoint({
  name: 'reportMarketplaceListing',
  method: 'POST',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired', 'rate-limited'],
  runtime: { secrets: [serviceSecret] },

  async handle({ input: { slug, reason, details }, clientAddress, now }) {
    await countReport(networkOf(clientAddress), MAX_REPORTS_PER_NETWORK, now);
    const id = reportIdOf(serviceSecret.value(), slug, reason, clientAddress);
    const [listing, taken] = await read(db(), listingRef(slug), reportRef(slug, id));
    assertShown(listing);
    if (!taken) await addReport(slug, id, { reason, details: details || null }, now);
    return { slug, reported: true as const };
  },
});
