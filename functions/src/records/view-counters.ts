import { z } from 'zod';
import type { Context, Trail } from '../context';
import { dayOf } from '../values/days';
import { collection, collectionGroup, date, paths, type Ref } from './collections';
import { lastSharedRead, pagesOf, read, readFields } from './database';
import { commitDocuments, type DocumentWrite } from './firestore/client';
import { Groups } from './groups';
import { popularity } from './popularity';
import { presentationRef, type Presentation } from './presentations';
import { isOutdated, isUnapplied } from './refusals';

/**
 * The views of a deck or of one token. They are counted outside of the deck's document, so that views and commits do
 * not wait for each other. A popular deck has 32 shards of each counter.
 */
export const viewCounter = z.object({
  /** Null for the views of the whole deck. */
  tokenId: z.string().nullable(),
  views: z.number().int(),
  lastViewedAt: date,
  /** Whether the insights lack loads of the counter. Absent where it has none. */
  isLoaded: z.boolean().optional(),
});
// The loads that are not of the owner or a dev, for each day and version: `load_2026_11_28_v3`.
const loadCounter = viewCounter.catchall(z.unknown());

type ViewCounter = z.output<typeof viewCounter>;

const loadField = (at: Date, version: number) => `load_${dayOf(at).replaceAll('-', '_')}_v${version}`;

export const POPULAR_SHARDS = 32;
const writesOfDecks = popularity();

const counterRef = (presentationId: string, of: string, shard: number) =>
  collection(paths.viewCounters(presentationId), viewCounter).doc(`${of}-${shard}`);

/** A load of the entry of a deck. */
export interface Load {
  deck: Presentation;
  tokenId: string;
  version: number;
  /** Whether the owner or a dev of the deck looks at it. */
  isOwn: boolean;
  at: Date;
}

interface View extends Load {
  trail: Trail | undefined;
}

/**
 * The largest number of transforms and other writes that a view adds to a commit: two of the deck's counter, two of the
 * token's, and the number of shards. Firestore limits a commit to 500 transforms.
 */
const WRITES_OF_A_VIEW = 5;

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
export function countView({ trail }: Context, load: Load): Promise<void> {
  const groups = writesOfDecks.takeSuspect(load.deck.presentationId) ? suspectViews : views;
  return groups.join({ ...load, trail });
}

/** What one commit adds to a counter. */
interface Addition {
  ref: Ref<ViewCounter>;
  tokenId: string | null;
  increments: Record<string, number> & { views: number };
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
      if (!known && view.trail) bill.push(view.trail);
      const ref = counterRef(presentationId, tokenId ?? 'deck', shard);
      const addition = known ?? { ref, tokenId, increments: { views: 0 }, lastViewedAt: view.at };
      const { increments } = addition;
      additions.set(key, addition);
      increments.views++;
      addition.lastViewedAt = later(addition.lastViewedAt, view.at);
      const field = loadField(view.at, view.version);
      if (!view.isOwn) increments[field] = (increments[field] ?? 0) + 1;
    }
  }
  for (const { ref, tokenId, increments, lastViewedAt } of additions.values()) {
    const hasLoads = Object.keys(increments).length > 1;
    const fields = { tokenId, lastViewedAt, ...(hasLoads && { isLoaded: true }) };
    writes.push({ path: ref.path, fields, increments, isMerge: true });
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

const counters = (presentationId: string) => collection(paths.viewCounters(presentationId), viewCounter).query();

/** The fields of the sums: a counter also has the loads of each day. */
const SUMMED = ['tokenId', 'views', 'lastViewedAt'];

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
  const counters = await readFields(refs, SUMMED);
  let next = 0;
  return decks.map((deck) => sum(counters.slice(next, (next += deck.viewShards))));
}

/** The totals of each token of a deck by token id; the total of the deck has the key ''. One query. */
export async function readTokenViews(presentationId: string): Promise<Map<string, ViewTotals>> {
  const found = await counters(presentationId)
    .select(...SUMMED)
    .get();
  const byToken = new Map<string, ViewCounter[]>();
  for (const document of found.docs) {
    const counter = document.data() as ViewCounter;
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

// ---- The fold of loads

/** A counter that has loads which the insights lack. */
export interface LoadedCounter {
  presentationId: string;
  tokenId: string | null;
  /** Says that they have them, unless the counter has more by now. */
  settle: () => Promise<void>;
}

export async function* loadedCounters(): AsyncGenerator<LoadedCounter> {
  const query = collectionGroup('viewCounters', viewCounter)
    .where('isLoaded', '==', true)
    .select(...SUMMED);
  for await (const page of pagesOf(query, 300)) {
    for (const document of page) {
      const { ref, updateTime } = document;
      const settle = () =>
        ref.update({ isLoaded: false }, { lastUpdateTime: updateTime }).then(
          () => undefined,
          (error: unknown) => {
            if (!isOutdated(error)) throw error;
          },
        );
      yield { presentationId: ref.parent.parent!.id, tokenId: (document.data() as ViewCounter).tokenId, settle };
    }
  }
}

/** The loads of a day by version. */
export interface LoadsOfDay {
  tokenId: string | null;
  day: string;
  byVersion: Map<string, number>;
}

/** The loads of a deck (null) and of links, from a day on: the sums over all shards. One call. */
export async function readLoads(
  { presentationId, viewShards }: Pick<Presentation, 'presentationId' | 'viewShards'>,
  tokenIds: readonly (string | null)[],
  since: string,
): Promise<LoadsOfDay[]> {
  const wanted = tokenIds.flatMap((tokenId) => Array.from({ length: viewShards }, (_, shard) => ({ tokenId, shard })));
  const refs = wanted.map(({ tokenId, shard }) =>
    collection(paths.viewCounters(presentationId), loadCounter).doc(`${tokenId ?? 'deck'}-${shard}`),
  );
  const found = await readFields(refs);
  const sums = new Map<string, LoadsOfDay>();
  wanted.forEach(({ tokenId }, i) => {
    for (const [field, n] of Object.entries(found[i] ?? {})) {
      const [, text = '', version = ''] = /^load_(\d{4}_\d\d_\d\d)_v(\d+)$/.exec(field) ?? [];
      const day = text.replaceAll('_', '-');
      if (version === '' || day < since) continue;
      const key = `${tokenId}/${day}`;
      const loads = sums.get(key) ?? { tokenId, day, byVersion: new Map<string, number>() };
      loads.byVersion.set(version, (loads.byVersion.get(version) ?? 0) + (n as number));
      sums.set(key, loads);
    }
  });
  return [...sums.values()];
}
