import { randomInt } from 'node:crypto';

const MIN_LENGTH = 3;
const MAX_LENGTH = 80;
const PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Words that are, or may become, addresses of the marketplace's own. */
const reserved = new Set(
  [
    'about account admin api app apps assets auth browse categories category collections contact dashboard deck decks',
    'docs edit explore featured feed help home index kinds legal licenses listing listings login logout marketplace me',
    'new null pages plan plans policies popular presentation presentations pricing privacy publish recent remix',
    'remixes report robots rss search settings share signin signout signup sitemap stack stacks starred stars static status',
    'support tag tags takedown terms top trending undefined unlisted user users view www',
  ]
    .join(' ')
    .split(' '),
);

/** Whether a listing can have that slug; what has another shape exists nowhere. */
export const isSlug = (text: string) => text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && PATTERN.test(text);

/** What is wrong with a slug that somebody chose, or undefined. */
export function slugProblem(slug: string): string | undefined {
  if (!isSlug(slug)) {
    return `A slug is ${MIN_LENGTH} to ${MAX_LENGTH} characters: lowercase words of a-z and 0-9 with a hyphen between them.`;
  }
  return reserved.has(slug) ? 'This slug is reserved.' : undefined;
}

const SUFFIX_LENGTH = 6;
const SUFFIX_DIGITS = 'abcdefghijkmnpqrstuvwxyz23456789';

/**
 * Slugs for a title, to be tried in this order: its words in Latin letters where that makes a slug, and the same with a random end,
 * which a title of any script has.
 */
export async function slugsFor(title: string): Promise<string[]> {
  // A megabyte of tables that no other call needs.
  const { transliterate } = await import('transliteration');
  const words = shorten(
    transliterate(title)
      .toLowerCase()
      .replace(/['’`]/g, '')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, ''),
  );
  const end = Array.from({ length: SUFFIX_LENGTH }, () => SUFFIX_DIGITS[randomInt(SUFFIX_DIGITS.length)]).join('');
  const ended = `${words || 'deck'}-${end}`;
  return slugProblem(words) === undefined ? [words, ended] : [ended];
}

/** Whole words, with room for an end. */
function shorten(words: string): string {
  const length = MAX_LENGTH - SUFFIX_LENGTH - 1;
  if (words.length <= length) return words;
  const cut = words.lastIndexOf('-', length);
  return words.slice(0, cut > 0 ? cut : length);
}
