import { z } from 'zod';
import { LAST_MOMENT_MS } from './cursor';
import { isSlug } from './slugs';

/** What lists of listings are sorted by. */
export const listingSorts = ['recent', 'popular', 'stars'] as const;
export type ListingSort = (typeof listingSorts)[number];

/** Listings are sorted by these, the largest first; what is equal is told apart by what was published later, and at last by the slug. */
export const sortKeys = {
  recent: ['createdAt'],
  popular: ['remixCount', 'createdAt'],
  stars: ['stars', 'createdAt'],
} as const satisfies Record<ListingSort, readonly (keyof Position)[]>;

/** Where a listing stands in every order. */
interface Position {
  slug: string;
  createdAt: Date;
  stars: number;
  remixCount: number;
}

/** Milliseconds up to the last moment that Firestore knows, and counts: one that is being added up may be below zero for a minute. */
const key = z.int().max(LAST_MOMENT_MS);
const text = z.tuple([z.string(), z.array(key), z.string().refine(isSlug)]);

/**
 * The opaque text of the place behind a listing in a list, by the values that it has now: the place stays when the listing moves or goes. It fits
 * that list alone, of those filters (their token) and that sort.
 */
export function writeListingCursor(token: string, sort: ListingSort, listing: Position): string {
  const keys = sortKeys[sort].map((key) => Number(listing[key]));
  return Buffer.from(JSON.stringify([`${sort}.${token}`, keys, listing.slug])).toString('base64url');
}

/** The sort keys and the slug behind which a page begins; undefined for what `writeListingCursor` did not write for that very list. */
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
  const { data: [list, keys, slug] = [] } = text.safeParse(json);
  if (!keys || !slug || list !== `${sort}.${token}` || keys.length !== sortKeys[sort].length) return undefined;
  if (keys.at(-1)! < 0) return undefined;
  return [...keys.map((value, i) => (sortKeys[sort][i] === 'createdAt' ? new Date(value) : value)), slug];
}
