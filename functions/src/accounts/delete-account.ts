import { deleteParts } from '../blobs/export-parts';
import { deleteLogos } from '../blobs/logos';
import { closeDeck, emptyDeck } from '../decks/close-deck';
import { deleteIdentity } from '../identity/provider';
import { deletionBegunMail, deletionDoneMail } from '../mail/account-deletion';
import { sendNotice } from '../mail/send-notice';
import { accessRequestsAbout, dropAccessRequest } from '../records/access-requests';
import {
  accountDeletionRef,
  deleteOrganization,
  deleteOrganizationRecords,
  endAccountDeletion,
  updateAccountDeletion,
  type AccountDeletion,
} from '../records/account-deletions';
import { deleteKeys } from '../records/api-keys';
import { forgetCollaborator } from '../records/collaborators';
import { endAllDashboardSessions } from '../records/dashboard-sessions';
import { read, readIn, refIf } from '../records/database';
import { GRACE_MS } from '../records/deletions';
import { forgetUserInEvents } from '../records/forgotten-events';
import { keepingTakedown } from '../records/former-accounts';
import { deleteRemixer, deleteStar, remixersOf, removeStar, starsOf } from '../records/listing-counters';
import { listingRef, listingsOfOwner, stripListing } from '../records/listings';
import { decksOfOwner, presentationRef } from '../records/presentations';
import {
  endRemoval,
  forgottenAddress,
  readerRemovalRef,
  removeReader,
  requestedRemovals,
} from '../records/reader-removals';
import { recipientKey } from '../records/recipient-key';
import { transact } from '../records/transact';
import { expireSession, sessionsOfOrganization, uploadSessionRef } from '../records/upload-sessions';
import { addressesWithoutUser } from '../records/users';
import { endDigest, noticeDaysOf } from '../records/view-notices';

/** Deletes the identity of an ended account, so that its address can sign up again. */
export { deleteIdentity as endIdentity } from '../identity/provider';

/**
 * When the last pass is due: no call that found the account or one of its decks can still write, and `finishDeletions`
 * has ended the deletions of the decks.
 */
const LAST_PASS_MS = 2 * GRACE_MS;

/**
 * Continues the deletion of an account: tells the user, closes the decks, and then deletes everything else. Each step
 * may be repeated, so a run that was cut off is repeated by the next one. The last pass repeats all of them. Begins no
 * new deck after `until`.
 */
export async function continueAccountDeletion(userId: string, now: Date, until: Date): Promise<void> {
  const [found] = await read(accountDeletionRef(userId));
  if (!found) return;
  await deleteIdentity(userId);
  // No link stays open because the mail is not accepted: the run fails at its end, and the next one sends the mail.
  const [told] = await Promise.allSettled([found.isTold ? undefined : tellBegun(found)]);
  const key = await recipientKey();
  // Behind the accounts that ended before this run: their links are still open.
  if (!(await closeDecks(found, key, now, until))) return updateAccountDeletion(userId, { dueAt: now });
  await deleteOwned(found, key, now);
  await forgetAmongOthers(found, key, now);
  if (told.status === 'rejected') throw told.reason;
  const lastPassAt = new Date(found.requestedAt.getTime() + LAST_PASS_MS);
  if (now < lastPassAt) return updateAccountDeletion(userId, { dueAt: lastPassAt });
  await deleteOrganization(found.organizationId);
  await sendNotice(deletionDoneMail(found.emails[0]!), `account-deleted-${found.deletionId}`);
  await endAccountDeletion(userId);
}

async function tellBegun({ userId, emails, requestedAt, deletionId }: AccountDeletion): Promise<void> {
  await sendNotice(deletionBegunMail(emails[0]!, requestedAt), `account-deletion-${deletionId}`);
  await updateAccountDeletion(userId, { isTold: true });
}

/** Closes and empties the decks, the newest first. False when some are left to the next run. */
async function closeDecks({ userId, emails }: AccountDeletion, key: string, now: Date, until: Date): Promise<boolean> {
  for await (const { id } of decksOfOwner(userId)) {
    if (new Date() > until) return false;
    await transact(async (tx) => {
      const [deck] = await readIn(tx, presentationRef(id));
      if (!deck) return;
      const [listing] = await readIn(tx, refIf(listingRef, deck.listingSlug));
      const keepTakedown = await keepingTakedown(tx, key, emails[0]!);
      const takedowns = [
        ...(deck.takedown ? [{ what: 'deck' as const, ...deck.takedown }] : []),
        ...(listing?.takedown && !listing.takedown.withDeck ? [{ what: 'listing' as const, ...listing.takedown }] : []),
      ].map(({ what, at, reason }) => ({ what, at, reason }));
      await closeDeck(tx, deck, 'system', now);
      keepTakedown(takedowns);
    });
    await emptyDeck(id);
  }
  return true;
}

/** Deletes what the user and the organization have beside decks. */
async function deleteOwned({ userId, organizationId }: AccountDeletion, key: string, now: Date): Promise<void> {
  for await (const { id } of sessionsOfOrganization(organizationId)) {
    await transact(async (tx) => {
      const [session] = await readIn(tx, uploadSessionRef(id));
      if (session) expireSession(tx, id, session, now);
    });
  }
  for await (const { id } of listingsOfOwner(userId)) {
    await transact(async (tx) => {
      const [listing] = await readIn(tx, listingRef(id));
      if (listing?.ownerId === userId && listing.deletedAt) stripListing(tx, listing);
    });
  }
  for await (const { id } of requestedRemovals()) {
    const [removal] = await read(readerRemovalRef(id));
    if (removal?.organizationId === organizationId) await endRemoval(id, removal);
  }
  for await (const { id } of noticeDaysOf(userId)) await endDigest(id);
  await endAllDashboardSessions(userId);
  await deleteKeys(organizationId);
  await deleteOrganizationRecords(organizationId);
  await deleteParts(organizationId);
  await deleteLogos(userId);
}

/**
 * Takes the user out of what others have, and the addresses, but for those that another account has by now: what names
 * them is about that account.
 */
async function forgetAmongOthers({ userId, ...of }: AccountDeletion, key: string, now: Date): Promise<void> {
  const { displayName } = of;
  const emails = await transact((tx) => addressesWithoutUser(tx, of.emails));
  const replacementOf = (organizationId: string, email: string) => forgottenAddress(key, organizationId, email);
  for await (const { slug } of starsOf(userId)) {
    const [listing] = await read(listingRef(slug));
    if (listing) await removeStar(listing, userId);
    else await transact((tx) => Promise.resolve(deleteStar(tx, slug, userId)));
  }
  for await (const { slug } of remixersOf(userId))
    await transact((tx) => Promise.resolve(deleteRemixer(tx, slug, userId)));
  for await (const { id } of accessRequestsAbout(userId, emails))
    await transact((tx) => Promise.resolve(dropAccessRequest(tx, id)));
  await forgetCollaborator({ userId, emails: of.emails, unused: emails }, replacementOf, now);
  for (const email of emails) await removeReader(email, undefined, key);
  // After all of them: what they change tells events.
  await forgetUserInEvents({ userId, emails, displayName }, replacementOf);
}
