import { objectPaths } from '../../blobs/bucket';
import { deleteObjects } from '../../blobs/removal';
import { logWarning } from '../../log';
import { job } from '../../schedules/job';

/** Twice the lifetime of an upload address. The job deletes older uploads. */
const ABANDONED_MS = 2 * 3600_000;

/**
 * Deletes files that clients sent to addresses of createAssetUploads and did not complete. The next run tries again to
 * delete files whose deletion failed.
 */
export const removeAbandonedUploads = job('removeAbandonedUploads', '0 * * * *', async ({ now, until }) => {
  const createdBefore = new Date(now.getTime() - ABANDONED_MS);
  let failed = 0;
  const onFault = (objectName: string, error: unknown) => {
    failed++;
    logWarning('An abandoned upload could not be deleted.', error, { function: 'removeAbandonedUploads', objectName });
  };
  const removed = await deleteObjects(objectPaths.quarantine(), { createdBefore, until, onFault });
  return { removed, failed };
});
