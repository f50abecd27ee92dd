import { deleteParts } from '../../blobs/export-parts';
import { resendApiKey, serviceSecret } from '../../config';
import { makePart } from '../../exports/make-parts';
import { exportMail } from '../../mail/export-ready';
import { sendNotice } from '../../mail/send-notice';
import { read, refIf } from '../../records/database';
import {
  beginAttempt,
  deleteExport,
  dueExports,
  endRun,
  noteTold,
  type AccountExport,
} from '../../records/account-exports';
import { userRef } from '../../records/users';
import { job } from '../../schedules/job';

/**
 * Makes the parts of exports of accounts, tells their users when all are made, and deletes them after 7 days. A run that
 * is cut off repeats one part.
 */
export const exportAccounts = job(
  'exportAccounts',
  '* * * * *',
  async ({ now, until, processItems }) => {
    let parts = 0;
    let deleted = 0;
    const { failed } = await processItems(dueExports(now), async ({ id }) => {
      const found = await beginAttempt(id, now);
      if (!found) return;
      if (found.isTold) {
        deleted += await deleteParts(id);
        return deleteExport(id);
      }
      // Parts of the export before, and of attempts at the first part that were cut off.
      if (found.parts.length === 0) deleted += await deleteParts(id, found);
      let next: AccountExport | undefined = found;
      for (; next?.status === 'running' && new Date() < until; parts++) next = await makePart(next);
      if (next?.status === 'ready') await tell(next);
      else if (next) await endRun(next, now);
    });
    return { parts, deleted, failed };
  },
  [serviceSecret, resendApiKey],
  'heavyJob',
);

/** Mails the user. A run that is cut off here sends the same mail again, which the provider sends once. */
async function tell(ready: AccountExport): Promise<void> {
  const { requestedBy, exportId, parts, expiresAt } = ready;
  const [user] = await read(refIf(userRef, requestedBy));
  const of = { parts: parts.length, expiresAt: expiresAt! };
  if (user) await sendNotice(exportMail(user.email, of), `export-${exportId}`);
  await noteTold(ready);
}
