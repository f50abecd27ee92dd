import { resendApiKey, serviceSecret } from '../../config';
import { deliverAccessRequest, warnOfGuesses } from '../../decks/owner-notices';
import { dueAccessRequests } from '../../records/access-requests';
import { guessedLinks } from '../../records/link-guards';
import { job } from '../../schedules/job';

/** Mails the owners of decks: about requests for access, and about links at which many wrong passcodes were tried. */
export const notifyOwners = job(
  'notifyOwners',
  '* * * * *',
  async ({ now, processItems }) => {
    const asked = await processItems(dueAccessRequests(), ({ id }) => deliverAccessRequest(id, now));
    const guessed = await processItems(guessedLinks(), (link) => warnOfGuesses(link, now));
    return { asked: asked.done, guessed: guessed.done, failed: asked.failed + guessed.failed };
  },
  [serviceSecret, resendApiKey],
);
