import { config, serviceSecrets } from '../config';
import type { Context } from '../context';
import type { ManifestFile } from '../policy/manifest';
import { readFor } from '../records/database';
import type { MadePicture, Presentation, TokenLink } from '../records/presentations';
import type { ShareToken } from '../records/share-tokens';
import type { SlidePicture } from '../records/slide-pictures';
import { versionRef } from '../records/versions';
import { writePictureLink } from '../values/picture-links';
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

/** In the address of a picture: `/share/{presentationId}/picture/{signed}`. */
export const PICTURE = 'picture';

/** The address of the picture of a link. It opens the picture while the link is open, and nothing else. */
export function pictureAddress(presentationId: string, tokenId: string): string {
  const signed = writePictureLink(serviceSecrets.current(), presentationId, tokenId);
  return `${config.viewerUrl()}/share/${presentationId}/${PICTURE}/${signed}`;
}

/**
 * The picture of a mail with this link. Undefined beside a link with a gate, for a link that is pinned to an older
 * version, and for a deck without a picture.
 */
export function pictureForMail(
  { presentationId, title, picture, current }: Presentation,
  { tokenId, isGated, pinned }: Pick<TokenLink, 'tokenId' | 'isGated'> & Partial<Pick<ShareToken, 'pinned'>>,
) {
  if (!picture || isGated || (pinned && pinned.version !== current.version)) return undefined;
  return { url: pictureAddress(presentationId, tokenId), alt: picture.title ?? title, ...picture.pixels };
}

/** The picture of the version that a link shows. One round trip for a link that is pinned to an older version. */
export async function pictureOfLink(context: Context, { deck, served }: OpenLink): Promise<MadePicture | null> {
  if (served.version === deck.current.version) return deck.picture;
  const [version] = await readFor(context, versionRef(deck.presentationId, served.version));
  return version?.picture ?? null;
}
