import type { PDFDocumentProxy } from 'pdfjs-dist';
import { plainLine } from './page-text';
import type { Bookmark } from './reading';

/** Of a book with more of them, the first ones are taken. */
const MAX_BOOKMARKS = 2_000;
const MAX_DEPTH = 5;

type Outline = Awaited<ReturnType<PDFDocumentProxy['getOutline']>>;

/** The bookmarks that lead to a page of the PDF. A damaged outline is none. */
export async function findBookmarks(pdf: PDFDocumentProxy): Promise<Bookmark[]> {
  const found: Bookmark[] = [];
  const walk = async (items: Outline, depth: number) => {
    for (const { title, dest, items: below } of items) {
      if (found.length >= MAX_BOOKMARKS) return;
      const page = await pageOf(pdf, dest);
      const line = plainLine(title);
      const isShown = page !== undefined && line !== '';
      if (isShown) found.push({ title: line, page, depth });
      if (depth < MAX_DEPTH) await walk(below as Outline, isShown ? depth + 1 : depth);
    }
  };
  await pdf
    .getOutline()
    .then((outline: Outline | null) => walk(outline ?? [], 0))
    .catch(() => undefined);
  return found;
}

/** The number of the page to which a destination leads. Undefined when it leads nowhere. */
export async function pageOf(pdf: PDFDocumentProxy, destination: unknown): Promise<number | undefined> {
  try {
    const found: unknown = typeof destination === 'string' ? await pdf.getDestination(destination) : destination;
    const [target] = Array.isArray(found) ? (found as unknown[]) : [];
    const index = typeof target === 'number' ? target : target && (await pdf.getPageIndex(target as never));
    return typeof index === 'number' && index >= 0 && index < pdf.numPages ? index + 1 : undefined;
  } catch {
    return undefined;
  }
}
