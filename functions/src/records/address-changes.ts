import { serviceSecrets } from '../config';
import { fail } from '../errors';
import { userView } from '../rows/accounts';
import { newId } from '../values/ids';
import { seal, unseal } from '../values/secrets';
import { DAY_MS } from '../values/units';
import { anyFields, collection, paths } from './collections';
import { idsOf, readIn, type Transaction } from './database';
import { forgetDevices } from './devices';
import { addEvent, changedFrom } from './events';
import { sdk } from './sdk';
import { transact } from './transact';
import { findUserByEmail, user as userSchema, userRef, type AddressChange, type User } from './users';

/** How long the owner of the former address may take a change back. */
const TAKE_BACK_MS = 7 * DAY_MS;
/** The changes of an account in that time. They bound the record. */
const MAX_CHANGES = 10;
const PURPOSE = 'address-change';

/** The changes of a user, in the order in which they were made. */
export const changesOf = ({ addressChanges = [] }: User): AddressChange[] => addressChanges;

const endOf = ({ at }: AddressChange) => new Date(at.getTime() + TAKE_BACK_MS);
const areLive = (changes: readonly AddressChange[], now: Date) => changes.filter((change) => endOf(change) > now);

/**
 * Writes another address, and what follows from it everywhere: old device tokens are useless, and an event tells it.
 */
function writeAddress(tx: Transaction, user: User, email: string, addressChanges: AddressChange[], now: Date): User {
  const changed = { ...user, email, addressChanges, changeDueAt: now };
  tx.update(userRef(user.userId), { email, addressChanges, changeDueAt: now });
  forgetDevices(tx, user);
  const row = userView(changed);
  const data = { user: row, before: changedFrom(userView(user), row) };
  if (user.organizationId) addEvent(tx, 'account.changed', { organizationId: user.organizationId }, data);
  return changed;
}

/**
 * Gives the user another address and returns the user. USER_ALREADY_HAS_ORGANIZATION when the address has an account,
 * rate-limited after 10 changes in 7 days. `finishChanges` does the rest. Reads before it writes.
 */
export async function changeAddress(tx: Transaction, user: User, to: string, now: Date): Promise<User> {
  if (await findUserByEmail(tx, to)) fail('USER_ALREADY_HAS_ORGANIZATION');
  const changes = changesOf(user);
  const live = areLive(changes, now);
  if (live.length >= MAX_CHANGES) {
    const retryInSeconds = Math.ceil((endOf(live[0]!).getTime() - now.getTime()) / 1000);
    fail('rate-limited', { retryInSeconds, limit: MAX_CHANGES, windowSeconds: TAKE_BACK_MS / 1000 });
  }
  const change = {
    changeId: newId(),
    from: user.email,
    to,
    at: now,
    isTold: false,
    isTakenBack: false,
    isEnded: false,
  };
  return writeAddress(tx, user, to, [...changes, change], now);
}

/** The token in the link that takes a change back. It is sealed, so it reveals nothing. */
export function takeBackToken(userId: string, { changeId }: AddressChange): string {
  return seal(serviceSecrets.current(), PURPOSE, `${userId} ${changeId}`, '');
}

/** What such a token names; undefined for a text that the service did not seal for this purpose. */
export function openTakeBackToken(token: string): { userId: string; changeId: string } | undefined {
  try {
    const [userId, changeId] = unseal(serviceSecrets.accepted(), PURPOSE, token, '').split(' ');
    return { userId: userId!, changeId: changeId! };
  } catch {
    return undefined;
  }
}

interface Named {
  userId: string;
  changeId: string;
}

/** Whether a change can be taken back, or was taken back: expired for any other. */
async function findChange(tx: Transaction | undefined, { userId, changeId }: Named, now: Date) {
  const [user] = await readIn(tx, userRef(userId));
  const change = areLive(user ? changesOf(user) : [], now).find((each) => each.changeId === changeId);
  // A change that was taken back together with an earlier one cannot be taken back alone.
  if (!user || !change || (change.isTakenBack && user.email !== change.from)) return fail('expired');
  return { user, change };
}

/** A change whose link works: expired after 7 days, and for one that was undone together with an earlier one. */
export const readChange = async (named: Named, now: Date): Promise<AddressChange> =>
  (await findChange(undefined, named, now)).change;

/**
 * Gives the account the address that it had before a change, whatever its address is now: that change and all later
 * ones are undone. conflict when the former address has another account. Idempotent. The caller ends the access of the
 * other person after that; the job does it when the caller was cut off.
 */
export function takeBack(named: Named, now: Date): Promise<User> {
  return transact(async (tx) => {
    const { user, change } = await findChange(tx, named, now);
    if (change.isTakenBack) return user;
    const other = await findUserByEmail(tx, change.from);
    if (other && other.userId !== user.userId) fail('conflict');
    const changes = changesOf(user);
    const from = changes.indexOf(changes.find(({ changeId }) => changeId === change.changeId)!);
    const undone = changes.map((each, i) => (i < from ? each : { ...each, isTakenBack: true }));
    return writeAddress(tx, user, change.from, undone, now);
  });
}

/** Notes that access ended after the changes of `user` that were taken back. Returns the user as it is then. */
export function noteEnded(user: User): Promise<User> {
  const ended = new Set(changesOf(user).flatMap(({ changeId, isTakenBack }) => (isTakenBack ? changeId : [])));
  return transact(async (tx) => {
    const [present] = await readIn(tx, userRef(user.userId));
    if (!present?.addressChanges) return user;
    const note = (each: AddressChange) => (ended.has(each.changeId) ? { ...each, isEnded: true } : each);
    const addressChanges = present.addressChanges.map(note);
    tx.update(userRef(user.userId), { addressChanges });
    return { ...present, addressChanges };
  });
}

/** Notes that the former address was told of a change: a run that is repeated does not mail it again. */
export const noteTold = ({ userId }: User, { changeId }: AddressChange): Promise<void> =>
  transact(async (tx) => {
    const [user] = await readIn(tx, userRef(userId));
    if (!user?.addressChanges) return;
    const note = (each: AddressChange) => (each.changeId === changeId ? { ...each, isTold: true } : each);
    tx.update(userRef(userId), { addressChanges: user.addressChanges.map(note) });
  });

/** The users whose changes have something to be done, the longest due first. */
export const dueChanges = (now: Date): AsyncGenerator<{ id: string }> =>
  idsOf(collection(paths.users, userSchema).query().where('changeDueAt', '<=', now).orderBy('changeDueAt'));

/** The address that the identity provider has: nobody else signs up with it while a change can be taken back. */
export const identityEmailOf = (user: User, now: Date): string => areLive(changesOf(user), now)[0]?.from ?? user.email;

/**
 * Notes that all was done for the changes that `user` had when it was read, and drops those that nobody can take back.
 * Leaves a user whose changes are others by now.
 */
export function noteFinished(finished: User, now: Date): Promise<void> {
  const { userId } = finished;
  const toldOf = (user: User) => JSON.stringify(changesOf(user).map((each) => ({ ...each, isTold: true })));
  return transact(async (tx) => {
    const [user] = await readIn(tx, userRef(userId));
    if (!user || toldOf(user) !== toldOf(finished)) return;
    const live = areLive(changesOf(user), now).map((each) => ({ ...each, isTold: true }));
    const gone = sdk().FieldValue.delete();
    tx.update(
      anyFields(userRef(userId)),
      live.length > 0
        ? { addressChanges: live, changeDueAt: endOf(live[0]!) }
        : { addressChanges: gone, changeDueAt: gone },
    );
  });
}
