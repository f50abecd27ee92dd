import { z } from 'zod';
import { LAST_MOMENT_MS } from './cursor';
import { isSlug } from './slugs';

/** The orders in which listings can be listed. */
export const listingSorts = ['recent', 'popular', 'week', 'stars'] as const;
export type ListingSort = (typeof listingSorts)[number];

/** The fields of each order, all descending. Listings with equal fields are ordered by slug, descending. */
export const sortKeys = {
  recent: ['createdAt'],
  popular: ['remixCount', 'createdAt'],
  week: ['weekRemixCount', 'createdAt'],
  stars: ['stars', 'createdAt'],
} as const satisfies Record<ListingSort, readonly (keyof Position)[]>;

/** The fields of a listing that any order uses. */
interface Position {
  slug: string;
  createdAt: Date;
  stars: number;
  remixCount: number;
  weekRemixCount: number;
}

/**
 * A time in milliseconds, up to the last that Firestore can store, or a count. The count of a listing may be negative
 * until its counter shards are folded: a star may be added in a shard and removed in the listing.
 */
const sortKey = z.int().max(LAST_MOMENT_MS);
const cursorContent = z.tuple([z.string(), z.array(sortKey), z.string().refine(isSlug)]);

/** The position of a listing in an order: its sort keys and its slug. */
export const positionOf = (sort: ListingSort, listing: Position): (number | Date | string)[] => [
  ...sortKeys[sort].map((key) => listing[key]),
  listing.slug,
];

/**
 * The opaque cursor of the position after a listing, made from the sort fields that the listing has now. The cursor
 * stays valid when the listing moves in the order or is deleted. It is valid for one list only: the same filters (their
 * token) and the same sort.
 */
export function writeListingCursor(token: string, sort: ListingSort, listing: Position): string {
  const keys = sortKeys[sort].map((key) => Number(listing[key]));
  return Buffer.from(JSON.stringify([`${sort}.${token}`, keys, listing.slug])).toString('base64url');
}

/**
 * The sort keys and the slug after which a page begins. Undefined for text that `writeListingCursor` did not make for
 * the same token and sort.
 */
export function readListingCursor(
  token: string,
  sort: ListingSort,
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
