import { searchedText } from '../values/search-words';
import { authorIdOf, type Facets } from './listings';

/** A listing in the parts of the search (docs/decisions.md, The search reads parts). */
export interface SearchEntry {
  slug: string;
  /** Milliseconds. */
  createdAt: number;
  stars: number;
  remixerCount: number;
  weekRemixerCount: number;
  /** The values of its filters, each on a line. */
  facets: string;
  /** The searched texts of title, tags, author and description, each on a line. */
  words: string;
}

interface Searched extends Omit<Facets, 'lineage'>, Omit<SearchEntry, 'createdAt' | 'facets' | 'words'> {
  title: string;
  description: string;
  createdAt: Date;
}

export function entryOf(listing: Searched, authorNames: readonly string[]): SearchEntry {
  const { slug, createdAt, stars, remixerCount, weekRemixerCount, title, tags, description } = listing;
  const { ownerId, kind, interactive, category, techStack } = listing;
  const values = [
    ...facetsOf({ kind, interactive, category: category ?? undefined, author: authorIdOf(ownerId) }),
    ...tags.flatMap((tag) => facetsOf({ tag })),
    ...techStack.flatMap((stack) => facetsOf({ stack })),
  ];
  const texts = [title, tags.join(' '), authorNames.join(' '), description];
  return {
    slug,
    createdAt: createdAt.getTime(),
    stars,
    remixerCount,
    weekRemixerCount,
    facets: `\n${values.join('\n')}\n`,
    words: texts.map(searchedText).join('\n'),
  };
}

/** The line of the author's names in the words of an entry. */
const AUTHOR_LINE = 2;

/** The entry with the author's names of another entry of the same listing. */
export function withAuthorOf(entry: SearchEntry, other: SearchEntry): SearchEntry {
  const names = other.words.split('\n')[AUTHOR_LINE]!;
  return { ...entry, words: entry.words.split('\n').with(AUTHOR_LINE, names).join('\n') };
}

/** The line of each of these filters in the facets of an entry. */
export const facetsOf = (filters: Record<string, string | boolean | undefined>) =>
  Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [`${name}:${value}`]));
