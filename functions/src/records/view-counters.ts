import { z } from 'zod';
import type { Context, Trail } from '../context';
import { collection, date, paths, type Ref } from './collections';
import { lastSharedRead, read } from './database';
import { commitDocuments, type DocumentWrite } from './firestore/client';
import { Groups } from './groups';
import { popularity } from './popularity';
import { presentationRef, type Presentation } from './presentations';
import { isUnapplied } from './refusals';

/**
 * The views of a deck or of one token. They are counted outside of the deck's document, so that views and commits do
 * not wait for each other. A popular deck has 32 shards of each counter.
 */
export const viewCounter = z.object({
  /** Null for the views of the whole deck. */
  tokenId: z.string().nullable(),
  views: z.number().int(),
  lastViewedAt: date,
});

type ViewCounter = z.output<typeof viewCounter>;

const POPULAR_SHARDS = 32;
const writesOfDecks = popularity();

const counterRef = (presentationId: string, of: string, shard: number) =>
  collection(paths.viewCounters(presentationId), viewCounter).doc(`${of}-${shard}`);

interface View {
  deck: Presentation;
  tokenId: string;
  at: Date;
  trail: Trail | undefined;
}

/** The largest number of writes that a view adds to a commit. Firestore limits a commit to 500 transforms. */
const WRITES_OF_A_VIEW = 3;

const groupsUpTo = (maxSize: number) =>
  new Groups<View, void>({
    call: countTogether,
    maxSize,
    sizeOf: () => WRITES_OF_A_VIEW,
    splitsAfter: isUnapplied,
    keyOf: ({ deck }) => deck.presentationId,
    // A request that reads now may be a view.
    following: lastSharedRead,
  });
const views = groupsUpTo(500);
/** Each of these views has a commit alone. */
const suspectViews = groupsUpTo(WRITES_OF_A_VIEW);

/**
 * Counts one view of a deck and of one of its tokens with increments that read nothing. Views that are counted at the
 * same time share a commit. A slow commit does not tell which of its decks is contended, so the next view
 * of each is counted alone.
 */
export function countView({ trail }: Context, deck: Presentation, tokenId: string, at: Date): Promise<void> {
  const groups = writesOfDecks.takeSuspect(deck.presentationId) ? suspectViews : views;
  return groups.join({ deck, tokenId, at, trail });
}

/** What one commit adds to a counter. */
interface Addition {
  ref: Ref<ViewCounter>;
  tokenId: string | null;
  views: number;
  lastViewedAt: Date;
}

/**
 * Counts views with one commit. It writes each counter once, and bills the write to the first view that needs it. The
 * commit is billed when it is sent, because the log line may be written before its answer.
 */
async function countTogether(group: readonly View[], context: Context): Promise<void[]> {
  const bill: Trail[] = [];
  const writes: DocumentWrite[] = [];
  const shards = new Map<string, number>();
  const additions = new Map<string, Addition>();
  for (const view of group) {
    const { presentationId } = view.deck;
    const shard = shards.get(presentationId) ?? chooseShard(writes, bill, view);
    shards.set(presentationId, shard);
    for (const tokenId of [null, view.tokenId]) {
      const key = `${presentationId}/${tokenId}`;
      const known = additions.get(key);
      if (known) {
        known.views++;
        known.lastViewedAt = later(known.lastViewedAt, view.at);
        continue;
      }
      const ref = counterRef(presentationId, tokenId ?? 'deck', shard);
      additions.set(key, { ref, tokenId, views: 1, lastViewedAt: view.at });
      if (view.trail) bill.push(view.trail);
    }
  }
  for (const { ref, tokenId, views, lastViewedAt } of additions.values()) {
    writes.push({ path: ref.path, fields: { tokenId, lastViewedAt }, increments: { views }, isMerge: true });
  }
  for (const trail of bill) trail.databaseWrites++;
  try {
    await writesOfDecks.commit([...shards.keys()], () => commitDocuments(writes, context));
  } catch (error) {
    // The repeated commits are billed, not this one.
    if (isUnapplied(error)) for (const trail of bill) trail.databaseWrites--;
    throw error;
  }
  return group.map(() => undefined);
}

/**
 * The shard to which a commit writes the views of a deck. The commit that first uses all shards writes their number, so
 * no reader misses a shard.
 */
function chooseShard(writes: DocumentWrite[], bill: Trail[], { deck, trail }: View): number {
  const { presentationId, viewShards } = deck;
  const becomesPopular = viewShards < POPULAR_SHARDS && writesOfDecks.isPopular(presentationId);
  if (becomesPopular) {
    const { path } = presentationRef(presentationId);
    writes.push({ path, fields: { viewShards: POPULAR_SHARDS }, isMerge: true, exists: true });
    if (trail) bill.push(trail);
  }
  return Math.floor(Math.random() * (becomesPopular ? POPULAR_SHARDS : viewShards));
}

const later = (a: Date, b: Date) => (a > b ? a : b);

export interface ViewTotals {
  totalViews: number;
  lastViewedAt: Date | null;
}

/** The shards of the counter of a deck, or of one of its tokens. */
const shardsOf = ({ presentationId, viewShards }: Presentation, of: string) =>
  Array.from({ length: viewShards }, (_, shard) => counterRef(presentationId, of, shard));

/** The totals of one token. One round trip, for which the small client of the database is enough. */
export const readViewsOfToken = async (deck: Presentation, tokenId: string): Promise<ViewTotals> =>
  sum(await read(...shardsOf(deck, tokenId)));

/** The totals of several decks, in their order. One round trip. */
export async function readViewTotals(decks: readonly Presentation[]): Promise<ViewTotals[]> {
  const refs = decks.flatMap((deck) => shardsOf(deck, 'deck'));
  if (refs.length === 0) return [];
  const counters = await read(...refs);
  let next = 0;
  return decks.map((deck) => sum(counters.slice(next, (next += deck.viewShards))));
}

/** The totals of each token of a deck by token id; the total of the deck has the key ''. One query. */
export async function readTokenViews(presentationId: string): Promise<Map<string, ViewTotals>> {
  const found = await collection(paths.viewCounters(presentationId), viewCounter).query().get();
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
