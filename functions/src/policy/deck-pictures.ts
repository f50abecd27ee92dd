import { isHtml, mediaType } from '../values/content-types';
import { MB } from '../values/units';
import type { ManifestFile } from './manifest';

/** Which file is the picture of a deck. The client decides by the same rule. */

/** Only this much of the entry is searched for metadata. */
export const METADATA_BYTES = 64 * 1024;
/** The pictures of a deck whose entry names none; the first that the deck has. */
export const thumbnails = ['thumbnail.png', 'thumbnail.jpg', 'thumbnail.webp'];
/** The types of pictures. SVG is not one of them: it may run scripts and name other files. */
const pictureTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
const MAX_PICTURE_BYTES = 5 * MB;

/** Whether the entry is searched for metadata. */
export const hasMetadata = (entry: ManifestFile) => entry.size > 0 && isHtml(entry);

/** The picture of a deck: the file that its entry names, or else the first thumbnail among `files`. */
export function pictureOf(
  named: ManifestFile | undefined,
  files: ReadonlyMap<string, ManifestFile>,
): ManifestFile | undefined {
  const candidates = [named, ...thumbnails.map((thumbnail) => files.get(thumbnail))];
  return candidates
    .filter((file) => file !== undefined)
    .find(({ contentType, size }) => pictureTypes.has(mediaType(contentType)) && size > 0 && size <= MAX_PICTURE_BYTES);
}
