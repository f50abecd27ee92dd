import { cut, type Named } from './names';

const MAX_KEY = 90;

/** The slide that a deck shows. Positions and steps count from 0. */
export interface Slide {
  /** At most 100 characters. Another version of the deck has the same key for the same slide. */
  key: string;
  /** At most 200 characters; empty when there is none. */
  title: string;
  index: number;
  /** How many slides there are. Null when the page does not show it. */
  count: number | null;
  step?: number | undefined;
  /** How many steps follow the first view of the slide. */
  steps?: number | undefined;
}

/** What an adapter reads: all slides in their order, and which of them is shown. */
export interface Reading {
  slides: readonly Named[];
  index: number;
  step?: number | undefined;
  steps?: number | undefined;
}

/**
 * Reads the slide that is shown. Undefined while the page is not a deck of the adapter's tool, or shows no slide yet.
 * It may throw.
 */
export type Adapter = () => Reading | Slide | undefined;

/** Names the slide by the id of its author, else by its title, else by its position. Equal names are numbered. */
export function slideOf({ slides, index, step, steps }: Reading): Slide {
  const times = new Map<string, number>();
  let key = '';
  for (let i = 0; i <= index; i++) {
    const { id, title } = slides[i]!;
    const name = cut(id ? `#${id}` : title || `#${i + 1}`, MAX_KEY);
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    key = time > 1 ? `${name} #${time}` : name;
  }
  return { key, title: slides[index]!.title, index, count: slides.length, step, steps };
}
