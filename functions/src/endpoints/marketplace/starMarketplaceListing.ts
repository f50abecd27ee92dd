import { z } from 'zod';
import { example } from '../../contract/example';
import { answeredSlug, slug, stars as starCount } from '../../contract/listings';
import { fail } from '../../errors';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { assertShown } from '../../marketplace/shown-listing';
import { read } from '../../records/database';
import { addStar, readListing, starRef } from '../../records/listing-counters';
import { listingRef } from '../../records/listings';

export const Input = z.object({ slug });

export const Answer = z.object({
  slug: answeredSlug,
  starred: z.literal(true).meta({ description: 'Always true.' }),
  stars: starCount,
});

export const starMarketplaceListing = endpoint({
  name: 'starMarketplaceListing',
  about:
    "Gives the caller's star to a public listing. A user has one star for each listing. A second call changes nothing.",
  command: `deck star ${example.slug}`,
  method: 'POST',
  caller: { scope: 'marketplace:publish' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict', 'expired'],
  cost: { roundTrips: 4, reads: 4, writes: 3 },

  async handle({ input: { slug }, caller, now }) {
    const { userId } = asMember(caller);
    const [found, star] = await read(listingRef(slug), starRef(slug, userId));
    const listing = assertShown(found);
    if (!star) {
      if (listing.status !== 'public') fail('conflict', undefined, { message: 'The listing is not public.' });
      await addStar(listing, userId, now);
    }
    const { stars } = assertShown(await readListing(slug));
    return { slug, starred: true as const, stars };
  },
});
