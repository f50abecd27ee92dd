import { config } from '../../config';
import { deleteOldViews } from '../../records/retention';
import { job } from '../../schedules/job';

/** Deletes views and figures that are older than `VIEW_RETENTION_DAYS`. */
export const removeOldViews = job('removeOldViews', '20 * * * *', async ({ now, until }) => ({
  deleted: await deleteOldViews(config.viewRetentionDays(), now, until),
}));
