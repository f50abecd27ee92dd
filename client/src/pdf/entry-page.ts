import { PDF_PATH, VIEWER_FOLDER } from './paths';
import type { Bookmark, PdfLink, PdfPage, PdfReading } from './reading';
import { escape, viewerPage } from './viewer-page';

/** What the entry page tells of its PDF. Other bytes have another version. */
interface PdfFile {
  title: string;
  sizeBytes: number;
  version: string;
}

/**
 * The entry page of the deck of a PDF. It has the text of all pages, so that a browser finds it and a reader of the
 * source has it; the viewer draws the pages. Equal PDFs have equal entry pages.
 */
export function entryPage(reading: PdfReading, { title, sizeBytes, version }: PdfFile): string {
  const { pages, language } = reading;
  return viewerPage({
    title,
    language,
    folder: VIEWER_FOLDER,
    script: 'viewer.mjs',
    head: `<link rel="modulepreload" href="${VIEWER_FOLDER}pdf.min.mjs">\n`,
    data: ` data-pdf="${PDF_PATH}" data-bytes="${sizeBytes}" data-version="${version}"`,
    pages: pages.map((page, index) => sectionOf(page, index + 1, pages.length)),
    files: [{ path: PDF_PATH, title: 'the PDF' }],
    contents: contentsOf(reading),
  });
}

function sectionOf({ width, height, title, text, links }: PdfPage, number: number, count: number): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const heading = title && `<h2>${escape(title)}</h2>`;
  const written = `<div class="text">${heading}${lines.map((line) => `<p>${escape(line)}</p>`).join('')}</div>`;
  const label = `Page ${number} of ${count}`;
  return `<section hidden="until-found" aria-label="${label}" data-width="${width}" data-height="${height}">${written}${links.map(linkOf).join('')}</section>`;
}

function linkOf({ href, text, left, top, width, height }: PdfLink): string {
  const isInside = href.startsWith('#');
  const label = text || (isInside ? `Page ${href.slice(1)}` : href.replace(/^(mailto|tel):/i, ''));
  const outside = isInside ? '' : ' target="_blank" rel="noopener noreferrer"';
  const place = `left:${left}%;top:${top}%;width:${width}%;height:${height}%`;
  return `<a href="${escape(href)}"${outside} aria-label="${escape(label)}" style="${place}"></a>`;
}

/** The bookmarks, or else the pages. */
function contentsOf({ bookmarks, pages }: PdfReading): readonly Bookmark[] {
  return bookmarks.length > 0 ? bookmarks : pages.map(({ title }, index) => ({ title, page: index + 1, depth: 0 }));
}
