import { z } from 'zod';
import {
  descendantToken,
  listingKinds,
  tokensOf,
  type AncestorState,
  type Facets,
  type ListingId,
} from '../policy/listings';
import { sortKeys, type ListingSort } from '../values/listing-cursor';
import { anyFields, collection, date, paths } from './collections';
import { documentsOf, pageOf, pagesOf, readFields, type Transaction } from './database';
import { setLabel } from './listing-labels';
import { sdk } from './sdk';
import { listingId, manifestPointer } from './presentations';

/** A listing of the marketplace. It holds everything that a page of listings shows, so a page needs no further read. */
export const listing = z.object({
  slug: z.string(),
  /** The number of listings that had the slug one after the other, this one included (decision 24). */
  generation: z.number().int().positive().default(1),
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
  /**
   * The versions that the listing has shown, the present one last (policy/listing-versions). Empty for a listing that
   * was published before this field and has shown no other version since.
   */
  versions: z.array(z.object({ version: z.number().int(), since: date.nullable() })).default([]),
  /**
   * The ancestors of the listing, nearest first, with the titles that they had at the time of publication. Answers
   * name only the ancestors of `namedAncestors`.
   */
  lineage: z.array(
    z.object({ slug: z.string(), generation: z.number().int().positive().default(1), title: z.string() }),
  ),
  /** The listing from which the deck was remixed. Listings that were published before this field do not have it. */
  source: listingId.nullish(),
  stars: z.number().int(),
  remixCount: z.number().int(),
  viewCount: z.number().int(),
  /**
   * Whether a caller other than the owner gave a star, remixed or viewed the listing. Undefined for a listing that was
   * published before this field and not used since: uses before the field are unknown.
   */
  usedByOthers: z.boolean().optional(),
  /**
   * Whether the label of the listing's host name is stored. Undefined for a listing that was published before labels:
   * see marketplace/listing-origins.
   */
  hasLabel: z.boolean().optional(),
  createdAt: date,
  updatedAt: date,
  /**
   * The time and reason of a takedown by an operator. `withDeck` marks the takedown of the deck, which ends with it.
   */
  takedown: z.object({ at: date, reason: z.string(), withDeck: z.literal(true).optional() }).nullable(),
  /** When the deck was deleted. The document stays until another listing may have the slug (decision 24). */
  deletedAt: date.nullable(),
});
export type Listing = z.output<typeof listing>;

export const listingRef = (slug: string) => collection(paths.listings, listing).doc(slug);

/** The stored filter tokens of a listing (policy/listings). Empty while no list may show the listing. */
const filtersOf = (of: Facets & Pick<Listing, 'status' | 'takedown' | 'deletedAt'>) =>
  of.status === 'public' && !of.takedown && !of.deletedAt ? tokensOf(of) : [];

const newRecord = (created: Listing) => ({ ...created, hasLabel: true, filters: filtersOf(created) });

/** Creates a listing with its filter tokens and its label. The transaction fails when the slug is in use. */
export function createListing(tx: Transaction, created: Listing): void {
  tx.create(anyFields(listingRef(created.slug)), newRecord(created));
  setLabel(tx, created.slug);
}

/** Creates a listing in place of the deleted listing that has the slug. The transaction has read that listing. */
export function replaceListing(tx: Transaction, created: Listing): void {
  tx.set(anyFields(listingRef(created.slug)), newRecord(created));
  setLabel(tx, created.slug);
}

/** Notes in a transaction that a caller other than the owner used the listing. */
export function noteUseByOthers(tx: Transaction, { slug, usedByOthers }: Listing): void {
  if (!usedByOthers) tx.update(listingRef(slug), { usedByOthers: true });
}

/** Updates a listing that the transaction has read, and its filter tokens. Returns the updated listing. */
export function updateListing(
  tx: Transaction,
  before: Listing,
  changes: Partial<Omit<Listing, 'slug' | 'generation' | 'stars' | 'remixCount' | 'viewCount'>>,
): Listing {
  const after = { ...before, ...changes };
  tx.update(anyFields(listingRef(before.slug)), { ...changes, filters: filtersOf(after) });
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
    .query()
    .where('filters', 'array-contains', token)
    // The query leaves out the filter tokens: a listing may have 3 578.
    .select(...Object.keys(listing.shape)) as FirebaseFirestore.Query<Listing>;
  for (const field of sortKeys[sort]) query = query.orderBy(field, 'desc');
  query = query.orderBy(sdk().FieldPath.documentId(), 'desc');
  if (after) query = query.startAfter(...after);
  return pageOf(query, limit);
}

const ancestorState = z.object({
  generation: listing.shape.generation,
  takedown: z.object({}).nullable(),
});

/** The state of each listing, by slug. One read of each, in one round trip; the filter tokens are not sent. */
export async function findAncestorStates(slugs: readonly string[]): Promise<Map<string, AncestorState>> {
  const distinct = [...new Set(slugs)];
  const refs = distinct.map((slug) => collection(paths.listings, ancestorState).doc(slug));
  const found = await readFields(refs, Object.keys(ancestorState.shape));
  return new Map(found.flatMap((state, i) => (state ? [[distinct[i]!, state] as const] : [])));
}

/** Whether the listing of a deck, which may be deleted, names a listing with this slug as its source. One read. */
export async function isSource(tx: Transaction, slug: string): Promise<boolean> {
  const query = collection(paths.listings, listing).query().where('source.slug', '==', slug).select('slug').limit(1);
  return !(await tx.get(query)).empty;
}

const listingState = listing.pick({ slug: true, generation: true, status: true, takedown: true });
export type ListingState = z.output<typeof listingState>;

/**
 * The state of each listing; undefined for no slug and for a missing listing. One read of each, in one round trip; the
 * filter tokens are not sent.
 */
export async function findListingStates(
  slugs: readonly (string | null | undefined)[],
): Promise<(ListingState | undefined)[]> {
  const refs = slugs.flatMap((slug) => (slug ? [collection(paths.listings, listingState).doc(slug)] : []));
  const states = (await readFields(refs, Object.keys(listingState.shape))).values();
  return slugs.map((slug) => (slug ? states.next().value : undefined));
}

const remixedListing = listing.pick({ slug: true, generation: true, source: true, deletedAt: true });

/** The listings of decks that were remixed from the listing, those of deleted decks included, in pages. */
export async function* listingsRemixedFrom(source: ListingId): AsyncGenerator<z.output<typeof remixedListing>> {
  const query = collection(paths.listings, remixedListing)
    .query()
    .where('source.slug', '==', source.slug)
    .select(...Object.keys(remixedListing.shape)) as FirebaseFirestore.Query<z.output<typeof remixedListing>>;
  for await (const document of documentsOf(query)) {
    const remix = document.data();
    if (remix.source?.generation === source.generation) yield remix;
  }
}

const ancestry = listing.pick({ lineage: true, createdAt: true });

/** The lineage of each public descendant of a listing, in pages of at most 100. */
export async function* lineagesOfDescendants({ slug, generation }: ListingId): AsyncGenerator<Listing['lineage'][]> {
  const query = collection(paths.listings, ancestry)
    .query()
    .where('filters', 'array-contains', descendantToken(slug, generation))
    .select(...Object.keys(ancestry.shape))
    .orderBy('createdAt', 'desc') as FirebaseFirestore.Query<z.output<typeof ancestry>>;
  for await (const page of pagesOf(query)) yield page.map((document) => document.data().lineage);
}
