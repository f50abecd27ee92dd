import { deleteParts } from '../../blobs/export-parts';
import { resendApiKey, serviceSecret } from '../../config';
import { makePart } from '../../exports/make-parts';
import { exportFailedMail, exportReadyMail } from '../../mail/account-export';
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
 * Makes the parts of exports of accounts, tells their users when all are made, and deletes them after 7 days. A run
 * that is cut off repeats one part. An export that fails again and again is given up, and its user is told.
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
      // Also an export of which nobody could be told: no mail was accepted.
      if (found.isTold || (found.expiresAt && found.expiresAt <= now)) {
        deleted += await deleteParts(id);
        return deleteExport(found);
      }
      // Parts of the export before, and of attempts at the first part that were cut off. Of a failed export all of
      // them.
      if (found.parts.length === 0) deleted += await deleteParts(id, found.status === 'failed' ? undefined : found);
      let next: AccountExport | undefined = found;
      for (; next?.status === 'running' && new Date() < until; parts++) next = await makePart(next);
      if (next?.status === 'ready' || next?.status === 'failed') await tell(next);
      else if (next) await endRun(next, now);
    });
    return { parts, deleted, failed };
  },
  [serviceSecret, resendApiKey],
  'heavyJob',
);

/** Mails the user. A run that is cut off here sends the same mail again, which the provider sends once. */
async function tell(ended: AccountExport): Promise<void> {
  const { requestedBy, exportId, status, parts, expiresAt } = ended;
  const [user] = await read(refIf(userRef, requestedBy));
  const mailTo = (email: string) =>
    status === 'failed'
      ? exportFailedMail(email)
      : exportReadyMail(email, { parts: parts.length, expiresAt: expiresAt! });
  if (user) await sendNotice(mailTo(user.email), `export-${exportId}`);
  await noteTold(ended);
}
