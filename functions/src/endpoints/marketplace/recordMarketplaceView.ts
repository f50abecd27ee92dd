import { z } from 'zod';
import { serviceSecret } from '../../config';
import { answeredSlug, slug, viewCount as views } from '../../contract/listings';
import { endpoint } from '../../http/endpoint';
import { recordSignal } from '../../marketplace/signals';

export const Input = z.object({ slug });

export const Answer = z.object({ slug: answeredSlug, viewCount: views });

export const recordMarketplaceView = endpoint({
  name: 'recordMarketplaceView',
  about:
    'Counts a view of a listing: one for each client network and hour. The answer is the total, also when the call ' +
    'counted nothing.',
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
