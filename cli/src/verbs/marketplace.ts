import { isFailure, usageFailure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { isSlug, SLUG_HINT } from '../../../client/src/slugs';
import type { ReportReason } from '../listing-choices';

export type ListingRow = Contract['listMarketplaceListings']['answer']['listings'][number];
export type ListingDetail = Contract['getMarketplaceListing']['answer'];
type Listings = { listings: ListingRow[]; isComplete: boolean };

export interface ListingFilter {
  /** Each of them is a word of the title, the tags, the author’s name or the description, or the beginning of one. */
  words?: readonly string[];
  kind?: string | undefined;
  tag?: string | undefined;
  stack?: string | undefined;
  /** The public id of an author. */
  author?: string | undefined;
  category?: string | undefined;
  sort?: string | undefined;
  limit: number;
}

const PAGE_SIZE = 100;
/** A page of a search may have no listings although others follow. The client asks for so many at most. */
const MAX_PAGES = 10;

/**
 * The first listings of the marketplace that match, at most `limit`. `isComplete` tells whether there are no others.
 */
export async function searchListings(service: DeckService, filter: ListingFilter): Promise<Listings> {
  const { words = [], limit, ...others } = filter;
  const q = words.join(' ').trim() || undefined;
  const query = { ...definedOf({ q, ...others }), limit: String(Math.min(PAGE_SIZE, limit)) };
  const nextPage = (cursor: string | undefined) =>
    service.get('listMarketplaceListings', { ...query, ...(cursor !== undefined && { cursor }) });
  return collect(nextPage, ({ listings }) => listings, limit);
}

/** The public listings that were remixed from a listing, newest first, at most `limit`. */
export async function listRemixes(
  service: DeckService,
  { slug, limit }: { slug: string; limit: number },
): Promise<Listings> {
  const nextPage = (cursor: string | undefined) =>
    ofListing(slug, () => service.get('listMarketplaceRemixes', { slug, ...(cursor !== undefined && { cursor }) }));
  return collect(nextPage, ({ remixes }) => remixes, limit);
}

export async function readListing(service: DeckService, { slug }: { slug: string }): Promise<ListingDetail> {
  return ofListing(slug, () => service.get('getMarketplaceListing', { slug }));
}

export async function starListing(
  service: DeckService,
  { slug, isStarred }: { slug: string; isStarred: boolean },
): Promise<{ slug: string; starred: boolean; stars: number }> {
  return ofListing(slug, () =>
    service.post(isStarred ? 'starMarketplaceListing' : 'unstarMarketplaceListing', { slug }),
  );
}

/** Reports a listing to the operator of the service. With a key it counts as the report of an account. */
export async function reportListing(
  service: DeckService,
  input: { slug: string; reason: ReportReason; details?: string | undefined },
): Promise<{ slug: string; reported: true }> {
  return ofListing(input.slug, () => service.post('reportMarketplaceListing', input));
}

async function collect<P extends { nextCursor: string | null }>(
  nextPage: (cursor: string | undefined) => Promise<P>,
  rowsOf: (page: P) => ListingRow[],
  limit: number,
): Promise<Listings> {
  const listings: ListingRow[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && listings.length < limit; pages++) {
    const page = await nextPage(cursor);
    listings.push(...rowsOf(page));
    if (page.nextCursor === null) return { listings: listings.slice(0, limit), isComplete: listings.length <= limit };
    cursor = page.nextCursor;
  }
  return { listings: listings.slice(0, limit), isComplete: false };
}

const definedOf = (fields: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined));

async function ofListing<T>(slug: string, call: () => Promise<T>): Promise<T> {
  if (!isSlug(slug)) throw usageFailure(`"${slug}" is not a slug.`, SLUG_HINT);
  try {
    return await call();
  } catch (error) {
    throw isFailure(error, 'not-found')
      ? error.with({ message: `There is no listing ${slug}.`, nextAction: SLUG_HINT })
      : error;
  }
}
