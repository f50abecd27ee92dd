import { objectPaths } from '../../blobs/bucket';
import { deleteObjects } from '../../blobs/removal';
import { logWarning } from '../../log';
import { job } from '../../schedules/job';

/** Twice the life of an upload session: nobody can complete an upload of that age any more. */
const ABANDONED_MS = 2 * 3600_000;

/** Removes what was uploaded straight to the bucket and never completed. What cannot be removed is left to the next run. */
export const removeAbandonedUploads = job('removeAbandonedUploads', 'every 60 minutes', async ({ now, until }) => {
  const createdBefore = new Date(now.getTime() - ABANDONED_MS);
  let failed = 0;
  const onFault = (objectName: string, error: unknown) => {
    failed++;
    logWarning('An abandoned upload could not be removed.', error, { function: 'removeAbandonedUploads', objectName });
  };
  const removed = await deleteObjects(objectPaths.quarantine(), { createdBefore, until, onFault });
  return { removed, failed };
});
