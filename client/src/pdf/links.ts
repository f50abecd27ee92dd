import type { PageViewport, PDFDocumentProxy } from 'pdfjs-dist';
import type { TextItem } from 'pdfjs-dist/types/src/display/api';
import { pageOf } from './bookmarks';
import { plainLine } from './page-text';
import type { PdfLink } from './reading';

interface Page {
  number: number;
  viewport: PageViewport;
  annotations: readonly Record<string, unknown>[];
  items: readonly TextItem[];
}

const MAX_LINKS = 500;

/** The links of a page: to pages of the PDF, and to addresses of the web, of mail and of telephones. */
export async function linksOf(pdf: PDFDocumentProxy, page: Page): Promise<PdfLink[]> {
  const links: PdfLink[] = [];
  for (const annotation of page.annotations) {
    const href = annotation['subtype'] === 'Link' ? await hrefOf(pdf, page.number, annotation) : undefined;
    if (href === undefined || links.length >= MAX_LINKS) continue;
    const [x1, y1, x2, y2] = page.viewport.convertToViewportRectangle(annotation['rect'] as number[]) as Corners;
    const [left, right] = [Math.min(x1, x2), Math.max(x1, x2)];
    const [top, bottom] = [Math.min(y1, y2), Math.max(y1, y2)];
    const { width, height } = page.viewport;
    const area = {
      left: percent(left / width),
      top: percent(top / height),
      width: percent((right - left) / width),
      height: percent((bottom - top) / height),
    };
    const text = plainLine(
      page.items
        .filter((item) => isIn(annotation['rect'] as number[], item))
        .map(strOf)
        .join(''),
    );
    if (area.width > 0 && area.height > 0) links.push({ href, text: text.slice(0, 200), ...area });
  }
  return links;
}

type Corners = [number, number, number, number];
const percent = (part: number) => Math.round(part * 10_000) / 100;
const strOf = ({ str, hasEOL }: TextItem) => (hasEOL ? `${str} ` : str);

/** Whether the middle of the text is in the area. */
function isIn([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[], { transform, width, height }: TextItem): boolean {
  const [x, y] = [(transform[4] as number) + width / 2, (transform[5] as number) + height / 2];
  return x >= Math.min(x1, x2) && x <= Math.max(x1, x2) && y >= Math.min(y1, y2) && y <= Math.max(y1, y2);
}

async function hrefOf(pdf: PDFDocumentProxy, number: number, link: Record<string, unknown>) {
  const { url, dest, action } = link;
  if (typeof url === 'string') return /^(https?:\/\/|mailto:|tel:)/i.test(url) ? url : undefined;
  const named: Record<string, number> = {
    FirstPage: 1,
    PrevPage: number - 1,
    NextPage: number + 1,
    LastPage: pdf.numPages,
  };
  const page = typeof action === 'string' ? named[action] : await pageOf(pdf, dest);
  return page !== undefined && page >= 1 && page <= pdf.numPages ? `#${page}` : undefined;
}
