import { listingReport } from '../../contract/listings';
import { z } from 'zod';
import { serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { reportListing } from '../../marketplace/reports';

/** Tells the operator what is wrong with a listing. Who tells it again, or after twenty others, is answered the same, and not kept. */

export const Input = listingReport;

export const Answer = z.object({ slug: z.string(), reported: z.literal(true) });

export const reportMarketplaceListing = endpoint({
  name: 'reportMarketplaceListing',
  method: 'POST',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired', 'rate-limited'],
  runtime: { secrets: [serviceSecret] },

  async handle({ input, clientAddress, now }) {
    await reportListing(input, clientAddress, now);
    return { slug: input.slug, reported: true as const };
  },
});
