import { isHtml, mediaType } from '../values/content-types';
import { MB } from '../values/units';
import type { ManifestFile } from './manifest';

/** Which picture link previews show of a deck. The client decides by the same rule. */

/** Only this much of the entry is searched for metadata. */
export const METADATA_BYTES = 64 * 1024;
/** The pictures of a deck whose entry names none; the first that the deck has. */
export const thumbnails = ['thumbnail.png', 'thumbnail.jpg', 'thumbnail.webp'];
/** The types that link previews show. A browser that opens one of them runs nothing of it, unlike SVG. */
const pictureTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
const MAX_PICTURE_BYTES = 5 * MB;

/** The picture of a version without its entry's metadata: the first thumbnail. A list shows it without reading bytes. */
export function thumbnailOf(files: readonly ManifestFile[]): ManifestFile | undefined {
  return pictureOf(undefined, new Map(files.map((file) => [file.path, file])));
}

/** Whether the entry is searched for metadata. */
export const hasMetadata = (entry: ManifestFile) => entry.size > 0 && isHtml(entry);

/**
 * The picture of a deck: the file that its entry names, or else the first thumbnail among `files`. A file with more
 * than `maxBytes` is not shown: it would be redirected, or refused by those who ask.
 */
export function pictureOf(
  named: ManifestFile | undefined,
  files: ReadonlyMap<string, ManifestFile>,
  maxBytes = Infinity,
): ManifestFile | undefined {
  const most = Math.min(MAX_PICTURE_BYTES, maxBytes);
  const candidates = [named, ...thumbnails.map((thumbnail) => files.get(thumbnail))];
  return candidates
    .filter((file) => file !== undefined)
    .find(({ contentType, size }) => pictureTypes.has(mediaType(contentType)) && size > 0 && size <= most);
}
