// The script of a deck that is a PDF.
import { getDocument, GlobalWorkerOptions } from 'pdfjs-dist';
import { VIEWER_FOLDER } from '../paths';
import { Changed, PIECE_BYTES, sourceOf } from './bytes';
import { Drawings } from './drawing';
import { sections, stage, start, tell } from './pages';

const folder = new URL(VIEWER_FOLDER, document.baseURI).href;
const { pdf: path, bytes: size, version } = stage.dataset;
// A browser keeps the PDF of a version for some minutes. Another PDF has another address.
const file = `${path}?${version}`;

GlobalWorkerOptions.workerSrc = `${folder}pdf.worker.min.mjs`;

const load = async () => {
  const source = await sourceOf(new URL(file, document.baseURI).href, Number(size), fail);
  return getDocument({
    ...source,
    rangeChunkSize: PIECE_BYTES,
    disableAutoFetch: true,
    disableStream: true,
    cMapUrl: `${folder}cmaps/`,
    standardFontDataUrl: `${folder}standard_fonts/`,
    wasmUrl: `${folder}wasm/`,
    // The pages look the same on all computers.
    useSystemFonts: false,
    verbosity: 0,
  }).promise;
};

function fail(error: unknown): void {
  // Once for each PDF: a page of a cache may name one that is not there any more.
  if (error instanceof Changed && history.state !== size) {
    history.replaceState(size, '');
    return location.reload();
  }
  const again = Object.assign(document.createElement('button'), { textContent: 'Try again' });
  again.addEventListener('click', () => location.reload());
  tell('The PDF was not loaded. ', true).append(again);
}

const pdf = load();
pdf.catch(fail);
const drawings = new Drawings(pdf, sections);
start({
  draw: (section, scale) => drawings.draw(section, scale),
  printed: (section) => drawings.printed(section),
  file: () => file,
});
