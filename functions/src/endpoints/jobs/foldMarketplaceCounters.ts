import { foldShards, listingsWithShards } from '../../records/listing-counters';
import { job } from '../../schedules/job';

/** Moves what was counted beside popular listings into their documents, by which lists sort: their places are a minute old at most. */
export const foldMarketplaceCounters = job('foldMarketplaceCounters', 'every 1 minutes', async ({ processItems }) => {
  const { done, failed } = await processItems(listingsWithShards(), ({ id }) => foldShards(id));
  return { folded: done, failed };
});
