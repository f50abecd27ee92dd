import { FieldValue } from 'firebase-admin/firestore';
import { z } from 'zod';
import { collection, paths } from './collections';
import { db, read } from './database';
import { date } from './fields';
import { popularity } from './popularity';
import { presentationRef, type Presentation } from './presentations';

/**
 * Views are counted in documents of their own, one for the deck and one for the token, never in the deck's document: a commit and
 * a view do not wait for each other. A deck that many people open at once is spread over 32 documents of each kind.
 */
export const viewCounter = z.object({
  /** Null counts the whole deck. */
  tokenId: z.string().nullable(),
  views: z.number().int(),
  lastViewedAt: date,
});

type ViewCounter = z.output<typeof viewCounter>;

const WIDE = 32;
const views = popularity();

const counterRef = (presentationId: string, of: string, shard: number) =>
  collection(paths.viewCounters(presentationId), viewCounter).doc(`${of}-${shard}`);

/** Counts one view of the deck through one token: one commit of two blind increments. */
export async function countView(deck: Presentation, tokenId: string, now: Date): Promise<void> {
  const { presentationId } = deck;
  const becomesWide = deck.viewShards < WIDE && views.isPopular(presentationId);
  const shard = Math.floor(Math.random() * (becomesWide ? WIDE : deck.viewShards));
  const batch = db().batch();
  // The width is written with the first view that uses it, so no reader misses a counter.
  if (becomesWide) batch.update(presentationRef(presentationId), { viewShards: WIDE });
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

/** The totals of several decks, in their order, in one round trip. */
export async function readViewTotals(decks: readonly Presentation[]): Promise<ViewTotals[]> {
  const refs = decks.flatMap((deck) =>
    Array.from({ length: deck.viewShards }, (_, shard) => counterRef(deck.presentationId, 'deck', shard)),
  );
  if (refs.length === 0) return [];
  const counters = await read(...refs);
  let next = 0;
  return decks.map((deck) => sum(counters.slice(next, (next += deck.viewShards))));
}

/** What was viewed through each token of a deck, and under '' through all of them. One query. */
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
