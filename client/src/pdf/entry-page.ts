import { PDF_PATH, VIEWER_FOLDER } from './paths';
import type { Bookmark, PdfLink, PdfPage, PdfReading } from './reading';

/**
 * The entry page of the deck of a PDF. It has the text of all pages, so that a browser finds it and a reader of the
 * source has it; the viewer draws the pages. Equal PDFs have equal entry pages.
 */
export function entryPage(reading: PdfReading, { title, sizeBytes }: { title: string; sizeBytes: number }): string {
  const { pages, language } = reading;
  return `<!doctype html>
<html${language ? ` lang="${escape(language)}"` : ''}>
<head>
<meta charset="utf-8">
<title>${escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark">
<link rel="stylesheet" href="${VIEWER_FOLDER}viewer.css">
<link rel="modulepreload" href="${VIEWER_FOLDER}pdf.min.mjs">
<script type="module" src="${VIEWER_FOLDER}viewer.mjs"></script>
</head>
<body>
<main class="pdf-pages" data-pdf="${PDF_PATH}" data-bytes="${sizeBytes}">
${pages.map((page, index) => sectionOf(page, index + 1, pages.length)).join('\n')}
</main>
<noscript><p class="notice">Your browser runs no scripts here: <a href="${PDF_PATH}">open the PDF</a>.</p></noscript>
<nav class="contents" aria-label="Contents" hidden>
${contentsOf(reading)}
</nav>
<nav class="controls" aria-label="Slides" hidden>
<button class="show-contents" aria-expanded="false" title="Contents (C)">${icon('M4 6h16M4 12h16M4 18h10')}</button>
<button class="previous" title="Previous (←)">${icon('M15 5l-7 7 7 7')}</button>
<label class="place"><input class="number" inputmode="numeric" aria-label="Page" maxlength="5" value="1"><span>/ ${pages.length}</span></label>
<button class="next" title="Next (→)">${icon('M9 5l7 7-7 7')}</button>
<button class="print" title="Print">${icon('M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z')}</button>
<button class="full-screen" title="Full screen (F)">${icon('M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5')}</button>
</nav>
<p class="told" role="status"></p>
</body>
</html>
`;
}

const icon = (path: string) =>
  `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

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

/** The bookmarks as a list, or else the pages. */
function contentsOf({ bookmarks, pages }: PdfReading): string {
  const ofPages = () => pages.map(({ title }, index): Bookmark => ({ title, page: index + 1, depth: 0 }));
  const rows = bookmarks.length > 0 ? bookmarks : ofPages();
  const items = rows.map(
    ({ title, page, depth }) =>
      `<li style="--depth:${depth}"><a href="#${page}"><span>${escape(title || `Page ${page}`)}</span><small>${page}</small></a></li>`,
  );
  return `<ol>${items.join('\n')}</ol>`;
}

const escape = (text: string) =>
  text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter]!);
