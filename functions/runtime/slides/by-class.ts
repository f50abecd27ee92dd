import { nameOf } from './names';
import type { Adapter } from './slide';

/** How a tool marks its slides. All are selectors. */
interface Marks {
  /** The slide that is shown. */
  shown: string;
  /** The parts of a slide that are shown one after the other. */
  parts?: string;
  /** Those parts that are shown already. */
  shownParts?: string;
  /** The element in a slide that has the id of the author, when the slide itself has not. */
  named?: string;
}

export const all = (selector: string, within: ParentNode = document): Element[] => [
  ...within.querySelectorAll(selector),
];

/** The adapter of a tool that marks the slide with a class. `slides` finds all slides in their order. */
export const byClass =
  (slides: string | (() => Element[]), { shown, parts, shownParts, named }: Marks): Adapter =>
  () => {
    const found = typeof slides === 'string' ? all(slides) : slides();
    const index = found.findIndex((slide) => slide.matches(shown));
    if (index < 0) return undefined;
    const reading = { slides: found.map((slide) => nameOf(slide, named && slide.querySelector(named)?.id)), index };
    if (!parts) return reading;
    const steps = all(parts, found[index]);
    const step = groups(steps.filter((part) => part.matches(shownParts!)));
    return { ...reading, step, steps: groups(steps) };
  };

/** Parts of reveal.js with the same index are shown together. */
const groups = (parts: Element[]) =>
  new Set(parts.map((part) => part.getAttribute('data-fragment-index') ?? part)).size;
