import { filesForm } from '../service/multipart';
import type { DeckService } from '../service/service';

/** A picture of a slide of a deck. */
export interface SlidePicture {
  /** The key of the slide in the insights of the deck. */
  key: string;
  /** Empty when there is none. */
  title: string;
  /** WebP, JPEG or PNG of at most 640 × 360 pixels. */
  bytes: Uint8Array;
  contentType: string;
}

/** How many pictures a version may have, and how many bytes one of them may have. */
export const MAX_PICTURES = 200;
export const MAX_PICTURE_BYTES = 100 * 1024;

/**
 * Sends the pictures of the newest version of a deck, in the order of the slides. They replace those that it has.
 * Throws `conflict` when another version is the newest, or when the owner wants no pictures.
 */
export async function uploadSlidePictures(
  service: DeckService,
  { presentationId, version }: { presentationId: string; version: number },
  pictures: readonly SlidePicture[],
): Promise<void> {
  const titles = pictures.filter(({ title }) => title).map(({ key, title }) => [key, title] as const);
  const fields = { presentationId, version: String(version), titles: JSON.stringify(Object.fromEntries(titles)) };
  const parts = pictures.map(({ key, bytes, contentType }) => ({
    name: key,
    contentType,
    size: bytes.length,
    async *open() {
      yield bytes;
    },
    onSent: () => undefined,
  }));
  await service.postFiles('uploadSlidePictures', filesForm(fields, parts));
}
