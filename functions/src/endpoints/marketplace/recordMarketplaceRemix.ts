import { z } from 'zod';
import { serviceSecret } from '../../config';
import { answeredSlug, remixCount as remixes, slug } from '../../contract/listings';
import { endpoint } from '../../http/endpoint';
import { recordSignal } from '../../marketplace/signals';

export const Input = z.object({ slug });

export const Answer = z.object({ slug: answeredSlug, remixCount: remixes });

export const recordMarketplaceRemix = endpoint({
  name: 'recordMarketplaceRemix',
  about:
    'Counts a use of a listing: one for each client network and hour. The answer is the total, also when the call ' +
    'counted nothing. The call needs no key and copies no files, which remixMarketplaceListing does. Without a key ' +
    'or session of the owner it is a remix by others, after which the slug of the listing is never free again.',
  method: 'POST',
  caller: 'optional-key',
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 3, reads: 3, writes: 2 },

  async handle({ input: { slug }, caller, clientAddress, now }) {
    const { remixCount } = await recordSignal(
      { slug, counter: 'remixCount', clientAddress, userId: caller?.userId },
      now,
    );
    return { slug, remixCount };
  },
});
