import { z } from 'zod';
import { FieldPath } from 'firebase-admin/firestore';
import { listingKinds, tokensOf, type Facets } from '../policy/listings';
import { sortKeys, type ListingSort } from '../values/listing-cursor';
import { collection, date, paths } from './collections';
import { pageOf, type Transaction } from './database';
import { manifestPointer } from './presentations';

/** A listing of the marketplace. It holds everything that a page of listings shows, so a page needs no further read. */
export const listing = z.object({
  slug: z.string(),
  presentationId: z.string(),
  ownerId: z.string(),
  organizationId: z.string(),
  title: z.string(),
  description: z.string(),
  kind: z.enum(listingKinds),
  interactive: z.boolean(),
  category: z.string().nullable(),
  tags: z.array(z.string()),
  techStack: z.array(z.string()),
  status: z.enum(['public', 'unlisted']),
  /** The version that the listing shows. Later versions of the deck do not change it. */
  pinned: manifestPointer.extend({ fileCount: z.number().int(), totalBytes: z.number().int() }),
  /** The ancestors of the listing, nearest first, with the titles that they had at the time of publication. */
  lineage: z.array(z.object({ slug: z.string(), title: z.string() })),
  stars: z.number().int(),
  remixCount: z.number().int(),
  viewCount: z.number().int(),
  createdAt: date,
  updatedAt: date,
  /**
   * The time and reason of a takedown by an operator. `withDeck` marks the takedown of the deck, which ends with it.
   */
  takedown: z.object({ at: date, reason: z.string(), withDeck: z.literal(true).optional() }).nullable(),
  /** When the deck was deleted. The document stays, so that the slug is never used for another listing. */
  deletedAt: date.nullable(),
});
export type Listing = z.output<typeof listing>;

export const listingRef = (slug: string) => collection(paths.listings, listing).doc(slug);

/** The stored filter tokens of a listing (policy/listings). Empty while no list may show the listing. */
const filtersOf = (of: Facets & Pick<Listing, 'status' | 'takedown' | 'deletedAt'>) =>
  of.status === 'public' && !of.takedown && !of.deletedAt ? tokensOf(of) : [];

/** Creates a listing with its filter tokens. The transaction fails when the slug is in use. */
export function createListing(tx: Transaction, created: Listing): void {
  tx.create(listingRef(created.slug).withConverter(null), { ...created, filters: filtersOf(created) });
}

/** Updates a listing that the transaction has read, and its filter tokens. Returns the updated listing. */
export function updateListing(
  tx: Transaction,
  before: Listing,
  changes: Partial<Omit<Listing, 'slug' | 'stars' | 'remixCount' | 'viewCount'>>,
): Listing {
  const after = { ...before, ...changes };
  tx.update(listingRef(before.slug).withConverter(null), { ...changes, filters: filtersOf(after) });
  return after;
}

/**
 * The first `limit` listings with a token after the position `after`. `last` is the last of them when more follow. One
 * query that reads at most `limit` + 1 documents.
 */
export async function listListings(
  token: string,
  sort: ListingSort,
  limit: number,
  after: readonly unknown[] | undefined,
): Promise<{ records: Listing[]; last: Listing | undefined }> {
  let query = collection(paths.listings, listing)
    .where('filters', 'array-contains', token)
    // The query leaves out the filter tokens: a listing may have 3 578.
    .select(...Object.keys(listing.shape)) as FirebaseFirestore.Query<Listing>;
  for (const field of sortKeys[sort]) query = query.orderBy(field, 'desc');
  query = query.orderBy(FieldPath.documentId(), 'desc');
  if (after) query = query.startAfter(...after);
  return pageOf(query, limit);
}
