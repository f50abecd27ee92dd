import type { z } from 'zod';
import type { listingOfDeck } from '../contract/fields';
import { findListingStates } from '../records/listings';
import type { Presentation } from '../records/presentations';

/** The listing of each deck, or null. One round trip; none when no deck has a listing. */
export async function listingsOf(
  decks: readonly Pick<Presentation, 'listingSlug'>[],
): Promise<z.output<typeof listingOfDeck>[]> {
  const states = await findListingStates(decks.map(({ listingSlug }) => listingSlug));
  return states.map((state) =>
    state ? { slug: state.slug, status: state.takedown ? 'taken-down' : state.status } : null,
  );
}
