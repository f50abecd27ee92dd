import { defaultTitle } from '../folder/title';
import { escape, viewerPage } from '../pdf/viewer-page';

/** Where the viewer is in the deck. The pictures have the paths that they had. */
export const IMAGE_VIEWER_FOLDER = 'viewer/';
/** What shows the pictures: files of the folder that shows PDFs, too. */
export const IMAGE_VIEWER_FILES = ['images.mjs', 'viewer.css'];

/** The deck of pictures. Equal names make equal decks. */
interface ImageDeck {
  title: string;
  /** The text of the entry page. */
  entry: string;
  /** The pictures in the order of their slides. */
  slides: { path: string; title: string }[];
}

/** Makes the deck of pictures, a slide each. `name` is that of their folder, or of the only picture. */
export function imageDeck(name: string, paths: readonly string[]): ImageDeck {
  const slides = [...paths].sort(naturally).map((path) => ({ path, title: titleOf(path) }));
  const title = defaultTitle('', name);
  const pages = slides.map(
    (slide, index) =>
      `<section hidden="until-found" aria-label="Page ${index + 1} of ${slides.length}">` +
      `<img src="${escape(addressOf(slide.path))}" alt="${escape(slide.title)}" loading="lazy">` +
      `<div class="text" aria-hidden="true"><h2>${escape(slide.title)}</h2></div></section>`,
  );
  const files = slides.map((slide) => ({ path: addressOf(slide.path), title: slide.title }));
  const contents = slides.map((slide, index) => ({ title: slide.title, page: index + 1, depth: 0 }));
  const entry = viewerPage({
    title,
    folder: IMAGE_VIEWER_FOLDER,
    script: 'images.mjs',
    pages,
    files,
    contents,
  });
  return { title, entry, slides };
}

const collator = new Intl.Collator('en', { numeric: true });
/** `slide 2` is before `slide 10`. The order is the same on all computers. */
const naturally = (a: string, b: string) => collator.compare(a, b) || (a < b ? -1 : 1);

const addressOf = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** What a file name says: without its extension, and without the number that sorts it. */
function titleOf(path: string): string {
  const name = path.replace(/^.*\//, '').replace(/\.[^.]*$/, '');
  const words = name.replace(/[\s_-]+/g, ' ').trim();
  return words.replace(/^\d{1,3}[ .]+(?=\p{L})/u, '') || name;
}
