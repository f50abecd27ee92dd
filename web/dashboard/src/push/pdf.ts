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

/** A file of the folder of pdf.js. */
export async function part(path: string): Promise<Uint8Array> {
  const response = await fetch(folder + path);
  if (!response.ok) throw new Error(`${path} was not loaded: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Draws the slides of a deck that was made here, and sends them. A deck without pictures is a deck, too. */
export async function sendPictures(
  service: DeckService,
  dropped: Pick<Dropped, 'pdf' | 'images'>,
  version: { presentationId: string; version: number },
): Promise<void> {
  const pictures: SlidePicture[] = [];
  try {
    const titles = dropped.pdf?.pageTitles ?? dropped.images?.map(({ title }) => title) ?? [];
    // The keys are those that the deck tells to the insights.
    const slides = titles.map((title) => ({ title: lineOf(title) }));
    const drawn = dropped.pdf ? pagesOf(dropped.pdf.file) : imagesOf(dropped.images ?? []);
    let index = 0;
    for await (const canvas of drawn) {
      const bytes = canvas && (await jpegOf(canvas));
      const { key, title } = slideOf({ slides, index: index++ });
      if (bytes) pictures.push({ key, title, bytes, contentType: 'image/jpeg' });
      if (index === MAX_PICTURES) break;
    }
    if (pictures.length > 0) await uploadSlidePictures(service, version, pictures);
  } catch (error) {
    console.info('The pictures of the slides were not stored.', error);
  }
}

async function* pagesOf(file: File): AsyncGenerator<HTMLCanvasElement> {
  const { pdfjs } = await pdfTool();
  const data = new Uint8Array(await file.arrayBuffer());
  const task = pdfjs.getDocument({
    data,
    verbosity: 0,
    useSystemFonts: false,
    cMapUrl: new URL(`${folder}cmaps/`, location.href).href,
    standardFontDataUrl: new URL(`${folder}standard_fonts/`, location.href).href,
    wasmUrl: new URL(`${folder}wasm/`, location.href).href,
  });
  try {
    const pdf = (await task.promise) as Pdf;
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      const { width, height } = page.getViewport({ scale: 1 });
      const viewport = page.getViewport({ scale: scaleOf(width, height) });
      const canvas = canvasOf(viewport.width, viewport.height);
      await page.render({ canvas, viewport }).promise;
      page.cleanup();
      yield canvas;
    }
  } finally {
    await task.destroy();
  }
}

/** A picture that the browser cannot read is undefined. */
async function* imagesOf(images: NonNullable<Dropped['images']>): AsyncGenerator<HTMLCanvasElement | undefined> {
  for (const { picture } of images) yield await drawImage(picture).catch(() => undefined);
}

async function drawImage(picture: Blob): Promise<HTMLCanvasElement> {
  const image = new Image();
  image.src = URL.createObjectURL(picture);
  try {
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const scale = scaleOf(width, height);
    const canvas = canvasOf(width * scale, height * scale);
    const context = canvas.getContext('2d')!;
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

const scaleOf = (width: number, height: number) => Math.min(PICTURE.width / width, PICTURE.height / height);

const canvasOf = (width: number, height: number) =>
  Object.assign(document.createElement('canvas'), {
    width: Math.max(1, Math.floor(width)),
    height: Math.max(1, Math.floor(height)),
  });

/** Undefined for a picture that is too large at every quality. */
async function jpegOf(canvas: HTMLCanvasElement): Promise<Uint8Array | undefined> {
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
    if (blob && blob.size <= MAX_PICTURE_BYTES) return new Uint8Array(await blob.arrayBuffer());
  }
  return undefined;
}
