import { finishChanges } from '../../accounts/address-changes';
import { resendApiKey, serviceSecret } from '../../config';
import { dueChanges } from '../../records/address-changes';
import { job } from '../../schedules/job';

/** Finishes changes of addresses that were cut off, and ends those that nobody can take back any more. */
export const finishAccountChanges = job(
  'finishAccountChanges',
  '*/5 * * * *',
  async ({ now, processItems }) => {
    const { done, failed } = await processItems(dueChanges(now), ({ id }) => finishChanges(id, now));
    return { finished: done, failed };
  },
  [serviceSecret, resendApiKey],
);
