import { ENTRY_PATH, PDF_PATH, VIEWER_FOLDER } from '../pdf/paths';
import { pdfDeck } from '../pdf/pdf-deck';
import type { PdfTool } from '../pdf/read-pdf';
import type { Dropped } from './dropped';

/** The deck of a PDF, as if its files had been dropped. Throws `damaged-file` and `locked-file` as `readPdf` does. */
export async function readDroppedPdf(file: File, tool: PdfTool): Promise<Dropped> {
  const deck = await pdfDeck(file.name, new Uint8Array(await file.arrayBuffer()), tool);
  const viewer = deck.viewerFiles.map(async (path) => {
    const bytes = await tool.part(path);
    return { path: VIEWER_FOLDER + path, blob: new Blob([bytes as Uint8Array<ArrayBuffer>]) };
  });
  const entry = { path: ENTRY_PATH, blob: new Blob([deck.entry]) };
  const files = [entry, { path: PDF_PATH, blob: file }, ...(await Promise.all(viewer))];
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { name: file.name, files, refused: [], pdf: { file, pageTitles: deck.pageTitles } };
}
