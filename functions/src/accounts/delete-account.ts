import { closeDeck, emptyDeck } from '../decks/close-deck';
import { deleteIdentity } from '../identity/provider';
import { deletionBegunMail, deletionDoneMail } from '../mail/account-deletion';
import { sendNotice } from '../mail/send-notice';
import {
  accountDeletionRef,
  endAccountDeletion,
  updateAccountDeletion,
  type AccountDeletion,
} from '../records/account-deletions';
import { read, readIn } from '../records/database';
import { GRACE_MS } from '../records/deletions';
import { decksOfOwner, presentationRef } from '../records/presentations';
import { transact } from '../records/transact';

/** Deletes the identity of an ended account, so that its address can sign up again. */
export { deleteIdentity as endIdentity } from '../identity/provider';

/**
 * Continues the deletion of an account: tells the user, closes the decks, and then deletes everything else. Each step
 * may be repeated, so a run that was cut off is repeated by the next one. The last pass is due when no call that found
 * the account can still run. Begins no new deck after `until`.
 */
export async function continueAccountDeletion(userId: string, now: Date, until: Date): Promise<void> {
  const [found] = await read(accountDeletionRef(userId));
  if (!found) return;
  await deleteIdentity(userId);
  if (!found.isTold) await tellBegun(found);
  if (!(await closeDecks(found, now, until))) return;
  const lastPassAt = new Date(found.requestedAt.getTime() + 2 * GRACE_MS);
  if (now < lastPassAt) return updateAccountDeletion(userId, { dueAt: lastPassAt });
  await sendNotice(deletionDoneMail(found.emails[0]!), `account-deleted-${found.deletionId}`);
  await endAccountDeletion(userId);
}

async function tellBegun({ userId, emails, requestedAt, deletionId }: AccountDeletion): Promise<void> {
  await sendNotice(deletionBegunMail(emails[0]!, requestedAt), `account-deletion-${deletionId}`);
  await updateAccountDeletion(userId, { isTold: true });
}

/** Closes and empties the decks, the newest first. False when some are left to the next run. */
async function closeDecks({ userId }: AccountDeletion, now: Date, until: Date): Promise<boolean> {
  for await (const { id } of decksOfOwner(userId)) {
    if (new Date() > until) return false;
    await transact(async (tx) => {
      const [deck] = await readIn(tx, presentationRef(id));
      if (deck) await closeDeck(tx, deck, 'deleted-account', now);
    });
    await emptyDeck(id);
  }
  return true;
}
