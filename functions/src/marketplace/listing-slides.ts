import { fileOfSlide } from '../decks/shown-pictures';
import { fail } from '../errors';
import type { RawCall } from '../http/definition';
import type { ManifestFile } from '../policy/manifest';
import { slideLimits } from '../policy/slide-pictures';
import { readFor } from '../records/database';
import type { Listing } from '../records/listings';
import { slidePicturesRef, type SlidePicture } from '../records/slide-pictures';

/** The pictures of the first slides of a listing, which everybody sees. One read. */
export async function slidesOfListing(context: RawCall['context'], listing: Listing): Promise<SlidePicture[]> {
  const { presentationId, pinned } = listing;
  const [found] = await readFor(context, slidePicturesRef(presentationId, pinned.version));
  return (found?.slides ?? []).slice(0, slideLimits.listed);
}

/** The picture with this number, from 1, as a file to send. Throws not-found when the listing has none. One read. */
export async function slideOfListing(context: RawCall['context'], listing: Listing, n: number): Promise<ManifestFile> {
  const slide = (await slidesOfListing(context, listing))[n - 1];
  return slide ? fileOfSlide(slide) : fail('not-found', undefined, { message: 'The listing has no such picture.' });
}
