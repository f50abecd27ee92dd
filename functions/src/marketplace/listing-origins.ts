import { config } from '../config';
import { labelOfListing, originOf } from '../values/deck-origins';

/** The address of a listing's deck on its origin, which the label of the slug names; null without deck origins. */
export function originUrlOf(slug: string): string | null {
  const deckOrigin = config.deckOrigin();
  return deckOrigin === undefined ? null : `${originOf(deckOrigin, labelOfListing(slug))}/`;
}
