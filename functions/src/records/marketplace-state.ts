import { z } from 'zod';
import { collection, documentOf, paths } from './collections';

/**
 * What `refreshMarketplace` knows from its last runs. One document; a field that no run has stored yet has its default.
 */
const marketplaceState = z.object({
  /** The categories and tags that the pages offer, the most used ones first. */
  categories: z.array(z.string()).default([]),
  tags: z.array(z.string()).default([]),
  /** The UTC day on which the remixes of the week were counted, as `dayKey` names it. */
  weekOf: z.string().nullable().default(null),
});
export type MarketplaceState = z.output<typeof marketplaceState>;

/** The state before the first run. */
export const emptyState: MarketplaceState = marketplaceState.parse({});

export const marketplaceStateRef = () => collection(paths.marketplaceStates, marketplaceState).doc('current');

/** Stores fields of the state. Runs of the job may overlap: each field is right whichever run stores it last. */
export async function setMarketplaceState(changes: Partial<MarketplaceState>): Promise<void> {
  await documentOf(marketplaceStateRef()).set(changes, { merge: true });
}
