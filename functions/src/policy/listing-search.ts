import { sortKeys, type SearchSort } from '../values/listing-cursor';
import { isForgiven, isNear, neededFor, wordsOfQuery } from '../values/search-words';
import { authorToken, filterToken, tokenOf, type ListingFilter } from './listings';
import { facetsOf, type SearchEntry } from './search-entries';

/** What a list of the marketplace shows: the listings that match all of these. */
export interface ListingSearch extends ListingFilter {
  /** Each word of it is a word of the title, the tags, the author's names or the description, or begins one. */
  q?: string | undefined;
  /** The public id of the owner. */
  author?: string | undefined;
}

/** The order of a list that names none. */
export const defaultSort = ({ q }: Pick<ListingSearch, 'q'>): SearchSort => (q === undefined ? 'recent' : 'best');

interface SearchPlan {
  /** Identifies the search in its cursors. */
  name: string;
  /** The token of exactly the listings that match; undefined for a search that reads the parts. */
  token?: string;
}

export function planOfSearch({ q, author, ...filter }: ListingSearch): SearchPlan {
  const { kind, interactive, category, tag, stack } = filter;
  if (q === undefined && author === undefined) return named(filterToken(filter));
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  if (q === undefined && author !== undefined && !hasFilter) return named(authorToken(author));
  const parts = [author, kind, interactive, category, tag, stack].map((value) => value ?? null);
  return { name: tokenOf(['search', q === undefined ? null : wordsOfQuery(q).join(' '), ...parts]) };
}

const named = (token: string) => ({ name: token, token });

/** How well an entry matches: the sum of the weights of the lines in which its words are found first. */
const weights = [8, 4, 2, 1];
/** What an exact match has more than one with a forgiven error. */
const EXACT = 1000;
/** A search with fewer exact matches also forgives typing errors. */
const FEW = 3;
/** The words of listings that stand in for a word with a typing error, at most. */
const MAX_CORRECTIONS = 20;

export interface Hit {
  entry: SearchEntry;
  score: number;
}

/** All entries that match a search, in no order. `vocabulary` has the words of all entries, and may repeat them. */
export function hitsOf(
  entries: () => Iterable<SearchEntry>,
  vocabulary: () => Iterable<string>,
  { q, ...filters }: ListingSearch,
): Hit[] {
  const words = q === undefined ? [] : wordsOfQuery(q);
  if (q !== undefined && words.length === 0) return [];
  const lines = facetsOf({ ...filters }).map((facet) => `\n${facet}\n`);
  const exact = words.map((word) => [neededFor(word)]);
  const hits = matches(entries(), lines, exact, EXACT);
  if (hits.length >= FEW || !words.some(isForgiven)) return hits;
  const near = nearWords(words.filter(isForgiven), vocabulary());
  const forgiving = words.map((word, i) => [...exact[i]!, ...(near.get(word) ?? []).map((other) => ` ${other} `)]);
  const found = new Set(hits.map(({ entry }) => entry.slug));
  return [...hits, ...matches(entries(), lines, forgiving, 0).filter(({ entry }) => !found.has(entry.slug))];
}

/** The entries with all lines of `facets`, and with one of the texts of each of `words`. */
function matches(
  entries: Iterable<SearchEntry>,
  facets: readonly string[],
  words: readonly (readonly string[])[],
  base: number,
): Hit[] {
  const hits: Hit[] = [];
  for (const entry of entries) {
    if (!facets.every((line) => entry.facets.includes(line))) continue;
    let score = base;
    const isMatch = words.every((texts) => {
      const at = firstOf(entry.words, texts);
      if (at >= 0) score += weightAt(entry.words, at);
      return at >= 0;
    });
    if (isMatch) hits.push({ entry, score });
  }
  return hits;
}

function firstOf(words: string, texts: readonly string[]): number {
  let first = -1;
  for (const text of texts) {
    const at = words.indexOf(text);
    if (at >= 0 && (first < 0 || at < first)) first = at;
  }
  return first;
}

function weightAt(words: string, at: number): number {
  let line = 0;
  for (let end = words.indexOf('\n'); end >= 0 && end < at; end = words.indexOf('\n', end + 1)) line++;
  return weights[line]!;
}

/** The words that each of `sought` may mean, with a typing error. */
function nearWords(sought: readonly string[], vocabulary: Iterable<string>): Map<string, string[]> {
  const near = new Map(sought.map((word) => [word, new Set<string>()]));
  for (const word of vocabulary) {
    for (const [each, found] of near) if (found.size < MAX_CORRECTIONS && isNear(each, word)) found.add(word);
  }
  return new Map([...near].map(([word, found]) => [word, [...found]]));
}

/** The first `count` hits of an order, after the position of a cursor. */
export function firstHits(
  hits: readonly Hit[],
  sort: SearchSort,
  count: number,
  after: readonly (number | Date | string)[] | undefined,
): Hit[] {
  const first: Hit[] = [];
  for (const hit of hits) {
    if (after && comparePosition(sort, hit, after) <= 0) continue;
    if (first.length === count && compare(sort, hit, first.at(-1)!) > 0) continue;
    let at = first.length;
    while (at > 0 && compare(sort, hit, first[at - 1]!) < 0) at--;
    first.splice(at, 0, hit);
    if (first.length > count) first.pop();
  }
  return first;
}

const valueOf = ({ entry, score }: Hit, key: (typeof sortKeys)[SearchSort][number]) =>
  key === 'score' ? score : entry[key];

/** Negative when `a` comes before `b`. */
function compare(sort: SearchSort, a: Hit, b: Hit): number {
  for (const key of sortKeys[sort]) {
    const difference = valueOf(b, key) - valueOf(a, key);
    if (difference !== 0) return difference;
  }
  return a.entry.slug < b.entry.slug ? 1 : -1;
}

/** Positive when the hit comes after the position, 0 when it is there. */
function comparePosition(sort: SearchSort, hit: Hit, position: readonly (number | Date | string)[]): number {
  for (const [i, key] of sortKeys[sort].entries()) {
    const difference = Number(position[i]) - valueOf(hit, key);
    if (difference !== 0) return difference;
  }
  const slug = position.at(-1) as string;
  return hit.entry.slug === slug ? 0 : hit.entry.slug < slug ? 1 : -1;
}
