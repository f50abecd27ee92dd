// Reads a PDF in a thread of Node: pdf.js is a module of a megabyte, and a PDF may take seconds.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { getDocument } from 'pdfjs-dist';
// It tells pdf.js that the work is done in this thread.
import 'pdfjs-dist/build/pdf.worker.mjs';
import { isFailure } from '../failure';
import { readFailure } from '../folder/read-file';
import { pdfDeck, type PdfDeck } from './pdf-deck';

/** What the thread is asked. */
export interface ReadingTask {
  path: string;
  /** The name that people know. */
  name: string;
  /** The folder of pdf.js. */
  folder: string;
}

/** The deck, or why there is none. */
export type ReadingAnswer =
  { deck: PdfDeck } | { failure: { message: string; code: string; nextAction: string | undefined } };

async function answer({ path, name, folder }: ReadingTask): Promise<ReadingAnswer> {
  try {
    const part = async (file: string) => new Uint8Array(await readFile(join(folder, file)));
    const bytes = await readFile(path).catch((cause: unknown) => {
      throw readFailure(path, cause);
    });
    return { deck: await pdfDeck(name, new Uint8Array(bytes), { pdfjs: { getDocument }, part }) };
  } catch (error) {
    if (!isFailure(error)) throw error;
    const { message, code, nextAction } = error;
    return { failure: { message, code, nextAction } };
  }
}

void answer(workerData as ReadingTask).then((given) => parentPort!.postMessage(given));
