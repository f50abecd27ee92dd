import { z } from 'zod';
import { serviceSecret } from '../../config';
import { answeredSlug, listingReport } from '../../contract/listings';
import { endpoint } from '../../http/endpoint';
import { reportListing } from '../../marketplace/reports';

export const Input = listingReport;

export const Answer = z.object({
  slug: answeredSlug,
  reported: z.literal(true).meta({ description: 'Always true.' }),
});

export const reportMarketplaceListing = endpoint({
  name: 'reportMarketplaceListing',
  about:
    'Reports a listing to the operator. A client network may send 10 reports in an hour. The service keeps at most ' +
    '20 reports of one listing for one reason and answers the same to further ones.',
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
