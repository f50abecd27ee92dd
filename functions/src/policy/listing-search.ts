import { hasWords, wordsOfQuery } from '../values/search-words';
import {
  authorIdOf,
  authorToken,
  filterToken,
  tokenOf,
  wordsOfListing,
  wordToken,
  type Facets,
  type ListingFilter,
} from './listings';

/** What a list of the marketplace shows: the listings that match all of these. */
export interface ListingSearch extends ListingFilter {
  /** Each word of it is a word of the title, of the description or of a tag, or the beginning of one. */
  q?: string | undefined;
  /** The public id of the owner. */
  author?: string | undefined;
}

/** The fields of a listing that a search compares. */
type Searched = Omit<Facets, 'lineage'>;

/** How a search is answered (docs/decisions.md, The search uses tokens of prefixes). */
interface SearchPlan {
  /** Identifies the search in its cursors. */
  name: string;
  /**
   * Each listing that matches has all of these tokens. With one token, each listing with the token matches. Empty for a
   * text without a letter or digit, which matches nothing. At most 6.
   */
  tokens: readonly string[];
  isMatch: (listing: Searched) => boolean;
}

/** The numbers of listings with a token that a search compares, at most. */
const MAX_TOKENS = 6;

export function planOfSearch({ q, author, ...filter }: ListingSearch): SearchPlan {
  const words = q === undefined ? [] : wordsOfQuery(q);
  const { kind, interactive, category, tag, stack } = filter;
  const isFilteredByMore = [interactive, category, tag, stack].some((value) => value !== undefined);
  // The tokens of words include the kind.
  const byFilter = isFilteredByMore || (kind !== undefined && words.length === 0) ? [filterToken(filter)] : [];
  const byAuthor = author === undefined ? [] : [authorToken(author)];
  const tokens = [...byAuthor, ...byFilter, ...words.map((word) => wordToken(word, kind))];
  if (tokens.length === 0 && q === undefined) tokens.push(filterToken({}));
  return {
    name: tokens.length === 1 ? tokens[0]! : tokenOf(['search', ...tokens]),
    tokens: tokens.slice(0, MAX_TOKENS),
    isMatch: (listing) =>
      (author === undefined || author === authorIdOf(listing.ownerId)) &&
      isInFilter(listing, filter) &&
      hasWords(wordsOfListing(listing), words),
  };
}

function isInFilter(listing: Searched, { kind, interactive, category, tag, stack }: ListingFilter): boolean {
  return (
    (kind === undefined || listing.kind === kind) &&
    (interactive === undefined || listing.interactive === interactive) &&
    (category === undefined || listing.category === category) &&
    (tag === undefined || listing.tags.includes(tag)) &&
    (stack === undefined || listing.techStack.includes(stack))
  );
}
