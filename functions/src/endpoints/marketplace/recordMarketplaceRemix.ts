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
    'counted nothing. The call copies no files. remixMarketplaceListing copies them.',
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
