import { join } from 'node:path';
import type { FolderFile } from '../folder/hash';
import { pdfFolder } from '../pdf/pdf-folder';
import { openMade, type OpenSource } from '../push/disk-source';
import { IMAGE_VIEWER_FILES, IMAGE_VIEWER_FOLDER, imageDeck } from './image-deck';

/** Pictures as a deck, a slide each. `name` is that of their folder, or of the only picture. */
export function openImageDeck(
  name: string,
  images: readonly Pick<FolderFile, 'path' | 'absolutePath'>[],
): Promise<OpenSource> {
  const { title, entry } = imageDeck(
    name,
    images.map(({ path }) => path),
  );
  const viewer = IMAGE_VIEWER_FILES.map((file) => ({
    path: IMAGE_VIEWER_FOLDER + file,
    absolutePath: join(pdfFolder, file),
  }));
  return openMade(title, entry, [...images, ...viewer]);
}
