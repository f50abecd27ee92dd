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
    'counted nothing. The call needs no key. Without a key or session of the owner it is a view by others, after ' +
    'which the slug of the listing is never free again.',
  method: 'POST',
  caller: 'optional-key',
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired'],
  runtime: { class: 'hot', secrets: [serviceSecret] },
  cost: { roundTrips: 3, reads: 3, writes: 2 },

  async handle({ input: { slug }, caller, clientAddress, now }) {
    const { viewCount } = await recordSignal(
      { slug, counter: 'viewCount', clientAddress, userId: caller?.userId },
      now,
    );
    return { slug, viewCount };
  },
});
