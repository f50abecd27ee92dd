import {
  MAX_PICTURES,
  MAX_PICTURE_BYTES,
  uploadSlidePictures,
  type DeckService,
  type Dropped,
  type PdfTool,
  type SlidePicture,
} from 'deckhost-client/browser';
import { lineOf } from '../../../../functions/runtime/slides/names';
import { slideOf } from '../../../../functions/runtime/slides/slide';
import { workerAddress } from '../trusted';

/** The part of pdf.js that draws. */
interface Pdf {
  numPages: number;
  getPage: (number: number) => Promise<{
    getViewport: (options: { scale: number }) => { width: number; height: number };
    render: (options: { canvas: HTMLCanvasElement; viewport: object }) => { promise: Promise<void> };
    cleanup: () => void;
  }>;
}
interface Pdfjs extends Pick<PdfTool['pdfjs'], 'getDocument'> {
  GlobalWorkerOptions: { workerPort: Worker | null };
}

const folder = import.meta.env.PDF_FOLDER;
const PICTURE = { width: 640, height: 360 };
/** The first one that makes a picture small enough is taken. */
const QUALITIES = [0.8, 0.5, 0.3];

/** pdf.js of this site. Every document has a worker, which ends with it. */
export async function pdfTool(): Promise<PdfTool> {
  const pdfjs = (await import(/* @vite-ignore */ `${folder}pdf.min.mjs`)) as Pdfjs;
  const getDocument = (options: object) => {
    const worker = new Worker(workerAddress(`${folder}pdf.worker.min.mjs`), { type: 'module' });
    pdfjs.GlobalWorkerOptions.workerPort = worker;
    const task = pdfjs.getDocument(options);
    const destroy = () => task.destroy().finally(() => worker.terminate());
    return { promise: task.promise, destroy };
  };
  return { pdfjs: { getDocument }, part };
}

async function part(path: string): Promise<Uint8Array> {
  const response = await fetch(folder + path);
  if (!response.ok) throw new Error(`${path} was not loaded: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Draws the pages of a PDF and sends them as the pictures of its deck. A deck without pictures is a deck, too. */
export async function sendPictures(
  service: DeckService,
  pdf: NonNullable<Dropped['pdf']>,
  version: { presentationId: string; version: number },
): Promise<void> {
  try {
    const pictures = await drawPages(pdf);
    if (pictures.length > 0) await uploadSlidePictures(service, version, pictures);
  } catch (error) {
    console.info('The pictures of the pages were not stored.', error);
  }
}

async function drawPages({ file, pageTitles }: NonNullable<Dropped['pdf']>): Promise<SlidePicture[]> {
  const { pdfjs } = await pdfTool();
  const data = new Uint8Array(await file.arrayBuffer());
  const task = pdfjs.getDocument({
    ...{ data, verbosity: 0, useSystemFonts: false },
    cMapUrl: new URL(`${folder}cmaps/`, location.href).href,
    standardFontDataUrl: new URL(`${folder}standard_fonts/`, location.href).href,
    wasmUrl: new URL(`${folder}wasm/`, location.href).href,
  });
  const pictures: SlidePicture[] = [];
  try {
    const pdf = (await task.promise) as Pdf;
    // The keys are those that the deck tells to the insights.
    const slides = pageTitles.map((title) => ({ title: lineOf(title) }));
    for (let index = 0; index < Math.min(pdf.numPages, MAX_PICTURES); index++) {
      const { key, title } = slideOf({ slides, index });
      const picture = await drawPage(pdf, index + 1);
      if (picture) pictures.push({ key, title, bytes: picture, contentType: 'image/jpeg' });
    }
  } finally {
    await task.destroy();
  }
  return pictures;
}

/** The page as a JPEG. Undefined when it is too large at every quality. */
async function drawPage(pdf: Pdf, number: number): Promise<Uint8Array | undefined> {
  const page = await pdf.getPage(number);
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: Math.min(PICTURE.width / width, PICTURE.height / height) });
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.floor(viewport.width));
  canvas.height = Math.max(1, Math.floor(viewport.height));
  await page.render({ canvas, viewport }).promise;
  page.cleanup();
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
    if (blob && blob.size <= MAX_PICTURE_BYTES) return new Uint8Array(await blob.arrayBuffer());
  }
  return undefined;
}
