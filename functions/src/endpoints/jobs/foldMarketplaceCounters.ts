import { changedListings, indexListings } from '../../marketplace/index-listings';
import { foldShards, listingsWithShards } from '../../records/listing-counters';
import { unindexListingsOf } from '../../records/listings';
import { finishRename, renamedUsers } from '../../records/users';
import { job } from '../../schedules/job';

/**
 * Adds the counter shards of listings to their documents, by which lists are sorted, and then the changed listings to
 * the parts of the search: lists and searches are up to 1 minute old.
 */
export const foldMarketplaceCounters = job('foldMarketplaceCounters', '* * * * *', async ({ processItems }) => {
  const folded = await processItems(listingsWithShards(), ({ id }) => foldShards(id));
  const renamed = await processItems(renamedUsers(), ({ id }) => finishRename(id, () => unindexListingsOf(id)));
  const indexed = await processItems(changedListings(), indexListings);
  const failed = folded.failed + renamed.failed + indexed.failed;
  return { folded: folded.done, renamed: renamed.done, indexed: indexed.done, failed };
});
