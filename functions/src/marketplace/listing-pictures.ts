import { findPicture } from '../decks/deck-preview';
import { logWarning } from '../log';
import { setPicture, type Listing } from '../records/listings';

/**
 * Finds the picture of the version that a listing shows, as link previews do (decision 42), and stores it in the
 * listing. Without an answer of the bucket the listing stays without a picture, and `refreshMarketplace` looks again.
 */
export async function storePicture(listing: Listing): Promise<Listing> {
  try {
    const found = await findPicture(listing.presentationId, listing.pinned);
    const picture = found
      ? { path: found.path, sha256: found.sha256, size: found.size, contentType: found.contentType }
      : null;
    await setPicture(listing, picture);
    return { ...listing, picture };
  } catch (error) {
    logWarning('The picture of a listing was not stored.', error, { slug: listing.slug });
    return listing;
  }
}
