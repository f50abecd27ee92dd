import { resendApiKey, serviceSecret } from '../../config';
import { forgottenMail } from '../../mail/forgotten';
import { sendNotice } from '../../mail/send-notice';
import { read } from '../../records/database';
import { endRemoval, readerRemovalRef, removeReader, requestedRemovals } from '../../records/reader-removals';
import { recipientKey } from '../../records/recipient-key';
import { userRef } from '../../records/users';
import { job } from '../../schedules/job';

/** Removes the addresses of readers whom organizations want to be forgotten, and tells who asked for it. */
export const forgetReaders = job(
  'forgetReaders',
  '*/5 * * * *',
  async ({ processItems }) => {
    const key = await recipientKey();
    const { done, failed } = await processItems(requestedRemovals(), async ({ id }) => {
      const [removal] = await read(readerRemovalRef(id));
      if (!removal) return;
      await removeReader(removal.email, removal, key);
      const [user] = await read(userRef(removal.userId));
      // A run that is cut off here sends the same mail again, which the provider sends once.
      if (user) await sendNotice(forgottenMail(user.email, removal.email), `forgotten-${id}-${+removal.requestedAt}`);
      await endRemoval(id, removal);
    });
    return { forgotten: done, failed };
  },
  [serviceSecret, resendApiKey],
);
