import { logWarning } from '../../log';
import { recountUsage as recount, usagesToRecount } from '../../records/organization-usage';
import { transact } from '../../records/transact';
import { job } from '../../schedules/job';

/**
 * Counts the decks of each organization again once a week, from the records of the decks. The counts are changed in the
 * transactions that change the decks, so a difference is a fault: the job repairs and logs it.
 */
export const recountUsage = job('recountUsage', '0 * * * *', async ({ now, processItems }) => {
  let repaired = 0;
  const { done, failed } = await processItems(usagesToRecount(now), async ({ id: organizationId }) => {
    const difference = await transact((tx) => recount(tx, organizationId, now));
    if (!difference) return;
    repaired++;
    logWarning('The usage of an organization was counted wrongly.', 'The counts differed from the decks.', {
      organizationId,
      ...difference,
    });
  });
  return { recounted: done, failed, repaired };
});
