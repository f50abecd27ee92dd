import { slug } from '../../contract/listings';
import { z } from 'zod';
import { serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { recordSignal } from '../../marketplace/signals';

/** Counts a view of a listing: one for each client network and hour. The answer is the total either way. */

export const Input = z.object({ slug });

export const Answer = z.object({ slug: z.string(), viewCount: z.int().nonnegative() });

export const recordMarketplaceView = endpoint({
  name: 'recordMarketplaceView',
  method: 'POST',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired'],
  runtime: { secrets: [serviceSecret] },

  async handle({ input: { slug }, clientAddress, now }) {
    const { viewCount } = await recordSignal({ slug, counter: 'viewCount', clientAddress }, now);
    return { slug, viewCount };
  },
});
