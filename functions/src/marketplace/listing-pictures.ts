import { findPicture } from '../decks/deck-preview';
import { pixelsOf } from '../decks/picture-pixels';
import { logWarning } from '../log';
import { setPicture, type Listing } from '../records/listings';

/** Whether nobody has looked for the picture of the version that the listing shows, or for its size. */
export const lacksPicture = ({ picture, deletedAt }: Listing) =>
  !deletedAt && (picture === undefined || (picture !== null && picture.pixels === undefined));

/**
 * Finds the picture of the version that a listing shows, as link previews do (decision 42), and stores it in the
 * listing. Throws without an answer of the bucket.
 */
export async function storePicture(listing: Listing): Promise<Listing> {
  const found = await findPicture(listing.presentationId, listing.pinned);
  const pixels = found && ((await pixelsOf(listing.presentationId, found)) ?? null);
  const picture = found
    ? { path: found.path, sha256: found.sha256, size: found.size, contentType: found.contentType, pixels }
    : null;
  await setPicture(listing, picture);
  return { ...listing, picture };
}

/**
 * The same for an endpoint, which does not fail without the picture: the listing stays without one, and the job
 * `refreshMarketplace` looks again.
 */
export function tryToStorePicture(listing: Listing): Promise<Listing> {
  return storePicture(listing).catch((error: unknown) => {
    logWarning('The picture of a listing was not stored.', error, { slug: listing.slug });
    return listing;
  });
}
