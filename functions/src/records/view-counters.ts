import { z } from 'zod';
import { FieldValue } from 'firebase-admin/firestore';
import { collection, date, paths } from './collections';
import { db, read } from './database';
import { popularity } from './popularity';
import { presentationRef, type Presentation } from './presentations';

/**
 * The views of a deck or of one token. They are counted outside of the deck's document, so that views and commits do
 * not wait for each other. A popular deck has 32 shards of each counter (decision 6).
 */
export const viewCounter = z.object({
  /** Null for the views of the whole deck. */
  tokenId: z.string().nullable(),
  views: z.number().int(),
  lastViewedAt: date,
});

type ViewCounter = z.output<typeof viewCounter>;

const POPULAR_SHARDS = 32;
const views = popularity();

const counterRef = (presentationId: string, of: string, shard: number) =>
  collection(paths.viewCounters(presentationId), viewCounter).doc(`${of}-${shard}`);

/** Counts one view of a deck and of one of its tokens, with one commit of two increments that read nothing. */
export async function countView(deck: Presentation, tokenId: string, now: Date): Promise<void> {
  const { presentationId } = deck;
  const becomesPopular = deck.viewShards < POPULAR_SHARDS && views.isPopular(presentationId);
  const shard = Math.floor(Math.random() * (becomesPopular ? POPULAR_SHARDS : deck.viewShards));
  const batch = db().batch();
  // The commit that first uses the shards writes their number, so no reader misses a shard.
  if (becomesPopular) batch.update(presentationRef(presentationId), { viewShards: POPULAR_SHARDS });
  for (const [of, token] of [
    ['deck', null],
    [tokenId, tokenId],
  ] as const) {
    batch.set(
      counterRef(presentationId, of, shard).withConverter(null),
      { tokenId: token, views: FieldValue.increment(1), lastViewedAt: now },
      { merge: true },
    );
  }
  await views.commit(presentationId, () => batch.commit());
}

export interface ViewTotals {
  totalViews: number;
  lastViewedAt: Date | null;
}

/** The totals of several decks, in their order. One round trip. */
export async function readViewTotals(decks: readonly Presentation[]): Promise<ViewTotals[]> {
  const refs = decks.flatMap((deck) =>
    Array.from({ length: deck.viewShards }, (_, shard) => counterRef(deck.presentationId, 'deck', shard)),
  );
  if (refs.length === 0) return [];
  const counters = await read(...refs);
  let next = 0;
  return decks.map((deck) => sum(counters.slice(next, (next += deck.viewShards))));
}

/** The totals of each token of a deck by token id; the total of the deck has the key ''. One query. */
export async function readTokenViews(presentationId: string): Promise<Map<string, ViewTotals>> {
  const found = await collection(paths.viewCounters(presentationId), viewCounter).get();
  const byToken = new Map<string, ViewCounter[]>();
  for (const counter of found.docs.map((document) => document.data())) {
    const tokenId = counter.tokenId ?? '';
    byToken.set(tokenId, [...(byToken.get(tokenId) ?? []), counter]);
  }
  return new Map([...byToken].map(([tokenId, counters]) => [tokenId, sum(counters)]));
}

function sum(counters: readonly (ViewCounter | undefined)[]): ViewTotals {
  const present = counters.filter((counter) => counter !== undefined);
  return {
    totalViews: present.reduce((total, counter) => total + counter.views, 0),
    lastViewedAt: present.reduce<Date | null>(
      (latest, { lastViewedAt }) => (latest && latest > lastViewedAt ? latest : lastViewedAt),
      null,
    ),
  };
}
