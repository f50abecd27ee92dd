import { z } from 'zod';
import { example } from '../../contract/example';
import { answeredSlug, slug, stars as starCount } from '../../contract/listings';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { assertFound } from '../../marketplace/shown-listing';
import { read } from '../../records/database';
import { readListing, removeStar, starRef } from '../../records/listing-counters';
import { listingRef } from '../../records/listings';

export const Input = z.object({ slug });

export const Answer = z.object({
  slug: answeredSlug,
  starred: z.literal(false).meta({ description: 'Always false.' }),
  stars: starCount,
});

export const unstarMarketplaceListing = endpoint({
  name: 'unstarMarketplaceListing',
  about:
    "Removes the caller's star from a listing. A second call changes nothing. The listing may be unlisted, taken " +
    'down or deleted.',
  command: `deck unstar ${example.slug}`,
  method: 'POST',
  caller: { scope: 'marketplace:publish' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 3, reads: 4, writes: 0 },

  async handle({ input: { slug }, caller }) {
    const { userId } = asMember(caller);
    const [found, star] = await read(listingRef(slug), starRef(slug, userId));
    const listing = assertFound(found);
    if (star) await removeStar(listing, userId);
    const { stars } = (await readListing(slug))!;
    return { slug, starred: false as const, stars };
  },
});
