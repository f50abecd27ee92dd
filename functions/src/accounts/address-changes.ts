import { acceptInvitations } from '../decks/invitations';
import { fail } from '../errors';
import { findIdentity, setIdentityEmail } from '../identity/provider';
import { addressChangedMail } from '../mail/address-changed';
import { sendNotice } from '../mail/send-notice';
import { endAccess } from '../records/account-access';
import {
  changesOf,
  identityEmailOf,
  noteEnded,
  noteFinished,
  noteTold,
  takeBackToken,
} from '../records/address-changes';
import { moveCollaborations } from '../records/collaborators';
import { read } from '../records/database';
import { userRef, type User } from '../records/users';

/**
 * USER_ALREADY_HAS_ORGANIZATION when another account had the address until a few days ago: its owner may take the
 * change back. The identity provider keeps the address for that account.
 */
export async function assertUnreserved(email: string, userId: string): Promise<void> {
  const holder = await findIdentity(email);
  if (holder === undefined || holder === userId) return;
  if ((await read(userRef(holder)))[0]) fail('USER_ALREADY_HAS_ORGANIZATION');
}

/** Ends access to an account, once after each change that was taken back. Returns the user as it is then. */
export async function endAccessTakenBack(user: User, now: Date): Promise<User> {
  if (!changesOf(user).some(({ isTakenBack, isEnded }) => isTakenBack && !isEnded)) return user;
  await endAccess(user, now);
  return noteEnded(user);
}

/**
 * Does what the changes of a user's address leave to do: tells the former addresses, moves the access to decks of
 * others, ends access after a change that was taken back, and after 7 days gives the identity provider the
 * address. Each step may be repeated, so a call that was cut off is repeated by the job.
 */
export async function finishChanges(userId: string, now: Date): Promise<void> {
  const [found] = await read(userRef(userId));
  if (!found?.changeDueAt) return;
  const user = await endAccessTakenBack(found, now);
  const changes = changesOf(user);
  for (const change of changes) {
    if (change.isTold || change.isTakenBack) continue;
    const mail = addressChangedMail({ ...change, token: takeBackToken(userId, change) });
    await sendNotice(mail, `address-change-${change.changeId}`);
    await noteTold(user, change);
  }
  const former = new Set(changes.flatMap(({ from, to }) => [from, to]));
  former.delete(user.email);
  for (const address of former) await moveCollaborations(address, user);
  await acceptInvitations(user, now);
  await setIdentityEmail(userId, identityEmailOf(user, now), async (other) => !(await read(userRef(other)))[0]);
  await noteFinished(user, now);
}
