import { z } from 'zod';
import { collection, date, paths } from './collections';
import type { Transaction } from './database';

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

/** Changes the names of a user, and returns the user. */
export function renameUser(tx: Transaction, user: User, names: Partial<Pick<User, 'firstName' | 'lastName'>>): User {
  tx.update(userRef(user.userId), names);
  return { ...user, ...names };
}

/** Copies the first colour of an organization to its owner. */
export function setBrandColour(tx: Transaction, userId: string, brandColour: string | null): void {
  tx.update(userRef(userId), { brandColour });
}

/** The first and last name, or the first name alone. */
export function displayNameOf({ firstName, lastName }: { firstName: string; lastName?: string | null }): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}

/** A user as the sender of mails. Null for a caller who is not a user. */
export const senderOf = (user: User | undefined) => (user ? { name: displayNameOf(user), email: user.email } : null);
