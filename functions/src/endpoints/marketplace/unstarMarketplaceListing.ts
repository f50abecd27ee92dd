import { asMember } from '../../http/authorize';
import { slug } from '../../contract/listings';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { assertFound } from '../../marketplace/listings';
import { read } from '../../records/database';
import { readListing, removeStar, starRef } from '../../records/listing-counters';
import { listingRef } from '../../records/listings';

/** Takes the caller's star back, from a listing that is not shown any more, too. */

export const Input = z.object({ slug });

export const Answer = z.object({ slug: z.string(), starred: z.literal(false), stars: z.int().nonnegative() });

export const unstarMarketplaceListing = endpoint({
  name: 'unstarMarketplaceListing',
  method: 'POST',
  caller: { scope: 'marketplace:publish' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],

  async handle({ input: { slug }, caller }) {
    const { userId } = asMember(caller);
    const [found, star] = await read(listingRef(slug), starRef(slug, userId));
    assertFound(found);
    if (star) await removeStar(slug, userId);
    const { stars } = (await readListing(slug))!;
    return { slug, starred: false as const, stars };
  },
});
