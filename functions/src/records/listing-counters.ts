import { FieldPath, FieldValue, type Query, type WriteBatch } from 'firebase-admin/firestore';
import { z } from 'zod';
import { collection, paths } from './collections';
import { commitUnless, db, documentsOf, isAlreadyExists, isNotFound } from './database';
import { date } from './fields';
import { listing, listingRef, type Listing } from './listings';
import { popularity } from './popularity';
import { transact } from './transact';

/**
 * What a listing counts is in its own document, by which lists sort, and, while many count at once, in parts beside it: what is there is not in
 * the document yet. A count is one commit with a document that says that it was counted, so that it counts once, however often it is sent.
 */
const part = z.object({
  partOf: z.string(),
  stars: z.number().int().default(0),
  remixCount: z.number().int().default(0),
  viewCount: z.number().int().default(0),
});
export type Counter = 'stars' | 'remixCount' | 'viewCount';

const PARTS = 32;
const counts = popularity();

const partRef = (slug: string, n: number) => collection(paths.listings, part).doc(`${slug}!${n}`);

/** What stands under a slug: the listing, which is the first, and its parts. No other slug lies between `!` and `"`. */
function under<S extends z.ZodType>(slug: string, schema: S): Query<z.output<S>> {
  const id = FieldPath.documentId();
  return collection(paths.listings, schema).where(id, '>=', slug).where(id, '<', `${slug}"`);
}

/**
 * The listing with all that was counted up to now. One query, and so of one moment: nothing is missing or twice while a part is moved. It reads the
 * listing, and 32 documents more at most while many count.
 */
export async function readListing(slug: string): Promise<Listing | undefined> {
  const shown = under(slug, z.union([listing, part])).select(...Object.keys({ ...listing.shape, ...part.shape }));
  const found = (await shown.get()).docs.map((document) => document.data() as Listing | z.output<typeof part>);
  const [first, ...rest] = found;
  if (!first || 'partOf' in first) return undefined;
  return rest.reduce<Listing>((sum, each) => ({ ...sum, ...added(sum, each) }), first);
}

type Counts = Record<Counter, number>;
const added = (a: Counts, b: Counts): Counts => ({
  stars: a.stars + b.stars,
  remixCount: a.remixCount + b.remixCount,
  viewCount: a.viewCount + b.viewCount,
});

function count(batch: WriteBatch, slug: string, counter: Counter, by: 1 | -1): void {
  const change = { [counter]: FieldValue.increment(by) };
  if (!counts.isPopular(slug)) return void batch.update(listingRef(slug).withConverter(null), change);
  const ref = partRef(slug, Math.floor(Math.random() * PARTS)).withConverter(null);
  batch.set(ref, { partOf: slug, ...change }, { merge: true });
}

/** That a user has starred a listing. */
const star = z.object({ userId: z.string(), starredAt: date });
export const starRef = (slug: string, userId: string) => collection(paths.stars(slug), star).doc(userId);

/** Gives the user's star to a listing that there is; one that it has already changes nothing. */
export async function addStar(slug: string, userId: string, now: Date): Promise<void> {
  const batch = db().batch().create(starRef(slug, userId), { userId, starredAt: now });
  count(batch, slug, 'stars', 1);
  await counts.commit(slug, () => commitUnless(isAlreadyExists, batch));
}

/** Takes the user's star from a listing that there is; one that it does not have changes nothing. */
export async function removeStar(slug: string, userId: string): Promise<void> {
  const batch = db().batch().delete(starRef(slug, userId), { exists: true });
  count(batch, slug, 'stars', -1);
  await counts.commit(slug, () => commitUnless(isNotFound, batch));
}

/** That a view or a remix was counted; its id says whose and when (policy/listing-signals). Leaves by the TTL policy. */
const signal = z.object({ expiresAt: date });
export const signalRef = (id: string) => collection(paths.listingSignals, signal).doc(id);

/** Counts a signal of a listing that there is, unless it was counted already. */
export async function countSignal(slug: string, counter: Counter, id: string, expiresAt: Date): Promise<void> {
  const batch = db().batch().create(signalRef(id), { expiresAt });
  count(batch, slug, counter, 1);
  await counts.commit(slug, () => commitUnless(isAlreadyExists, batch));
}

/** The slugs of the listings that have parts. */
export async function* listingsWithShards(): AsyncGenerator<{ id: string }> {
  let last: string | undefined;
  for await (const document of documentsOf(collection(paths.listings, part).orderBy('partOf'))) {
    // Not parsed: a damaged one is for the fold of its listing to complain of, and must not end the walk.
    const partOf = String(document.get('partOf'));
    if (partOf !== last) yield { id: partOf };
    last = partOf;
  }
}

/** Moves the parts of a listing's counters into its document, all at once: whatever dies or races, no count is lost or doubled. */
export async function foldShards(slug: string): Promise<void> {
  await transact(async (tx) => {
    const parts = (await tx.get(collection(paths.listings, part).where('partOf', '==', slug))).docs;
    if (parts.length === 0) return;
    const { stars, remixCount, viewCount } = parts.map((each): Counts => each.data()).reduce(added);
    tx.update(listingRef(slug).withConverter(null), {
      stars: FieldValue.increment(stars),
      remixCount: FieldValue.increment(remixCount),
      viewCount: FieldValue.increment(viewCount),
    });
    for (const { ref } of parts) tx.delete(ref);
  });
}
