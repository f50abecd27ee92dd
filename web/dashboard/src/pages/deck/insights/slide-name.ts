import { words } from '../../../words/en';

/** The title of a slide, or else its number or its id, which its key has: a reader may have skipped those before it. */
export function slideName({ key, title }: { key: string; title: string }): string {
  const number = /^#(\d+)$/.exec(key)?.[1];
  return title || (number ? words.insights.untitled(Number(number)) : key);
}
