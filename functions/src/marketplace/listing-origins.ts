import { config } from '../config';
import { logWarning } from '../log';
import { labelListing } from '../records/listing-labels';
import type { Listing } from '../records/listings';
import { labelOfListing, originOf } from '../values/deck-origins';

/**
 * The address of a listing's deck on its origin; null without deck origins. The origin finds the listing by its label,
 * so a listing that was published before listings had labels gets one here, with one commit. Null when that commit
 * fails: the next call tries again.
 */
export async function originUrlOf({ slug, hasLabel }: Pick<Listing, 'slug' | 'hasLabel'>): Promise<string | null> {
  const deckOrigin = config.deckOrigin();
  if (deckOrigin === undefined) return null;
  if (!hasLabel) {
    try {
      await labelListing(slug);
    } catch (error) {
      logWarning('The label of a listing was not stored.', error, { slug });
      return null;
    }
  }
  return `${originOf(deckOrigin, labelOfListing(slug))}/`;
}
