import { objectPaths } from '../../blobs/bucket';
import { deleteObjects } from '../../blobs/removal';
import { read } from '../../records/database';
import { deleteRecords, dueDeletions, endDeletion } from '../../records/deletions';
import { presentationRef } from '../../records/presentations';
import { job } from '../../schedules/job';

/**
 * Deletes all documents and objects under the ids of deleted decks and expired upload sessions. A deletion is due when
 * no call that began before it can still run.
 */
export const finishDeletions = job('finishDeletions', '*/10 * * * *', async ({ now, processItems }) => {
  let documents = 0;
  let objects = 0;
  const { done, failed } = await processItems(dueDeletions(now), async ({ id }) => {
    const [deck] = await read(presentationRef(id));
    if (deck) throw new Error('A deck exists under the id of a deletion. The job deletes nothing under this id.');
    for (const prefix of objectPaths.ofDeck(id)) objects += await deleteObjects(prefix);
    documents += (await deleteRecords(id)).total;
    await endDeletion(id);
  });
  return { finished: done, failed, documents, objects };
});
