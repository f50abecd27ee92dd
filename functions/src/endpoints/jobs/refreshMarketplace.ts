import { listingsOfWeek, offerWords, sampleListings } from '../../marketplace/refresh';
import { dayKey } from '../../policy/listing-week';
import { read } from '../../records/database';
import { countWeek } from '../../records/listings';
import { emptyState, marketplaceStateRef, setMarketplaceState } from '../../records/marketplace-state';
import { job } from '../../schedules/job';

/**
 * Keeps the pages of the marketplace up to date: the categories and tags that they offer, and the remixers of the
 * last 7 days once a day.
 */
export const refreshMarketplace = job('refreshMarketplace', '7 * * * *', async ({ now, until, processItems }) => {
  const [state = emptyState] = await read(marketplaceStateRef());
  await offerWords(state, await sampleListings());
  const { done, failed } = await countedWeek();
  return { recounted: done, failed };

  async function countedWeek() {
    const weekOf = dayKey(now);
    if (state.weekOf === weekOf) return { done: 0, failed: 0 };
    const counts = await processItems(listingsOfWeek(now), ({ listing }) => countWeek(listing, now));
    // A run that was cut off has not counted all of them.
    if (counts.failed === 0 && new Date() <= until) await setMarketplaceState({ weekOf });
    return counts;
  }
});
