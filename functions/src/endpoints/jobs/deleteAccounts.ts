import { continueAccountDeletion } from '../../accounts/delete-account';
import { resendApiKey, serviceSecret } from '../../config';
import { dueAccountDeletions } from '../../records/account-deletions';
import { job } from '../../schedules/job';

/** Deletes what the accounts have that deleteAccount has ended, and tells their users. */
export const deleteAccounts = job(
  'deleteAccounts',
  '* * * * *',
  async ({ now, until, processItems }) => {
    const { done, failed } = await processItems(dueAccountDeletions(now), ({ id }) =>
      continueAccountDeletion(id, now, until),
    );
    return { continued: done, failed };
  },
  [serviceSecret, resendApiKey],
);
