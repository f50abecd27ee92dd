/**
 * How the search of the marketplace reads texts and queries. The stored parts of the search depend on these functions.
 */

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
/** The scripts whose words have no spaces between them, and Hangul, whose words have endings and particles. */
const unspaced = ['Han', 'Hangul', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const UNSPACED = unspaced.map((script) => `\\p{scx=${script}}`).join('');
const PARTS = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');
const UNSPACED_START = new RegExp(`^[${UNSPACED}]`, 'u');

function wordsOf(text: string): string[] {
  const runs = [...fold(text).matchAll(RUNS)].map(([run]) => run);
  return runs.flatMap((run) => run.match(PARTS) ?? []);
}

/**
 * The words of a text, each between two spaces, as `neededFor` expects them. A run of a script without spaces is one
 * word.
 */
export const searchedText = (text: string) => ` ${wordsOf(text).join(' ')} `;

/**
 * The words that a query searches, longest first. A word with which another word of the query begins is left out.
 */
export function wordsOfQuery(query: string): string[] {
  const distinct = [...new Set(wordsOf(query))].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return distinct.filter((word, i) => !distinct.slice(0, i).some((longer) => longer.startsWith(word)));
}

const isUnspaced = (word: string) => UNSPACED_START.test(word);

/**
 * What a searched text contains when it has the word of a query: a word that begins with it, the word itself when it
 * is a single character, and characters of a script without spaces anywhere.
 */
export function neededFor(word: string): string {
  if (isUnspaced(word)) return word;
  return [...word].length === 1 ? ` ${word} ` : ` ${word}`;
}

/** Shorter words are searched as they are: an edit makes another word of them too easily. */
const MIN_FORGIVEN = 5;

/** Whether a search forgives a typing error in the word. */
export const isForgiven = (word: string) => word.length >= MIN_FORGIVEN && !isUnspaced(word);

/** Whether a word of a text differs from the word of a query, or its beginning does, by one typing error. */
export const isNear = (sought: string, word: string) =>
  word.length >= sought.length - 1 && [-1, 0, 1].some((more) => isOneEdit(sought, word.slice(0, sought.length + more)));

/** Whether one character is missing, added or another one, or two neighbours have changed places. */
function isOneEdit(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let [endOfA, endOfB] = [a.length, b.length];
  while (endOfA > start && endOfB > start && a[endOfA - 1] === b[endOfB - 1]) {
    endOfA--;
    endOfB--;
  }
  const [x, y] = [a.slice(start, endOfA), b.slice(start, endOfB)];
  if (x.length <= 1 && y.length <= 1) return true;
  return x.length === 2 && y.length === 2 && x[0] === y[1] && x[1] === y[0];
}
