import { job } from '../../schedules/job';
import { foldParts, listingsInParts } from '../../records/listing-counters';

/** Moves what was counted beside popular listings into their documents, by which lists sort: their places are a minute old at most. */
export const foldMarketplaceCounters = job('foldMarketplaceCounters', 'every 1 minutes', async ({ processItems }) => {
  const { done, failed } = await processItems(listingsInParts(), ({ id }) => foldParts(id));
  return { folded: done, failed };
});
