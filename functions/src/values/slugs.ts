import { randomInt } from 'node:crypto';

const MIN_LENGTH = 3;
const MAX_LENGTH = 80;
const pattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Words that are paths of the marketplace pages, or may become paths. */
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

/** Whether the text has the shape of a slug. Reserved words have the shape too. */
export const isSlug = (text: string) => text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && pattern.test(text);

/** Why a publisher may not choose the slug, or undefined for an allowed slug. */
export function slugProblem(slug: string): string | undefined {
  if (!isSlug(slug)) {
    return `A slug is ${MIN_LENGTH} to ${MAX_LENGTH} characters: lowercase words of a-z and 0-9 with a hyphen between them.`;
  }
  return reserved.has(slug) ? 'This slug is reserved.' : undefined;
}

const SUFFIX_LENGTH = 6;
const SUFFIX_DIGITS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** The words of a text in Latin letters: a-z and 0-9 with a hyphen between them. May be empty. */
export async function latinWords(text: string): Promise<string> {
  // Loaded at the first call: few functions need the tables of this package.
  const { transliterate } = await import('transliteration');
  return transliterate(text)
    .toLowerCase()
    .replace(/['’`]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/**
 * Slugs for a title, in the order in which to try them: the words of the title in Latin letters, when they make an
 * allowed slug, then the same words with a random suffix. A title of any script has the second one.
 */
export async function slugsFor(title: string): Promise<string[]> {
  const words = shorten(await latinWords(title));
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => SUFFIX_DIGITS[randomInt(SUFFIX_DIGITS.length)]).join('');
  const withSuffix = `${words || 'deck'}-${suffix}`;
  return slugProblem(words) === undefined ? [words, withSuffix] : [withSuffix];
}

/** Cuts at a hyphen where there is one, so that a random suffix fits. */
function shorten(words: string): string {
  const length = MAX_LENGTH - SUFFIX_LENGTH - 1;
  if (words.length <= length) return words;
  const cut = words.lastIndexOf('-', length);
  return words.slice(0, cut > 0 ? cut : length);
}
