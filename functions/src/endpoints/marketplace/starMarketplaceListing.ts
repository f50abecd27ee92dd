import { asMember } from '../../http/authorize';
import { slug } from '../../contract/listings';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { assertShown } from '../../marketplace/listings';
import { fail } from '../../errors';
import { read } from '../../records/database';
import { addStar, readListing, starRef } from '../../records/listing-counters';
import { listingRef } from '../../records/listings';

/** Gives the caller's star to a listing. A user has one for each, however often and with how many keys it is given. */

export const Input = z.object({ slug });

export const Answer = z.object({ slug: z.string(), starred: z.literal(true), stars: z.int().nonnegative() });

export const starMarketplaceListing = endpoint({
  name: 'starMarketplaceListing',
  method: 'POST',
  caller: { scope: 'marketplace:publish' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict', 'expired'],

  async handle({ input: { slug }, caller, now }) {
    const { userId } = asMember(caller);
    const [found, star] = await read(listingRef(slug), starRef(slug, userId));
    const { status } = assertShown(found);
    if (!star) {
      if (status !== 'public') fail('conflict', undefined, { message: 'The listing is not public.' });
      await addStar(slug, userId, now);
    }
    const { stars } = assertShown(await readListing(slug));
    return { slug, starred: true as const, stars };
  },
});
