import { attempt } from '../attempt';
import { all } from './by-class';
import { cut, lineOf, nameOf, numberIn, titleOf } from './names';
import type { Adapter, Reading, Slide } from './slide';

/** Any page: its hash names the slide, or the section in view is the slide, or the page is one slide. */
export const page: Adapter = () => {
  const encoded = location.hash.slice(1).replace(/[?&].*|^[/!]+$/, '');
  const hash = lineOf(attempt(() => decodeURIComponent(encoded)) ?? encoded);
  const target = hash ? document.getElementById(hash) : null;
  const sections = pageSections();
  // Where several sections are in view, a hash that does not lead to one of them tells more.
  const isOne = sections && (!hash || target || sections.filter((section) => seenOf(section) > 0).length === 1);
  const reading = isOne && sectionInView(sections);
  return reading || byHash(hash, target);
};

/** The sections of a page that has several. */
export const pageSections = (): Element[] | undefined => sectionsOf('section') ?? sectionsOf('.slide');

/** The outermost elements, when there is more than one. */
function sectionsOf(selector: string): Element[] | undefined {
  const found = all(selector).filter((section) => !section.parentElement?.closest(selector));
  return found.length > 1 ? found : undefined;
}

/** The section of which the window shows most. Undefined when none is in view. */
export function sectionInView(sections: Element[]): Reading | undefined {
  const seen = sections.map(seenOf);
  const most = Math.max(...seen);
  if (!(most > 0)) return undefined;
  return { slides: sections.map((section) => nameOf(section)), index: seen.indexOf(most) };
}

/** How many pixels of the element are in view. Those of a transparent one count less. */
function seenOf(element: Element): number {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const width = Math.min(right, innerWidth) - Math.max(left, 0);
  const height = Math.min(bottom, innerHeight) - Math.max(top, 0);
  if (width <= 0 || height <= 0) return 0;
  const { visibility, opacity } = getComputedStyle(element);
  return visibility === 'hidden' ? 0 : width * height * +opacity;
}

/** A page without a hash shows the first slide. */
function byHash(hash: string, target: Element | null): Slide {
  const number = hash ? numberIn(hash) : 1;
  return {
    key: number === undefined ? `#${cut(hash, 99)}` : `#${number}`,
    title: hash ? titleOf(target ?? document.body) : lineOf(document.title),
    index: Math.max((number ?? 1) - 1, 0),
    count: hash ? null : 1,
  };
}
