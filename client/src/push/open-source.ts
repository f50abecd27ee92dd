import { stat } from 'node:fs/promises';
import { basename, join, parse, sep } from 'node:path';
import { deckPath } from '../folder/paths';
import { scanFolder } from '../folder/read-folder';
import { imagesOf, isImage } from '../images/is-image';
import { openImageDeck } from '../images/open-images';
import { isPdf } from '../pdf/is-pdf';
import { openFiles, type OpenSource } from './disk-source';

/** The files of a folder, an HTML file or a zip archive, or the deck of a PDF or of pictures. */
export async function openSource(path: string): Promise<OpenSource> {
  if (!(await stat(path)).isFile()) return openFolder(path);
  if (isPdf(path)) {
    const { openPdf } = await import('../pdf/open-pdf.js');
    return openPdf(path);
  }
  const { base, name } = parse(path);
  if (isImage(path)) return openImageDeck(name, [{ path: deckPath(base, sep), absolutePath: path }]);
  // Only such a deck needs the reader of archives.
  const { openGiven } = await import('./given-source.js');
  return openGiven(path);
}

async function openFolder(folder: string): Promise<OpenSource> {
  const found = await scanFolder(folder);
  const name = basename(folder);
  const images = imagesOf(found);
  if (images) return openImageDeck(name, images);
  return openFiles({
    name,
    find: () => Promise.resolve(found),
    isIgnored: async (path) => (await stat(join(folder, path)).catch(() => undefined))?.isFile() ?? false,
  });
}
