import { FieldPath } from 'firebase-admin/firestore';
import { z } from 'zod';
import { listingKinds, tokensOf, type Facets } from '../policy/listings';
import { sortKeys, type ListingSort } from '../values/listing-cursor';
import { collection, paths } from './collections';
import { pageOf, type Transaction } from './database';
import { date } from './fields';
import { manifestPointer } from './presentations';

/** A deck's place in the marketplace: what a page of it shows stands in it, so that a page costs no further read. */
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
  /** The version that it shows, whatever becomes of the deck's others. */
  pinned: manifestPointer.extend({ fileCount: z.number().int(), totalBytes: z.number().int() }),
  /** The listings that it descends from, nearest first, under the titles that they had when it was published. */
  lineage: z.array(z.object({ slug: z.string(), title: z.string() })),
  stars: z.number().int(),
  remixCount: z.number().int(),
  viewCount: z.number().int(),
  createdAt: date,
  updatedAt: date,
  /** Since when an operator keeps it shut, and why; `withDeck` when it went down with its deck, and comes back with it. */
  takedown: z.object({ at: date, reason: z.string(), withDeck: z.literal(true).optional() }).nullable(),
  /** When its deck was deleted. What is left holds the slug. */
  deletedAt: date.nullable(),
});
export type Listing = z.output<typeof listing>;

export const listingRef = (slug: string) => collection(paths.listings, listing).doc(slug);

/** What is written beside a listing: the tokens under which it is found (policy/listings), none while it must not be. */
const filtersOf = (of: Facets & Pick<Listing, 'status' | 'takedown' | 'deletedAt'>) =>
  of.status === 'public' && !of.takedown && !of.deletedAt ? tokensOf(of) : [];

export function createListing(tx: Transaction, created: Listing): void {
  tx.create(listingRef(created.slug).withConverter(null), { ...created, filters: filtersOf(created) });
}

/** Changes a listing that the transaction has read, and returns it as it is then. */
export function updateListing(
  tx: Transaction,
  before: Listing,
  changes: Partial<Omit<Listing, 'slug' | 'stars' | 'remixCount' | 'viewCount'>>,
): Listing {
  const after = { ...before, ...changes };
  tx.update(listingRef(before.slug).withConverter(null), { ...changes, filters: filtersOf(after) });
  return after;
}

/** A page of the listings that carry a token, and where the next one begins. One query that reads `limit` + 1 documents. */
export async function listListings(
  token: string,
  sort: ListingSort,
  limit: number,
  after: readonly unknown[] | undefined,
): Promise<{ records: Listing[]; last: Listing | undefined }> {
  let query = collection(paths.listings, listing)
    .where('filters', 'array-contains', token)
    // Their tokens, which may be many, stay where they are.
    .select(...Object.keys(listing.shape)) as FirebaseFirestore.Query<Listing>;
  for (const field of sortKeys[sort]) query = query.orderBy(field, 'desc');
  query = query.orderBy(FieldPath.documentId(), 'desc');
  if (after) query = query.startAfter(...after);
  return pageOf(query, limit);
}
