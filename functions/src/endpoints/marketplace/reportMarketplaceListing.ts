import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { answeredSlug, listingReport } from '../../contract/listings';
import { endpoint } from '../../http/endpoint';
import { reportListing } from '../../marketplace/reports';
import { reporterOf } from '../../policy/listing-reports';

export const Input = listingReport;

export const Answer = z.object({
  slug: answeredSlug,
  reported: z.literal(true).meta({ description: 'Always true.' }),
});

export const reportMarketplaceListing = endpoint({
  name: 'reportMarketplaceListing',
  about:
    'Reports a listing to the operator. The call needs no key. With a live key or session the report counts as that ' +
    'of an account, and the operator sees it before reports without an account. An account, and a client network ' +
    'without an account, may send 10 reports in an hour.',
  command: `deck report ${example.slug} --reason copyright`,
  method: 'POST',
  caller: 'optional-key',
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired', 'rate-limited'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 5, reads: 4, writes: 5 },

  async handle({ input, caller, clientAddress, now }) {
    await reportListing(input, reporterOf(caller?.userId, clientAddress), now);
    return { slug: input.slug, reported: true as const };
  },
});
