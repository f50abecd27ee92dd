import { list } from '../../support/marketplace';
import type { Page } from '../../support/marketplace';
import { succeed, world } from '../../support/world';

/** Reads the lists of the marketplace page by page. */

export type Query = Record<string, string>;
export const slugsOf = ({ listings }: Page) => listings.map(({ slug }) => slug);
export const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
/** The slugs of all pages from `cursor` on. */
export async function allPages(query: Query, cursor: string | null = null): Promise<string[]> {
  const found = await succeed(list({ ...query, ...(cursor !== null && { cursor }) }));
  return [...slugsOf(found), ...(found.nextCursor === null ? [] : await allPages(query, found.nextCursor))];
}

export const costOf = async (query: Query) => {
  const { calls, documentReads, documentWrites } = await world.costOf(() => succeed(list(query)));
  return [calls, documentReads, documentWrites];
};
