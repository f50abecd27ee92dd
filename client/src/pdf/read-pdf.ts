import type { PDFDocumentProxy } from 'pdfjs-dist';
import { Failure } from '../failure';
import { findBookmarks } from './bookmarks';
import { linksOf } from './links';
import { textOf, titleIn } from './page-text';
import type { PdfPage, PdfReading } from './reading';

/** pdf.js, and its other files. */
export interface PdfTool {
  pdfjs: { getDocument: (options: object) => { promise: Promise<unknown>; destroy: () => Promise<void> } };
  /** The bytes of a file in the folder of pdf.js, such as `cmaps/UniGB-UTF16-H.bcmap`. */
  part: (path: string) => Promise<Uint8Array>;
}

/** The folders of files that pdf.js asks for, by its options. */
const FOLDERS = { cMapUrl: 'cmaps/', standardFontDataUrl: 'standard_fonts/', wasmUrl: 'wasm/' };
/** Decoders of pictures, by the filters that need them. The names of filters are readable in every PDF. */
const DECODERS = [
  ['/JPXDecode', 'wasm/openjpeg.wasm'],
  ['/JBIG2Decode', 'wasm/jbig2.wasm'],
] as const;
const MAX_TITLE = 200;

/**
 * Reads a PDF. Throws `damaged-file` for bytes that are not a PDF that can be shown, and `locked-file` for one that
 * opens with a password only. pdf.js takes the bytes over: they are empty afterwards.
 */
export async function readPdf(name: string, bytes: Uint8Array, tool: PdfTool): Promise<PdfReading> {
  const parts = new Set(DECODERS.filter(([filter]) => has(bytes, filter)).map(([, path]) => path as string));
  /** pdf.js asks it for what a text needs: so it is known which files belong to the deck. */
  class Parts {
    async fetch({ kind, filename }: { kind: keyof typeof FOLDERS; filename: string }): Promise<Uint8Array> {
      const path = `${FOLDERS[kind]}${filename}`;
      const found = await tool.part(path);
      parts.add(path);
      return found;
    }
  }
  const task = tool.pdfjs.getDocument({
    data: bytes,
    verbosity: 0,
    ...FOLDERS,
    useWorkerFetch: false,
    useSystemFonts: false,
    disableFontFace: true,
    BinaryDataFactory: Parts,
  });
  try {
    const pdf = (await task.promise) as PDFDocumentProxy;
    const read = await readDocument(pdf);
    return { ...read, parts: [...parts].sort() };
  } catch (error) {
    throw refusal(name, error);
  } finally {
    await task.destroy();
  }
}

async function readDocument(pdf: PDFDocumentProxy): Promise<Omit<PdfReading, 'parts'>> {
  const { title, language } = await metadataOf(pdf);
  const bookmarks = await findBookmarks(pdf);
  const titles = new Map([...bookmarks].reverse().map((bookmark) => [bookmark.page, bookmark.title]));
  const pages: PdfPage[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const viewport = page.getViewport({ scale: 1 });
    const content = await page.getTextContent();
    const items = content.items.filter((item) => 'str' in item);
    const annotations = (await page.getAnnotations()) as Record<string, unknown>[];
    // Notes and fields have fonts of their own, which are found where they are drawn.
    if (annotations.some(({ subtype }) => subtype !== 'Link')) await page.getOperatorList().catch(() => undefined);
    pages.push({
      width: round(viewport.width),
      height: round(viewport.height),
      title: (titles.get(number) ?? titleIn(items)).slice(0, MAX_TITLE).trim(),
      text: textOf(items),
      links: await linksOf(pdf, { number, viewport, annotations, items }),
    });
    page.cleanup();
  }
  return { title, language, pages, bookmarks };
}

const round = (points: number) => Math.round(points * 100) / 100;

/** Titles that programs write when nobody has written one. */
const NO_TITLE = /^(untitled|powerpoint[- ]pr[äae]sentation|presentation|(presentation|document|slide|folie)\s?\d*)$/i;

async function metadataOf(pdf: PDFDocumentProxy): Promise<Pick<PdfReading, 'title' | 'language'>> {
  const { info } = (await pdf.getMetadata().catch(() => ({ info: {} }))) as { info: Record<string, unknown> };
  const written = typeof info['Title'] === 'string' ? info['Title'] : '';
  // Printer drivers write the name of the program, and that of the file.
  const title = written
    .replace(/^Microsoft (PowerPoint|Word) - /, '')
    .replace(/\.(pptx?|docx?|key|odp|pdf|tex|dvi|indd)$/i, '')
    .trim();
  const language = typeof info['Language'] === 'string' ? info['Language'] : '';
  return {
    title: NO_TITLE.test(title) ? undefined : title || undefined,
    language: /^[a-z]{2,3}(-[a-z\d]{2,8}){0,3}$/i.test(language) ? language : undefined,
  };
}

/** Whether the ASCII text is somewhere in the bytes. */
function has(bytes: Uint8Array, text: string): boolean {
  const wanted = [...text].map((letter) => letter.charCodeAt(0));
  for (let at = bytes.indexOf(wanted[0]!); at >= 0; at = bytes.indexOf(wanted[0]!, at + 1))
    if (wanted.every((code, i) => bytes[at + i] === code)) return true;
  return false;
}

function refusal(name: string, cause: unknown): unknown {
  const { name: kind, message } = cause as Error;
  if (kind === 'PasswordException')
    return new Failure(`${name} is protected with a password.`, {
      code: 'locked-file',
      nextAction: 'Save it without the password, then push that file.',
      cause,
    });
  return new Failure(`${name} is damaged, or is not a PDF (${message}).`, {
    code: 'damaged-file',
    nextAction: 'Export the PDF again. When it opens elsewhere, print it into a new PDF.',
    cause,
  });
}
