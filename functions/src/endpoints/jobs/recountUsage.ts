import { logWarning } from '../../log';
import { organizationsToRecount, repairUsage } from '../../records/organization-usage';
import { job } from '../../schedules/job';

/**
 * Counts the decks of each organization again once a week, from the records of the decks. Also ends the first count of
 * an organization that had too many decks for one request. The counts are changed in the
 * transactions that change the decks, so a difference is a fault: the job repairs and logs it.
 */
export const recountUsage = job('recountUsage', '0 * * * *', async ({ now, processItems }) => {
  let repaired = 0;
  const { done, failed } = await processItems(organizationsToRecount(now), async (organization) => {
    const difference = await repairUsage(organization.data(), now);
    if (!difference) return;
    repaired++;
    logWarning('The usage of an organization was counted wrongly.', 'The shards differed from the decks.', {
      organizationId: organization.id,
      ...difference,
    });
  });
  return { recounted: done, failed, repaired };
});
