import { z } from 'zod';
import type { Query, WithFieldValue, WriteBatch } from 'firebase-admin/firestore';
import { dayKey } from '../policy/listing-week';
import { listingSummary } from '../rows/listings';
import { anyFields, collection, collectionGroup, date, documentOf, paths, type Ref } from './collections';
import { commitUnless, documentsOf, type Transaction } from './database';
import { addEvent, type StoredEvent } from './events';
import { db, sdk } from './sdk';
import { listing, listingRef, type Listing } from './listings';
import { popularity } from './popularity';
import { isAlreadyExists, isNotFound } from './refusals';
import { transact } from './transact';

/**
 * A shard of the counters of a popular listing. Its counts are not in the listing's document yet, by
 * which lists are sorted. `partOf` is the slug of the listing.
 *
 * Each count is one commit that also creates or deletes a marker document: the star, or the signal. The database
 * refuses the commit when the marker already exists or is already deleted, so races and retries count once.
 */
const counterShard = z.object({
  partOf: z.string(),
  stars: z.number().int().default(0),
  remixCount: z.number().int().default(0),
  viewCount: z.number().int().default(0),
  remixerCount: z.number().int().default(0),
  weekRemixerCount: z.number().int().default(0),
  remixerDays: z.record(z.string(), z.number().int()).default({}),
  usedByOthers: z.literal(true).optional(),
});
export type Counter = 'stars' | 'remixCount' | 'viewCount';

const SHARDS = 32;
const counts = popularity();

const shardRef = (slug: string, n: number) => collection(paths.listings, counterShard).doc(`${slug}!${n}`);

/**
 * The query for a listing, which is the first result, and its counter shards. A slug contains neither `!` nor `"`, so
 * no other id is in the range.
 */
function listingAndShards<S extends z.ZodType>(slug: string, schema: S): Query<z.output<S>> {
  const id = sdk().FieldPath.documentId();
  return collection(paths.listings, schema).query().where(id, '>=', slug).where(id, '<', `${slug}"`);
}

/**
 * The listing with its total counts, or undefined. One query reads the listing and its shards at one moment, so a
 * concurrent fold does not change the totals. It reads 1 to 33 documents.
 */
export async function readListing(slug: string): Promise<Listing | undefined> {
  const shown = listingAndShards(slug, z.union([listing, counterShard])).select(
    ...Object.keys({ ...listing.shape, ...counterShard.shape }),
  );
  const found = (await shown.get()).docs.map((document) => document.data() as Listing | z.output<typeof counterShard>);
  const [first, ...rest] = found;
  if (!first || 'partOf' in first) return undefined;
  return rest.reduce<Listing>((sum, each) => ({ ...sum, ...addCounts(sum, each) }), first);
}

type Counts = Record<Counter | 'remixerCount' | 'weekRemixerCount', number>;
const addCounts = (a: Counts, b: Counts): Counts => ({
  stars: a.stars + b.stars,
  remixCount: a.remixCount + b.remixCount,
  viewCount: a.viewCount + b.viewCount,
  remixerCount: a.remixerCount + b.remixerCount,
  weekRemixerCount: a.weekRemixerCount + b.weekRemixerCount,
});

interface Count {
  slug: string;
  counter: Counter;
  isByOthers: boolean;
}

/**
 * Adds a count to the batch: in the listing's document, or in a random shard while this instance notices contention.
 * The same write notes a use by a caller other than the owner.
 */
function count(batch: WriteBatch, { slug, counter, isByOthers }: Count, by: 1 | -1): void {
  const change = { [counter]: sdk().FieldValue.increment(by), ...(isByOthers && { usedByOthers: true }) };
  if (!counts.isPopular(slug)) {
    // A search may be sorted by stars.
    const isSorted = counter === 'stars' && { unindexed: true };
    return void batch.update(documentOf(anyFields(listingRef(slug))), { ...change, ...isSorted });
  }
  batch.set(documentOf(anyShardOf(slug)), { partOf: slug, ...change }, { merge: true });
}

const anyShardOf = (slug: string) => anyFields(shardRef(slug, Math.floor(Math.random() * SHARDS)));

/** A user other than the owner who has remixed the listing. */
const remixer = z.object({ userId: z.string(), remixedAt: date });
export const remixerRef = (slug: string, userId: string) => collection(paths.remixers(slug), remixer).doc(userId);

/**
 * Counts a user as a remixer of the listing, with the remix itself. The transaction has read that the user was not
 * counted. The count goes to a shard: other remixes of the listing do not wait for it.
 */
export function addRemixer(tx: Transaction, slug: string, userId: string, now: Date): void {
  tx.create(remixerRef(slug, userId), { userId, remixedAt: now });
  const one = sdk().FieldValue.increment(1);
  const change = { remixerCount: one, weekRemixerCount: one, remixerDays: { [dayKey(now)]: one } };
  tx.set(anyShardOf(slug), { partOf: slug, ...change }, { merge: true });
}

/** The star that a user gave to a listing. */
const star = z.object({ userId: z.string(), starredAt: date });
export const starRef = (slug: string, userId: string) => collection(paths.stars(slug), star).doc(userId);

/** Gives the user's star to an existing listing. Idempotent. One commit. */
export async function addStar(starred: Listing, userId: string, now: Date): Promise<void> {
  const { slug, ownerId, organizationId, presentationId } = starred;
  const batch = db()
    .batch()
    .create(documentOf(starRef(slug, userId)), { userId, starredAt: now });
  count(batch, { slug, counter: 'stars', isByOthers: userId !== ownerId }, 1);
  const writer = {
    create: (ref: Ref<StoredEvent>, record: WithFieldValue<StoredEvent>) => batch.create(documentOf(ref), record),
  };
  addEvent(writer, 'listing.starred', { organizationId, presentationId }, { listing: listingSummary(starred) });
  await counts.commit([slug], () => commitUnless(isAlreadyExists, batch));
}

/** Removes the user's star from an existing listing. Idempotent. One commit. */
export async function removeStar({ slug, ownerId }: Listing, userId: string): Promise<void> {
  const batch = db()
    .batch()
    .delete(documentOf(starRef(slug, userId)), { exists: true });
  count(batch, { slug, counter: 'stars', isByOthers: userId !== ownerId }, -1);
  await counts.commit([slug], () => commitUnless(isNotFound, batch));
}

/** The listings to which a user gave stars, and of which the user made remixes, by their slugs. */
export const starsOf = (userId: string) => markersOf('stars', star, userId);
export const remixersOf = (userId: string) => markersOf('remixers', remixer, userId);

async function* markersOf(name: string, schema: typeof star | typeof remixer, userId: string) {
  const query = collectionGroup(name, schema as z.ZodType).where('userId', '==', userId);
  for await (const { ref } of documentsOf(query)) yield { slug: ref.parent.parent!.id, ref };
}

/** Forgets that a user remixed a listing. The counts stay. */
export function deleteRemixer(tx: Transaction, slug: string, userId: string): void {
  tx.delete(remixerRef(slug, userId));
}

/** Deletes a star of a deleted listing, whose slug another listing gets. Missing stars are not an error. */
export function deleteStar(tx: Transaction, slug: string, userId: string): void {
  tx.delete(starRef(slug, userId));
}

/** The marker of a counted view or remix; its id is made by policy/listing-signals. The TTL policy deletes it. */
const signal = z.object({ expiresAt: date });
export const signalRef = (id: string) => collection(paths.listingSignals, signal).doc(id);

/** Counts a view or remix of an existing listing, unless its marker exists. One commit. Returns whether it counted. */
export async function countSignal(
  counted: Count,
  { id, expiresAt }: { id: string; expiresAt: Date },
): Promise<boolean> {
  const batch = db()
    .batch()
    .create(documentOf(signalRef(id)), { expiresAt });
  count(batch, counted, 1);
  return counts.commit([counted.slug], () => commitUnless(isAlreadyExists, batch));
}

/** Notes that a caller other than the owner used the listing, without a count. One commit. */
export async function noteUncountedUse(slug: string): Promise<void> {
  await documentOf(listingRef(slug)).update({ usedByOthers: true });
}

/** Whether the listing has counter shards that are not folded yet. One read. */
export async function hasShards(tx: Transaction, slug: string): Promise<boolean> {
  return !(await tx.get(collection(paths.listings, counterShard).query().where('partOf', '==', slug).limit(1))).empty;
}

/** The slug of each listing that has counter shards, as `id`. */
export async function* listingsWithShards(): AsyncGenerator<{ id: string }> {
  let last: string | undefined;
  for await (const document of documentsOf(collection(paths.listings, counterShard).query().orderBy('partOf'))) {
    // The shard is not parsed here: a malformed shard fails in the fold of its listing and does not end this iteration.
    const partOf = String(document.get('partOf'));
    if (partOf !== last) yield { id: partOf };
    last = partOf;
  }
}

/**
 * Adds the counter shards of a listing to its document and deletes them, in one transaction: a retry or a concurrent
 * fold neither loses nor repeats a count.
 */
export async function foldShards(slug: string): Promise<void> {
  await transact(async (tx) => {
    const shards = (await tx.get(collection(paths.listings, counterShard).query().where('partOf', '==', slug))).docs;
    if (shards.length === 0) return;
    const records = shards.map((each) => each.data());
    const add = (value: number) => sdk().FieldValue.increment(value);
    const none = { stars: 0, remixCount: 0, viewCount: 0, remixerCount: 0, weekRemixerCount: 0 };
    const sums = Object.entries(records.reduce<Counts>(addCounts, none));
    const days = records.flatMap(({ remixerDays }) => Object.entries(remixerDays));
    const sumOf = (day: string) => days.reduce((sum, [each, count]) => (each === day ? sum + count : sum), 0);
    tx.update(anyFields(listingRef(slug)), {
      ...Object.fromEntries(sums.map(([counter, sum]) => [counter, add(sum)])),
      ...Object.fromEntries(days.map(([day]) => [`remixerDays.${day}`, add(sumOf(day))])),
      ...(records.some(({ usedByOthers }) => usedByOthers) && { usedByOthers: true }),
      unindexed: true,
    });
    for (const { ref } of shards) tx.delete(ref);
  });
}
