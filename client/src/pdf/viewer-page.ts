import type { Bookmark } from './reading';

/** What differs between the entry pages of decks that the viewer shows. Texts of people are not escaped yet. */
interface ViewerPage {
  title: string;
  language?: string | undefined;
  /** The folder of the viewer. It ends with a slash. */
  folder: string;
  script: string;
  /** More elements of the head. */
  head?: string;
  /** More attributes of the element that has the pages. */
  data?: string;
  /** A section for each page. */
  pages: readonly string[];
  /** What a reader without scripts opens. */
  files: readonly { path: string; title: string }[];
  contents: readonly Bookmark[];
}

/** The language of the controls. */
const INTERFACE = 'en';

/** The language of what people wrote. An empty one is unknown: a reader of the screen then keeps its own voice. */
const written = (language = '') => ` lang="${escape(language)}"`;

/** The entry page of a deck that the viewer shows. Slides are known by the class `pdf-pages`. */
export const viewerPage = ({ title, language, folder, script, head = '', data = '', ...of }: ViewerPage) =>
  `<!doctype html>
<html lang="${escape(language ?? INTERFACE)}">
<head>
<meta charset="utf-8">
<title>${escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark">
<link rel="stylesheet" href="${folder}viewer.css">
${head}<script type="module" src="${folder}${script}"></script>
</head>
<body>
<main class="pdf-pages"${written(language)}${data}>
${of.pages.join('\n')}
</main>
<noscript><p class="notice" lang="${INTERFACE}">Your browser runs no scripts here: open ${of.files.map(linkTo).join(', ')}.</p></noscript>
<nav class="contents" aria-label="Contents" lang="${INTERFACE}" hidden>
<ol${written(language)}>${of.contents.map(rowOf).join('\n')}</ol>
</nav>
<nav class="controls" aria-label="Slides" lang="${INTERFACE}" hidden>
<button class="show-contents" aria-expanded="false" title="Contents (C)">${icon('M4 6h16M4 12h16M4 18h10')}</button>
<button class="previous" title="Previous (←)">${icon('M15 5l-7 7 7 7')}</button>
<label class="place"><input class="number" inputmode="numeric" aria-label="Page" maxlength="5" value="1"><span>/ ${of.pages.length}</span></label>
<button class="next" title="Next (→)">${icon('M9 5l7 7-7 7')}</button>
<button class="print" title="Print">${icon('M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z')}</button>
<button class="full-screen" title="Full screen (F)">${icon('M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5')}</button>
</nav>
<p class="told" role="status" lang="${INTERFACE}"></p>
</body>
</html>
`;

const icon = (path: string) =>
  `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

const linkTo = ({ path, title }: { path: string; title: string }) => `<a href="${escape(path)}">${escape(title)}</a>`;

const rowOf = ({ title, page, depth }: Bookmark) =>
  `<li style="--depth:${depth}"><a href="#${page}"><span>${escape(title || `Page ${page}`)}</span><small>${page}</small></a></li>`;

export const escape = (text: string) =>
  text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter]!);
