import { z } from 'zod';
import { LAST_MOMENT_MS } from './cursor';
import { isSlug } from './slugs';

/** The orders in which the database lists listings. */
export const listingSorts = ['recent', 'popular', 'week', 'stars'] as const;
export type ListingSort = (typeof listingSorts)[number];

/** The orders of a search: also the best matches first. */
export const searchSorts = ['best', ...listingSorts] as const;
export type SearchSort = (typeof searchSorts)[number];

/** The fields of each order, all descending. Listings with equal fields are ordered by slug, descending. */
export const sortKeys = {
  best: ['score', 'createdAt'],
  recent: ['createdAt'],
  popular: ['remixerCount', 'createdAt'],
  week: ['weekRemixerCount', 'createdAt'],
  stars: ['stars', 'createdAt'],
} as const satisfies Record<SearchSort, readonly string[]>;

/** The fields of a listing that an order uses. */
type Position<S extends SearchSort> = { slug: string } & Record<(typeof sortKeys)[S][number], number | Date>;

/**
 * A time in milliseconds, up to the last that Firestore can store, or a count. The count of a listing may be negative
 * until its counter shards are folded: a star may be added in a shard and removed in the listing.
 */
const sortKey = z.int().max(LAST_MOMENT_MS);
const cursorContent = z.tuple([z.string(), z.array(sortKey), z.string().refine(isSlug)]);

const keysOf = <S extends SearchSort>(sort: S, listing: Position<S>): number[] =>
  sortKeys[sort].map((key: (typeof sortKeys)[S][number]) => Number(listing[key]));

const START = 'start';

/** The cursor of the first page of a list. */
export const startCursor = (token: string, sort: SearchSort) =>
  encoded(
    token,
    sort,
    sortKeys[sort].map(() => LAST_MOMENT_MS),
    START,
  );

/**
 * The opaque cursor of the position after a listing, made from the sort fields that the listing has now. The cursor
 * stays valid when the listing moves in the order or is deleted. It is valid for one list only: the same filters (their
 * token) and the same sort.
 */
export const writeListingCursor = <S extends SearchSort>(token: string, sort: S, listing: Position<S>): string =>
  encoded(token, sort, keysOf(sort, listing), listing.slug);

const encoded = (token: string, sort: SearchSort, keys: readonly number[], slug: string) =>
  Buffer.from(JSON.stringify([`${sort}.${token}`, keys, slug])).toString('base64url');

/**
 * The sort keys and the slug after which a page begins. Undefined for text that `writeListingCursor` did not make for
 * the same token and sort.
 */
export function readListingCursor(
  token: string,
  sort: SearchSort,
  cursor: string,
): (number | Date | string)[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
  const { data: [list, keys, slug] = [] } = cursorContent.safeParse(json);
  if (!keys || !slug || list !== `${sort}.${token}` || keys.length !== sortKeys[sort].length) return undefined;
  if (keys.at(-1)! < 0) return undefined;
  return [...keys.map((value, i) => (sortKeys[sort][i] === 'createdAt' ? new Date(value) : value)), slug];
}
