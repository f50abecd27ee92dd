import { once } from 'node:events';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Failure } from '../failure';
import { fileChanged } from '../folder/file-changed';
import { openMade, type OpenSource } from '../push/disk-source';
import { PDF_PATH, VIEWER_FOLDER } from './paths';
import type { PdfDeck } from './pdf-deck';
import { pdfFolder } from './pdf-folder';
import type { ReadingAnswer, ReadingTask } from './reading-thread';

/**
 * A PDF as a deck. Throws `damaged-file` and `locked-file` as `readPdf` does. To read the source throws `file-changed`
 * when there is another PDF than the one of which the entry page tells.
 */
export async function openPdf(path: string): Promise<OpenSource> {
  const { title, entry, version, viewerFiles } = await readInThread({ path, name: basename(path), folder: pdfFolder });
  const viewer = viewerFiles.map((file) => ({ path: VIEWER_FOLDER + file, absolutePath: join(pdfFolder, file) }));
  const { source, ...made } = await openMade(title, entry, [{ path: PDF_PATH, absolutePath: path }, ...viewer]);
  const read: typeof source.read = async (...given) => {
    const found = await source.read(...given);
    if (!found.files.some((file) => file.path === PDF_PATH && file.sha256.startsWith(version))) throw fileChanged(path);
    return found;
  };
  return { ...made, source: { ...source, read } };
}

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
