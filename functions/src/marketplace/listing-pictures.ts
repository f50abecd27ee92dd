import { findPicture } from '../decks/deck-preview';
import { shownPixelsOf } from '../decks/picture-pixels';
import { logWarning } from '../log';
import type { ManifestFile } from '../policy/manifest';
import { setPicture, type Listing } from '../records/listings';

/** Whether nobody has looked for the picture of the version that the listing shows. */
export const lacksPicture = ({ picture, deletedAt }: Listing) => !deletedAt && picture === undefined;

/**
 * Finds the picture of the version that a listing shows, as link previews do, and stores it in the listing. A picture
 * that a browser could not show without harm is none. Throws without an answer of the bucket.
 */
export async function storePicture(listing: Listing): Promise<Listing> {
  const found = await findPicture(listing.presentationId, listing.pinned);
  const picture = found ? await described(listing.presentationId, found) : null;
  await setPicture(listing, picture);
  return { ...listing, picture };
}

async function described(presentationId: string, found: ManifestFile) {
  const pixels = await shownPixelsOf(presentationId, found);
  const { path, sha256, size, contentType } = found;
  return pixels ? { path, sha256, size, contentType, pixels } : null;
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
