/** How the search of the marketplace reads texts and queries. Stored listings depend on these functions. */

/** Vowel points of Hebrew and Arabic, and the accents that NFKD separates from letters of other scripts. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;
/** Letters with a stroke or a ligature, which NFKD does not separate. `toLowerCase` leaves ß and the final ς. */
const letters: Record<string, string> = {
  ß: 'ss',
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
};
const SPECIAL_LETTERS = new RegExp(`[${Object.keys(letters).join('')}]`, 'g');

/** The text without differences of case, of accents and of the width of characters. */
function fold(text: string): string {
  const plain = text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase();
  return plain.replace(SPECIAL_LETTERS, (letter) => letters[letter]!);
}

const RUNS = /[\p{L}\p{N}\p{M}]+/gu;
/** The scripts whose words have no spaces between them. */
const unspaced = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const UNSPACED = unspaced.map((script) => `\\p{scx=${script}}`).join('');
const PARTS = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');
const isUnspaced = new RegExp(`^[${UNSPACED}]`, 'u');

/** Words are compared by so many characters. */
const MAX_LENGTH = 16;
/** A search for one character finds whole words only. */
const MIN_PREFIX = 2;

function* partsOf(text: string): Generator<{ characters: string[]; isSpaced: boolean }> {
  for (const [run] of fold(text).matchAll(RUNS)) {
    for (const [part] of run.matchAll(PARTS)) yield { characters: [...part], isSpaced: !isUnspaced.test(part) };
  }
}

const pairsOf = (characters: readonly string[]) =>
  characters.slice(1).map((character, i) => `${characters[i]}${character}`);

const cut = (characters: readonly string[]) => characters.slice(0, MAX_LENGTH).join('');

/**
 * The distinct words of a text. A text of a script without spaces has its characters and its pairs of neighbouring
 * characters as words.
 */
export function wordsOf(text: string): Set<string> {
  const words = [...partsOf(text)].flatMap(({ characters, isSpaced }) =>
    isSpaced ? [cut(characters)] : [...characters, ...pairsOf(characters)],
  );
  return new Set(words);
}

/**
 * The words that a query searches, longest first. Two characters of a script without spaces must be neighbours. A word
 * with which another word of the query begins is left out.
 */
export function wordsOfQuery(query: string): string[] {
  const words = [...partsOf(query)].flatMap(({ characters, isSpaced }) =>
    isSpaced || characters.length === 1 ? [cut(characters)] : pairsOf(characters),
  );
  const distinct = [...new Set(words)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return distinct.filter((word, i) => !distinct.slice(0, i).some((longer) => isFound(word, longer)));
}

/** Whether a word of a query finds this word of a text. */
const isFound = (sought: string, word: string) =>
  word === sought || (word.startsWith(sought) && [...sought].length >= MIN_PREFIX);

/** Whether every word of a query finds a word of a text. */
export const hasWords = (words: ReadonlySet<string>, sought: readonly string[]) =>
  sought.every((each) => words.has(each) || [...words].some((word) => isFound(each, word)));

/** What a word of a query must be to find this word: the word itself, or its first characters. */
export function prefixesOf(word: string): string[] {
  const characters = [...word];
  const lengths = characters.slice(MIN_PREFIX).map((_, i) => i + MIN_PREFIX);
  return [...lengths.map((length) => characters.slice(0, length).join('')), word];
}
