import { all, byClass } from './by-class';
import { sectionInView } from './page';
import type { Adapter } from './slide';
import { slidev } from './slidev';
import { spectacle } from './spectacle';

/** A section with sections is a column of slides, which remembers its slide. */
export const revealSlides = () =>
  all('.reveal .slides > section,.reveal .slides > section > section').filter(
    (section) => !section.querySelector(':scope > section'),
  );
const revealSlide = byClass(revealSlides, {
  shown: '.slides > .present,.present > .present',
  parts: '.fragment',
  shownParts: '.visible',
});
/** On phones the reader scrolls through all slides, each of which is in a page. */
export const REVEAL_SCROLLED = '.reveal .scroll-page-content > section';
export const reveal: Adapter = () => sectionInView(all(REVEAL_SCROLLED)) ?? revealSlide();

export const impress = byClass('#impress .step', {
  shown: '.active',
  parts: '.substep',
  shownParts: '.substep-visible',
});

export const marp = byClass('.bespoke-marp-parent > .bespoke-marp-slide', {
  shown: '.bespoke-marp-active',
  parts: '[data-marpit-fragment]',
  shownParts: '[data-bespoke-marp-fragment=active]',
});

export const bespoke = byClass('.bespoke-parent > .bespoke-slide', {
  shown: '.bespoke-active',
  parts: '.bespoke-bullet',
  shownParts: '.bespoke-bullet-active',
});

/** Its list shows all slides, of which the reader scrolls to one. */
export const shower: Adapter = () => sectionInView(all('.shower.list .slide')) ?? showerSlide();
const showerSlide = byClass('.shower .slide', {
  shown: '.active',
  parts: '.next',
  shownParts: '.active,.visited',
});

export const remark = byClass('.remark-slides-area > .remark-slide-container', {
  shown: '.remark-visible',
  named: '.remark-slide-content',
});

/** It moves slides in the document. The ids that it gives them have their numbers. */
export const webslides = byClass(() => all('#webslides > .slide').sort((a, b) => +a.id.slice(8) - +b.id.slice(8)), {
  shown: '.current',
});

/** The deck that the client library makes of a PDF. */
export const pdf = byClass('.pdf-pages > section', { shown: '.shown' });

/** The adapters of the tools. Marp is bespoke with other names. */
export const tools: readonly Adapter[] = [
  ...[reveal, impress, slidev, marp, bespoke, shower, remark, webslides, spectacle],
  pdf,
];
