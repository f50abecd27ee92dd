import { objectPaths } from '../../blobs/bucket';
import { deleteObjects } from '../../blobs/removal';
import { job } from '../../http/job';

/** Twice the life of an upload session: nobody can complete an upload of that age any more. */
const ABANDONED_MS = 2 * 3600_000;

/** Removes what was uploaded straight to the bucket and never completed. */
export const removeAbandonedUploads = job('removeAbandonedUploads', 'every 60 minutes', async ({ now, until }) => {
  const madeBefore = new Date(now.getTime() - ABANDONED_MS);
  return { removed: await deleteObjects(objectPaths.quarantine(), { madeBefore, until }) };
});
