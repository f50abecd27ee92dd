import { foldShards, listingsWithShards } from '../../records/listing-counters';
import { job } from '../../schedules/job';

/**
 * Adds the counter shards of listings to their documents. Lists sort by the counts in the documents, so the order of a
 * list is up to 1 minute old.
 */
export const foldMarketplaceCounters = job('foldMarketplaceCounters', '* * * * *', async ({ processItems }) => {
  const { done, failed } = await processItems(listingsWithShards(), ({ id }) => foldShards(id));
  return { folded: done, failed };
});
