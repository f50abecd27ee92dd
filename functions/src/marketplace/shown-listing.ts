import { fail } from '../errors';
import type { Listing } from '../records/listings';

/** Returns the listing. Throws not-found when no listing ever had the slug. */
export function assertFound(listing: Listing | undefined): Listing {
  return listing ?? fail('not-found', undefined, { message: 'There is no such listing.' });
}

/**
 * Returns the listing. Throws not-found when no listing ever had the slug, and expired when its deck was deleted or an
 * operator took it down.
 */
export function assertShown(found: Listing | undefined): Listing {
  const listing = assertFound(found);
  return listing.deletedAt || listing.takedown ? failGone() : listing;
}

/** Throws expired for a listing that nobody sees any more. */
export const failGone = () => fail('expired', undefined, { nextAction: 'Look for another listing.' });
