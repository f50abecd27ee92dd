import { firstHits, hitsOf, planOfSearch, type ListingSearch } from '../policy/listing-search';
import { findListed } from '../records/listings';
import { startCursor, writeListingCursor, type SearchSort } from '../values/listing-cursor';
import { findListings, readCursor, withRows, type FoundListings } from './listings';
import { readIndex } from './search-index';

/**
 * A page of the listings that match a search. Only while this instance has not read the whole search index is the page
 * empty although listings may follow: then `nextCursor` continues. Throws invalid-argument when `cursor` is not a
 * cursor of this search.
 */
export async function searchListings(
  search: ListingSearch,
  sort: SearchSort,
  limit: number,
  cursor: string | undefined,
): Promise<FoundListings> {
  const { name, token } = planOfSearch(search);
  // The listings of a token match alike.
  if (token !== undefined) return findListings(token, sort === 'best' ? 'recent' : sort, limit, cursor);

  const after = readCursor(name, sort, cursor);
  const index = await readIndex();
  if (!index) return { listings: [], nextCursor: cursor ?? startCursor(name, sort) };
  const found = firstHits(hitsOf(index.entries, index.vocabulary, search), sort, limit + 1, after);
  const page = found.slice(0, limit);
  const listings = new Map((await findListed(page.map(({ entry }) => entry.slug))).map((each) => [each.slug, each]));
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    listings: page.flatMap(({ entry }) => listings.get(entry.slug) ?? []),
    nextCursor: last ? writeListingCursor(name, sort, { ...last.entry, score: last.score }) : null,
  };
}

/** Searches like `searchListings`, for rows of an answer. */
export const searchPage = async (...search: Parameters<typeof searchListings>) =>
  withRows(await searchListings(...search));
