import type { Query } from 'firebase-admin/firestore';
import { z } from 'zod';
import {
  authorIdOf,
  authorToken,
  descendantToken,
  listingKinds,
  tokensOf,
  type AncestorState,
  type Facets,
  type ListingId,
} from '../policy/listings';
import { lastDays } from '../policy/listing-week';
import { listingSummary } from '../rows/listings';
import { sortKeys, type ListingSort } from '../values/listing-cursor';
import { anyFields, collection, date, paths } from './collections';
import { documentsOf, idsOf, pageOf, pagesOf, readFields, type Transaction } from './database';
import { addEvent, changedFrom } from './events';
import { setLabel } from './listing-labels';
import { db, sdk } from './sdk';
import { transact } from './transact';
import { listingId, madePicture, manifestPointer } from './presentations';

/** A listing of the marketplace. It holds everything that a page of listings shows, so a page needs no further read. */
export const listing = z.object({
  slug: z.string(),
  /** The number of listings that had the slug one after the other, this one included. */
  generation: z.number().int().positive(),
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
  /** The versions that the listing has shown, the present one last (policy/listing-versions). */
  versions: z.array(z.object({ version: z.number().int(), since: date })),
  /**
   * The ancestors of the listing, nearest first, with the titles that they had at the time of publication. Answers
   * name only the ancestors of `namedAncestors`.
   */
  lineage: z.array(z.object({ slug: z.string(), generation: z.number().int().positive(), title: z.string() })),
  /** The listing from which the deck was remixed. */
  source: listingId.nullable(),
  /** How many files of the source the shown version of a remix changed; null for a deck that is not a remix. */
  changes: z.object({ added: z.number().int(), changed: z.number().int(), removed: z.number().int() }).nullable(),
  stars: z.number().int(),
  remixCount: z.number().int(),
  viewCount: z.number().int(),
  /** The users other than the owner who have remixed the listing. `remixCount` counts signals that anybody can send. */
  remixerCount: z.number().int(),
  /** Those of the last 7 days. `countWeek` brings it up to date once a day. */
  weekRemixerCount: z.number().int(),
  /** The new remixers of each of these days, by `dayKey`. */
  remixerDays: z.record(z.string(), z.number().int()),
  /**
   * The picture of the version that the listing shows; null for a version without one that pages can show. Undefined
   * until a job made it.
   */
  picture: madePicture.nullish(),
  /** Whether a caller other than the owner gave a star, remixed or viewed the listing. */
  usedByOthers: z.boolean(),
  createdAt: date,
  updatedAt: date,
  /**
   * The time and reason of a takedown by an operator. `withDeck` marks the takedown of the deck, which ends with it.
   */
  takedown: z.object({ at: date, reason: z.string(), withDeck: z.literal(true).optional() }).nullable(),
  /** When the deck was deleted. The document stays until another listing may have the slug. */
  deletedAt: date.nullable(),
  /** Whether the search part of the listing does not have the last change yet. */
  unindexed: z.literal(true).optional(),
  /** The number of the search part that has the listing. */
  searchPart: z.int().optional(),
});
export type Listing = z.output<typeof listing>;

export const listingRef = (slug: string) => collection(paths.listings, listing).doc(slug);

/** Whether lists may show the listing. */
export const isListed = ({ status, takedown, deletedAt }: Pick<Listing, 'status' | 'takedown' | 'deletedAt'>) =>
  status === 'public' && !takedown && !deletedAt;

/** The stored filter tokens of a listing (policy/listings). Empty while no list may show the listing. */
const filtersOf = (of: Facets & Pick<Listing, 'status' | 'takedown' | 'deletedAt'>) =>
  isListed(of) ? tokensOf(of) : [];

const newRecord = (created: Listing) => ({ ...created, filters: filtersOf(created), unindexed: true as const });

/** Creates a listing with its filter tokens and its label. The transaction fails when the slug is in use. */
export function createListing(tx: Transaction, created: Listing): void {
  tx.create(anyFields(listingRef(created.slug)), newRecord(created));
  setLabel(tx, created.slug);
  tell(tx, 'listing.published', created);
}

/** Creates a listing in place of the deleted listing that has the slug. The transaction has read that listing. */
export function replaceListing(tx: Transaction, created: Listing): void {
  tx.set(anyFields(listingRef(created.slug)), newRecord(created));
  setLabel(tx, created.slug);
  tell(tx, 'listing.published', created);
}

const aboutListing = ({ organizationId, presentationId }: Listing) => ({ organizationId, presentationId });

function tell(tx: Transaction, type: `listing.${'published' | 'remixed' | 'taken_down'}`, of: Listing): void {
  addEvent(tx, type, aboutListing(of), { listing: listingSummary(of) });
}

/** Tells in the transaction that makes a deck of the listing that another user remixed it. */
export function tellRemix(tx: Transaction, source: Listing): void {
  tell(tx, 'listing.remixed', source);
}

/** Tells of a changed listing. That its deck is deleted is told by the event of the deck. */
function tellUpdate(tx: Transaction, before: Listing, after: Listing): void {
  if (after.deletedAt) return;
  if (after.takedown && !before.takedown) return tell(tx, 'listing.taken_down', after);
  const row = listingSummary(after);
  const data = { listing: row, before: changedFrom(listingSummary(before), row) };
  addEvent(tx, 'listing.updated', aboutListing(after), data);
}

/** Notes in a transaction that a caller other than the owner used the listing. */
export function noteUseByOthers(tx: Transaction, { slug, usedByOthers }: Listing): void {
  if (!usedByOthers) tx.update(listingRef(slug), { usedByOthers: true });
}

/** The fields that only counting changes. */
type Counted = 'stars' | 'remixCount' | 'viewCount' | 'remixerCount' | 'weekRemixerCount' | 'remixerDays';

/** Updates a listing that the transaction has read, and its filter tokens. Returns the updated listing. */
export function updateListing(
  tx: Transaction,
  before: Listing,
  changes: Partial<Omit<Listing, 'slug' | 'generation' | Counted>>,
): Listing {
  const after = { ...before, ...changes };
  tx.update(anyFields(listingRef(before.slug)), {
    ...changes,
    filters: filtersOf(after),
    unindexed: true,
    // The picture belongs to a version. An update without a value would keep that of the version before.
    ...(changes.pinned && { picture: changes.picture === undefined ? sdk().FieldValue.delete() : changes.picture }),
  });
  tellUpdate(tx, before, after);
  return changes.pinned ? { ...after, picture: changes.picture } : after;
}

/** The slugs of the listings of an owner, those of deleted decks included. */
export const listingsOfOwner = (ownerId: string): AsyncGenerator<{ id: string }> =>
  idsOf(collection(paths.listings, listing).query().where('ownerId', '==', ownerId).select());

/** Takes out of a listing whose deck is deleted who its owner was, and what it said. The slug stays taken. */
export function stripListing(tx: Transaction, found: Listing): void {
  const nobody = { ownerId: 'deleted', organizationId: 'deleted' };
  const texts = { title: '', description: '', category: null, tags: [], techStack: [] };
  tx.update(listingRef(found.slug), { ...nobody, ...texts, unindexed: true });
}

/** Counts the remixers of the last 7 days of a listing again, for lists by this number. Idempotent. */
export async function countWeek({ slug }: Listing, now: Date): Promise<void> {
  await transact(async (tx) => {
    const [present] = await tx.read([listingRef(slug)]);
    if (!present) return;
    const { days, sum } = lastDays(present.remixerDays, now);
    if (sum === present.weekRemixerCount) return;
    tx.update(listingRef(slug), { remixerDays: days, weekRemixerCount: sum, unindexed: true });
  });
}

/** Every listing of a list, in pages of at most 100. */
export async function* listingsInOrder(token: string, sort: ListingSort): AsyncGenerator<Listing> {
  const query = listingsWith(token, sort, undefined).select(...Object.keys(listing.shape));
  for await (const document of documentsOf(query as Query<Listing>)) yield document.data();
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
  // The query leaves out the tokens: a listing may have 3 579.
  const query = listingsWith(token, sort, after).select(...Object.keys(listing.shape));
  return pageOf(query as Query<Listing>, limit);
}

/** The listings with a token, in this order, after the position `after`. */
function listingsWith(token: string, sort: ListingSort, after: readonly unknown[] | undefined): Query<Listing> {
  let query: Query<Listing> = collection(paths.listings, listing).query().where('filters', 'array-contains', token);
  for (const field of sortKeys[sort]) query = query.orderBy(field, 'desc');
  query = query.orderBy(sdk().FieldPath.documentId(), 'desc');
  return after ? query.startAfter(...after) : query;
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

/**
 * The listings of these slugs that lists may show. One read of each, in one round trip; the filter tokens are not sent.
 */
export async function findListed(slugs: readonly string[]): Promise<Listing[]> {
  const found = await readFields(slugs.map(listingRef), Object.keys(listing.shape));
  return found.filter((each): each is Listing => each !== undefined && isListed(each));
}

/** Listings whose last change is not in their search part yet, at most `limit`. */
export async function listUnindexed(limit: number): Promise<Listing[]> {
  const all = collection(paths.listings, listing).query().where('unindexed', '==', true);
  const query = all.select(...Object.keys(listing.shape)) as Query<Listing>;
  return (await query.limit(limit).get()).docs.map((document) => document.data());
}

const placedListing = listing.pick({ slug: true, searchPart: true, ownerId: true, organizationId: true });
export type PlacedListing = z.output<typeof placedListing>;

/** All of those listings, with the search parts that have them, in pages of at most 500. */
export async function* pagesOfUnindexed(): AsyncGenerator<PlacedListing[]> {
  const query = collection(paths.listings, placedListing)
    .query()
    .where('unindexed', '==', true)
    .select(...Object.keys(placedListing.shape)) as Query<PlacedListing>;
  for await (const page of pagesOf(query, 500)) yield page.map((document) => document.data());
}

/** Notes in which search part a listing is: undefined for none. */
export function setIndexed(tx: Transaction, slug: string, searchPart: number | undefined): void {
  const remove = sdk().FieldValue.delete();
  tx.update(anyFields(listingRef(slug)), { unindexed: remove, searchPart: searchPart ?? remove });
}

/** Notes that no search part has the listing any more, until it is indexed again. */
export function leavePart(tx: Transaction, slug: string): void {
  tx.update(anyFields(listingRef(slug)), { searchPart: sdk().FieldValue.delete() });
}

/** Has all public listings of an author indexed again. Idempotent. */
export async function unindexListingsOf(ownerId: string): Promise<void> {
  const query = listingsWith(authorToken(authorIdOf(ownerId)), 'recent', undefined).select('createdAt');
  for await (const page of pagesOf(query)) {
    const batch = db().batch();
    for (const { ref } of page) batch.update(ref, { unindexed: true });
    await batch.commit();
  }
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
    .select(...Object.keys(remixedListing.shape)) as Query<z.output<typeof remixedListing>>;
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
    .orderBy('createdAt', 'desc') as Query<z.output<typeof ancestry>>;
  for await (const page of pagesOf(query)) yield page.map((document) => document.data().lineage);
}
