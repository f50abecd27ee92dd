import { storePicture } from '../../marketplace/listing-pictures';
import { listingsOfWeek, offerWords, sampleListings, withoutPicture } from '../../marketplace/refresh';
import { dayKey } from '../../policy/listing-week';
import { read } from '../../records/database';
import { countWeek } from '../../records/listings';
import { emptyState, marketplaceStateRef, setMarketplaceState } from '../../records/marketplace-state';
import { job } from '../../schedules/job';

/**
 * Keeps the pages of the marketplace up to date: the categories and tags that they offer, the remixes of the last 7
 * days once a day, and the pictures of new listings whose publication did not find them.
 */
export const refreshMarketplace = job('refreshMarketplace', '7 * * * *', async ({ now, until, processItems }) => {
  const [state = emptyState] = await read(marketplaceStateRef());
  const sample = await sampleListings();
  await offerWords(state, sample);
  const recounted = await countedWeek();
  const pictured = await processItems(withoutPicture(sample, now), async ({ listing }) => {
    await storePicture(listing);
  });
  return { pictured: pictured.done, recounted: recounted.done, failed: pictured.failed + recounted.failed };

  async function countedWeek() {
    const weekOf = dayKey(now);
    if (state.weekOf === weekOf) return { done: 0, failed: 0 };
    const counts = await processItems(listingsOfWeek(), ({ listing }) => countWeek(listing, now));
    // A run that was cut off has not counted all of them.
    if (counts.failed === 0 && new Date() <= until) await setMarketplaceState({ weekOf });
    return counts;
  }
});
