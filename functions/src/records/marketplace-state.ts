import { z } from 'zod';
import { collection, documentOf, paths } from './collections';

/**
 * The number of the renewal of older listings. Raise it with TOKEN_RULES, and when a listing stores more of its
 * picture: then all listings are looked at again.
 */
export const RENEWAL = 2;

/** The number of the completion of older decks. Raise it when lists show another field of a deck. */
export const DECK_RENEWAL = 1;

/**
 * How far the records of earlier releases are renewed for the renewal `to`: up to the id `after`, or all. The renewal of
 * `failed` records failed in as many runs as `tries` says. Later runs try them again.
 */
const progress = z
  .object({
    to: z.number().int(),
    after: z.string().nullable(),
    isDone: z.boolean(),
    failed: z.array(z.object({ id: z.string(), tries: z.number().int() })).default([]),
  })
  .default({ to: 0, after: null, isDone: false, failed: [] });
export type Progress = z.output<typeof progress>;

/** What `refreshMarketplace` knows from its earlier runs. One document. */
const marketplaceState = z.object({
  /** The categories and tags that the pages offer, the most used ones first. */
  categories: z.array(z.string()).default([]),
  tags: z.array(z.string()).default([]),
  /** The UTC day on which the remixes of the week were counted, as `dayKey` names it. */
  weekOf: z.string().nullable().default(null),
  /** The renewal of listings, for `RENEWAL`. */
  renewal: progress,
  /** The completion of decks, for `DECK_RENEWAL`. */
  decks: progress,
});
export type MarketplaceState = z.output<typeof marketplaceState>;

/** The state before the first run. */
export const emptyState: MarketplaceState = marketplaceState.parse({});

export const marketplaceStateRef = () => collection(paths.marketplaceStates, marketplaceState).doc('current');

/** Stores fields of the state. Runs of the job may overlap: each field is right whichever run stores it last. */
export async function setMarketplaceState(changes: Partial<MarketplaceState>): Promise<void> {
  await documentOf(marketplaceStateRef()).set(changes, { merge: true });
}
