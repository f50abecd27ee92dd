import { complete, decksToComplete } from '../../decks/older-decks';
import { renewing } from '../../decks/older-records';
import {
  listingsOfWeek,
  listingsToRenew,
  offerWords,
  renew,
  sampleListings,
  withoutPicture,
} from '../../marketplace/refresh';
import { dayKey } from '../../policy/listing-week';
import { read } from '../../records/database';
import { countWeek } from '../../records/listings';
import { emptyState, marketplaceStateRef, setMarketplaceState } from '../../records/marketplace-state';
import { job } from '../../schedules/job';

/**
 * Keeps the pages of the marketplace up to date: the categories and tags that they offer, the remixes of the last 7
 * days once a day, and the tokens and pictures of listings that an earlier release published (decisions 57 and 58).
 * Also completes the decks of earlier releases, whose lists show the same pictures (decision 62).
 */
export const refreshMarketplace = job('refreshMarketplace', '7 * * * *', async ({ now, until, processItems }) => {
  const [state = emptyState] = await read(marketplaceStateRef());
  const sample = await sampleListings();
  await offerWords(state, sample);
  // Before the renewals, which may take the time of many runs after an update.
  const recounted = await countedWeek();
  const renewed = await processItems(listingsToRenew(state), renewing(renew));
  const pictured = await processItems(withoutPicture(sample, now), ({ listing }) => renew(listing));
  const completed = await processItems(decksToComplete(state), renewing(complete));
  return {
    renewed: renewed.done,
    pictured: pictured.done,
    recounted: recounted.done,
    completed: completed.done,
    failed: renewed.failed + pictured.failed + recounted.failed + completed.failed,
  };

  async function countedWeek() {
    const weekOf = dayKey(now);
    if (state.weekOf === weekOf) return { done: 0, failed: 0 };
    const counts = await processItems(listingsOfWeek(), ({ listing }) => countWeek(listing, now));
    // A run that was cut off has not counted all of them.
    if (counts.failed === 0 && new Date() <= until) await setMarketplaceState({ weekOf });
    return counts;
  }
});
