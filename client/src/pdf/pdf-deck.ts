import { bytesToHex } from '@noble/hashes/utils.js';
import { defaultTitle } from '../folder/title';
import { entryPage } from './entry-page';
import { readPdf, type PdfTool } from './read-pdf';

/** The files that show every PDF. */
const VIEWER_FILES = [
  ...['viewer.mjs', 'viewer.css', 'pdf.min.mjs', 'pdf.worker.min.mjs', 'LICENSE.txt'],
  // Most pictures have a profile of their colours.
  'wasm/qcms_bg.wasm',
];

/** The deck of a PDF. Equal PDFs with equal names make equal decks. */
export interface PdfDeck {
  title: string;
  /** The text of the entry page. */
  entry: string;
  /** The beginning of the hash of the PDF. */
  version: string;
  /** Their paths below `VIEWER_FOLDER`, and below the folder of the viewer that the program has. */
  viewerFiles: string[];
  /** Empty for a page without a title. */
  pageTitles: string[];
}

/**
 * Makes the deck of a PDF, or throws as `readPdf` does. `name` is that of the file, and the title when the PDF has
 * none. The bytes are empty afterwards.
 */
export async function pdfDeck(name: string, bytes: Uint8Array, tool: PdfTool): Promise<PdfDeck> {
  const sizeBytes = bytes.length;
  const version = await versionOf(bytes);
  const reading = await readPdf(name, bytes, tool);
  const title = defaultTitle('', reading.title ?? name.replace(/\.pdf$/i, ''));
  const viewerFiles = [...VIEWER_FILES, ...reading.parts];
  const pageTitles = reading.pages.map((page) => page.title);
  return { title, entry: entryPage(reading, { title, sizeBytes, version }), version, viewerFiles, pageTitles };
}

async function versionOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return bytesToHex(new Uint8Array(digest)).slice(0, 16);
}
