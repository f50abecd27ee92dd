import { findPicture } from '../decks/deck-preview';
import { pixelsOf } from '../decks/picture-pixels';
import { logWarning } from '../log';
import { setPicture, type Listing } from '../records/listings';

/** Whether nobody has looked for the picture of the version that the listing shows, or for its size. */
export const lacksPicture = ({ picture, deletedAt }: Listing) =>
  !deletedAt && (picture === undefined || (picture !== null && picture.pixels === undefined));

/**
 * Finds the picture of the version that a listing shows, as link previews do (decision 42), and stores it in the
 * listing. Without an answer of the bucket the listing stays without a picture, and `refreshMarketplace` looks again.
 */
export async function storePicture(listing: Listing): Promise<Listing> {
  try {
    const found = await findPicture(listing.presentationId, listing.pinned);
    const pixels = found && ((await pixelsOf(listing.presentationId, found)) ?? null);
    const picture = found
      ? { path: found.path, sha256: found.sha256, size: found.size, contentType: found.contentType, pixels }
      : null;
    await setPicture(listing, picture);
    return { ...listing, picture };
  } catch (error) {
    logWarning('The picture of a listing was not stored.', error, { slug: listing.slug });
    return listing;
  }
}
