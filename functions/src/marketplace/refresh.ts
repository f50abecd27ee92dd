import { filterToken } from '../policy/listings';
import { lastDays } from '../policy/listing-week';
import { popularWords } from '../policy/popular-words';
import { listingsInOrder, listListings, type Listing } from '../records/listings';
import { setMarketplaceState, type MarketplaceState } from '../records/marketplace-state';

const allPublic = filterToken({});

/** A listing of an iteration. The jobs name it by `id` in their log. */
interface Item {
  id: string;
  listing: Listing;
}
const itemOf = (listing: Listing): Item => ({ id: listing.slug, listing });

/**
 * The public listings whose remixers of the week are others by now, most remixed first. A run that was cut off goes on
 * behind those that it counted.
 */
export async function* listingsOfWeek(now: Date): AsyncGenerator<Item> {
  for await (const listing of listingsInOrder(allPublic, 'week')) {
    const { weekRemixerCount, remixerDays } = listing;
    if (weekRemixerCount <= 0) return;
    if (lastDays(remixerDays, now).sum !== weekRemixerCount) yield itemOf(listing);
  }
}

/** The listings of each of the two orders that decide which categories and tags the pages offer. */
const SAMPLE = 300;

/** The newest and the most remixed listings, each once. */
export async function sampleListings(): Promise<Listing[]> {
  const orders = await Promise.all(
    (['recent', 'popular'] as const).map((sort) => listListings(allPublic, sort, SAMPLE, undefined)),
  );
  return [...new Map(orders.flatMap(({ records }) => records.map((each) => [each.slug, each]))).values()];
}

/** Stores the categories and tags that the pages offer, when they are others. */
export async function offerWords(state: MarketplaceState, sample: readonly Listing[]): Promise<void> {
  const { categories, tags } = popularWords(sample);
  const isSame = isEqual(state.categories, categories) && isEqual(state.tags, tags);
  if (!isSame) await setMarketplaceState({ categories, tags });
}

const isEqual = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((word, i) => word === b[i]);
