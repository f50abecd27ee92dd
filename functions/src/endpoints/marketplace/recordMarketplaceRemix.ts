import { slug } from '../../contract/listings';
import { z } from 'zod';
import { serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { recordSignal } from '../../marketplace/signals';

/** Counts that somebody has made use of a listing: once for each client network and hour. The answer is the total either way. */

export const Input = z.object({ slug });

export const Answer = z.object({ slug: z.string(), remixCount: z.int().nonnegative() });

export const recordMarketplaceRemix = endpoint({
  name: 'recordMarketplaceRemix',
  method: 'POST',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired'],
  runtime: { secrets: [serviceSecret] },

  async handle({ input: { slug }, clientAddress, now }) {
    const { remixCount } = await recordSignal({ slug, counter: 'remixCount', clientAddress }, now);
    return { slug, remixCount };
  },
});
