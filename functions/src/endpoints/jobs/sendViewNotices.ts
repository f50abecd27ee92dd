import { resendApiKey, serviceSecret } from '../../config';
import { sendDigest, sendViewNotice } from '../../decks/view-notices';
import { dueDigests, dueNotices } from '../../records/view-notices';
import { job } from '../../schedules/job';

/** Mails owners the first views of their links with `notify: first`: 20 mails a day, and the others in one digest. */
export const sendViewNotices = job(
  'sendViewNotices',
  '* * * * *',
  async ({ now, processItems }) => {
    const notices = await processItems(dueNotices(now), ({ id }) => sendViewNotice(id, now));
    const digests = await processItems(dueDigests(now), ({ id }) => sendDigest(id, now));
    return { notices: notices.done, digests: digests.done, failed: notices.failed + digests.failed };
  },
  [serviceSecret, resendApiKey],
);
