import { authorId, lineOf } from './names';
import type { Adapter } from './slide';

/** What Slidev's application provides to its components. */
interface Nav {
  currentSlideNo: number;
  clicks: number;
  clicksTotal: number;
  go: (no: number, clicks: number) => Promise<void>;
  slides: { meta: { slide: { title?: string; frontmatter?: { routeAlias?: string } } } }[];
}
interface App extends Element {
  __vue_app__?: { _context: { provides: Record<string, { nav: Nav } | undefined> } };
}

export const slidevNav = (): Nav | undefined => {
  const app: App | null = document.querySelector('#app');
  return app?.__vue_app__?._context.provides['$$slidev-context']?.nav;
};

/** The document has the neighbours of a slide only, so the titles are those that Slidev knows. */
export const slidev: Adapter = () => {
  const nav = slidevNav();
  if (!nav) return undefined;
  const { slides, currentSlideNo, clicks, clicksTotal } = nav;
  const names = slides.map(({ meta: { slide } }) => ({
    id: authorId(slide.frontmatter?.routeAlias),
    title: lineOf(slide.title),
  }));
  return { slides: names, index: currentSlideNo - 1, step: clicks, steps: clicksTotal };
};
