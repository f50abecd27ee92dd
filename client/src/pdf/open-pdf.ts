import { once } from 'node:events';
import { mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Failure } from '../failure';
import type { FolderFile } from '../folder/hash';
import { diskSource, type OpenSource } from '../push/disk-source';
import { ENTRY_PATH, PDF_PATH, VIEWER_FOLDER } from './paths';
import type { PdfDeck } from './pdf-deck';
import { pdfFolder } from './pdf-folder';
import type { ReadingAnswer, ReadingTask } from './reading-thread';

/**
 * A PDF as a deck: its entry page is in a temporary folder until `close`. Throws `damaged-file` and `locked-file` as
 * `readPdf` does.
 */
export async function openPdf(path: string): Promise<OpenSource> {
  const deck = await readInThread({ path, name: basename(path), folder: pdfFolder });
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'deck-pdf-')));
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    const entry = join(folder, ENTRY_PATH);
    await writeFile(entry, deck.entry);
    const found = await Promise.all([
      fileAt(ENTRY_PATH, entry),
      fileAt(PDF_PATH, path),
      ...deck.viewerFiles.map((file) => fileAt(VIEWER_FOLDER + file, join(pdfFolder, file))),
    ]);
    const find = () => Promise.resolve(found.sort((a, b) => (a.path < b.path ? -1 : 1)));
    return { source: diskSource({ name: deck.title, find, isIgnored: () => Promise.resolve(false) }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const fileAt = async (path: string, absolutePath: string): Promise<FolderFile> => ({
  path,
  relativePath: path,
  absolutePath,
  sizeBytes: (await stat(absolutePath)).size,
});

async function readInThread(task: ReadingTask): Promise<PdfDeck> {
  // pdf.js writes warnings about canvases, which nothing needs here.
  const thread = new Worker(join(pdfFolder, 'read-pdf.mjs'), { workerData: task, stdout: true, stderr: true });
  try {
    const [answer] = (await once(thread, 'message')) as [ReadingAnswer];
    if ('deck' in answer) return answer.deck;
    const { message, ...detail } = answer.failure;
    throw new Failure(message, detail);
  } finally {
    await thread.terminate();
  }
}
