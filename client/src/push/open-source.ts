import { stat } from 'node:fs/promises';
import { isPdf } from '../pdf/is-pdf';
import { folderSource, type OpenSource } from './disk-source';

/** The files of a folder, an HTML file or a zip archive, or the deck of a PDF. */
export async function openSource(path: string): Promise<OpenSource> {
  if (!(await stat(path)).isFile()) return { source: folderSource(path), close: () => Promise.resolve() };
  if (isPdf(path)) {
    const { openPdf } = await import('../pdf/open-pdf.js');
    return openPdf(path);
  }
  // Only such a deck needs the reader of archives.
  const { openGiven } = await import('./given-source.js');
  return openGiven(path);
}
