import { IMAGE_VIEWER_FILES, IMAGE_VIEWER_FOLDER, imageDeck } from '../images/image-deck';
import { ENTRY_PATH } from '../pdf/paths';
import type { PdfTool } from '../pdf/read-pdf';
import type { Dropped } from './dropped';
import type { BrowserFile } from './files';
import type { Keep } from './given-file';

/** The deck of pictures, as if its files had been dropped. */
export async function droppedImages(
  name: string,
  images: readonly BrowserFile[],
  { part, keep }: { part: PdfTool['part']; keep: Keep },
): Promise<Dropped> {
  const { entry, slides } = imageDeck(
    name,
    images.map(({ path }) => path),
  );
  const made = async (path: string, content: string | Uint8Array): Promise<BrowserFile> => ({
    path,
    blob: await keep(new Blob([content as Uint8Array<ArrayBuffer>]).stream()),
  });
  const files = [...images, await made(ENTRY_PATH, entry)];
  for (const path of IMAGE_VIEWER_FILES) files.push(await made(IMAGE_VIEWER_FOLDER + path, await part(path)));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const byPath = new Map(images.map(({ path, blob }) => [path, blob]));
  const shown = slides.map(({ path, title }) => ({ title, picture: byPath.get(path)! }));
  return { name, files, refused: [], images: shown };
}
