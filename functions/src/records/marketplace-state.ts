import { z } from 'zod';
import { collection, documentOf, paths } from './collections';

/**
 * The number of the renewal of older listings. Raise it with TOKEN_RULES, and when a listing stores more of its
 * picture: then all listings are looked at again.
 */
export const RENEWAL = 2;

/** The number of the completion of older decks. Raise it when lists show another field of a deck. */
export const DECK_RENEWAL = 1;

const progress = z
  .object({ to: z.number().int(), after: z.string().nullable(), isDone: z.boolean() })
  .default({ to: 0, after: null, isDone: false });

/** What `refreshMarketplace` knows from its earlier runs. One document. */
const marketplaceState = z.object({
  /** The categories and tags that the pages offer, the most used ones first. */
  categories: z.array(z.string()).default([]),
  tags: z.array(z.string()).default([]),
  /** The UTC day on which the remixes of the week were counted, as `dayKey` names it. */
  weekOf: z.string().nullable().default(null),
  /** How far the listings of earlier releases are renewed for the renewal `to`: up to the slug `after`, or all. */
  renewal: progress,
  /** How far the decks of earlier releases are completed for `DECK_RENEWAL`: up to the id `after`, or all. */
  decks: progress,
});
export type MarketplaceState = z.output<typeof marketplaceState>;

/** The state before the first run. */
export const emptyState: MarketplaceState = marketplaceState.parse({});

export const marketplaceStateRef = () => collection(paths.marketplaceStates, marketplaceState).doc('current');

/** The slug after which listings may need a renewal; null for all of them, undefined when all of them are renewed. */
export function startOfRenewal({ renewal }: MarketplaceState): string | null | undefined {
  if (renewal.to !== RENEWAL) return null;
  return renewal.isDone ? undefined : renewal.after;
}

/** The id after which decks may lack a field; null for all of them, undefined when all of them are complete. */
export function startOfDecks({ decks }: MarketplaceState): string | null | undefined {
  if (decks.to !== DECK_RENEWAL) return null;
  return decks.isDone ? undefined : decks.after;
}

/** Stores fields of the state. Runs of the job may overlap: each field is right whichever run stores it last. */
export async function setMarketplaceState(changes: Partial<MarketplaceState>): Promise<void> {
  await documentOf(marketplaceStateRef()).set(changes, { merge: true });
}
