import type { z } from 'zod';
import type { listingRow } from '../contract/listings';
import { planOfSearch, type ListingSearch } from '../policy/listing-search';
import { listListings, rarestToken, type Listing } from '../records/listings';
import { positionOf, writeListingCursor, type ListingSort } from '../values/listing-cursor';
import { pageOfListings, readCursor, rowsOf } from './listings';

interface Page {
  rows: z.output<typeof listingRow>[];
  nextCursor: string | null;
}

/** The listings that one call examines when one token does not decide the search, at most. */
const BATCH = 100;
const MAX_BATCHES = 2;

/**
 * A page of the listings that match a search. The page may have fewer listings than `limit`, or none, although others
 * follow: then `nextCursor` continues. Throws invalid-argument when `cursor` is not a cursor of this search.
 */
export async function searchPage(
  search: ListingSearch,
  sort: ListingSort,
  limit: number,
  cursor: string | undefined,
): Promise<Page> {
  const { name, tokens, isMatch } = planOfSearch(search);
  const after = readCursor(name, sort, cursor);
  const [only, ...others] = tokens;
  if (only === undefined) return { rows: [], nextCursor: null };
  if (others.length === 0) return pageOfListings(only, sort, limit, cursor);

  const token = await rarestToken(tokens, sort, after);
  const found: Listing[] = [];
  let last: Listing | undefined;
  let position = after;
  for (let batch = 0; batch < MAX_BATCHES && found.length <= limit; batch++) {
    const examined = await listListings(token, sort, BATCH, position);
    found.push(...examined.records.filter(isMatch));
    last = examined.last;
    if (!last) break;
    position = positionOf(sort, last);
  }
  const rows = found.slice(0, limit);
  const end = found.length > limit ? rows.at(-1) : last;
  return { rows: await rowsOf(rows), nextCursor: end ? writeListingCursor(name, sort, end) : null };
}
