import { z } from 'zod';
import { userView } from '../rows/accounts';
import { displayNameOf } from '../values/display-name';
import { anyFields, collection, date, paths } from './collections';
import { idsOf, read, type Transaction } from './database';
import { addEvent, changedFrom } from './events';
import { sdk } from './sdk';
import { transact } from './transact';

/** A change of a user's address. The owner of the former address may take it back for 7 days. */
const addressChange = z.object({
  changeId: z.string(),
  from: z.string(),
  to: z.string(),
  at: date,
  /** Whether the mail to the former address was accepted. */
  isTold: z.boolean(),
  isTakenBack: z.boolean(),
  /** Whether access was ended after it was taken back: sessions, keys and webhooks. */
  isEnded: z.boolean(),
});
export type AddressChange = z.output<typeof addressChange>;

/** A user. Written when the user signs up. */
export const user = z.object({
  userId: z.string(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string().nullable(),
  organizationId: z.string().nullable(),
  /** The first colour of the organization: the lists of the marketplace read users, and no organizations. */
  brandColour: z.string().nullable(),
  createdAt: date,
  /** How often the devices of the user were forgotten; absent before the first time. See records/devices. */
  deviceEpoch: z.number().int().optional(),
  /** When the names of the user or the organization changed, until the search has the new ones. */
  renamedAt: date.optional(),
  /** The changes of the address in the last 7 days, the oldest first. Absent without one. */
  addressChanges: z.array(addressChange).optional(),
  /** When a job looks at the changes of the address next. See records/address-changes. */
  changeDueAt: date.optional(),
});
export type User = z.output<typeof user>;

export const userRef = (userId: string) => collection(paths.users, user).doc(userId);

/**
 * The user with this address (lower case), or undefined. The query is part of the transaction, so a concurrent signup
 * with the same address is seen.
 */
export async function findUserByEmail(tx: Transaction, email: string): Promise<User | undefined> {
  const found = await tx.get(collection(paths.users, user).query().where('email', '==', email).limit(1));
  return found.docs[0]?.data();
}

/** The addresses that no user has. */
export async function addressesWithoutUser(tx: Transaction, emails: readonly string[]): Promise<string[]> {
  const holders = await Promise.all(emails.map((email) => findUserByEmail(tx, email)));
  return emails.filter((_, i) => !holders[i]);
}

/** Changes the names of a user, and returns the user. */
export function renameUser(
  tx: Transaction,
  user: User,
  names: Partial<Pick<User, 'firstName' | 'lastName'>>,
  now: Date,
): User {
  tx.update(userRef(user.userId), { ...names, renamedAt: now });
  const renamed = { ...user, ...names };
  const { organizationId } = user;
  const row = userView(renamed);
  const data = { user: row, before: changedFrom(userView(user), row) };
  if (organizationId) addEvent(tx, 'account.changed', { organizationId }, data);
  return renamed;
}

/** Every user whose new names the search does not have yet, as `id`. */
export const renamedUsers = (): AsyncGenerator<{ id: string }> =>
  idsOf(collection(paths.users, user).query().orderBy('renamedAt'));

/** Runs `work` for a renamed user, and then forgets that the user was renamed, unless it was renamed again. */
export async function finishRename(userId: string, work: () => Promise<void>): Promise<void> {
  const [before] = await read(userRef(userId));
  await work();
  await transact(async (tx) => {
    const [present] = await tx.read([userRef(userId)]);
    if (!present || present.renamedAt?.getTime() !== before?.renamedAt?.getTime()) return;
    tx.update(anyFields(userRef(userId)), { renamedAt: sdk().FieldValue.delete() });
  });
}

/** Notes at the owner of an organization that it has another first colour or name. */
export function noteChange(
  tx: Transaction,
  userId: string,
  changes: Partial<Pick<User, 'brandColour' | 'renamedAt'>>,
): void {
  if (Object.keys(changes).length > 0) tx.update(userRef(userId), changes);
}

/** A user as the sender of mails. Null for a caller who is not a user. */
export const senderOf = (user: User | undefined) => (user ? { name: displayNameOf(user), email: user.email } : null);
