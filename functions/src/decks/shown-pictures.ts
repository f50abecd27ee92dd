import type { Context } from '../context';
import type { ManifestFile } from '../policy/manifest';
import { readFor } from '../records/database';
import type { MadePicture } from '../records/presentations';
import type { SlidePicture } from '../records/slide-pictures';
import { versionRef } from '../records/versions';
import type { OpenLink } from './open-link';

/** A made picture as a file to send. */
export const fileOfPicture = ({ sha256, size, contentType }: MadePicture): ManifestFile => ({
  path: 'picture.jpg',
  sha256,
  size,
  contentType,
});

/** The picture of a slide as a file to send, from the place `slides`. */
export const fileOfSlide = ({ sha256, size }: SlidePicture): ManifestFile => ({
  path: 'slide.webp',
  sha256,
  size,
  contentType: 'image/webp',
});

/** The picture of the version that a link shows. One round trip for a link that is pinned to an older version. */
export async function pictureOfLink(context: Context, { deck, served }: OpenLink): Promise<MadePicture | null> {
  if (served.version === deck.current.version) return deck.picture;
  const [version] = await readFor(context, versionRef(deck.presentationId, served.version));
  return version?.picture ?? null;
}
