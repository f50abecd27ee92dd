import { z } from 'zod';
import { collection, paths } from './collections';
import type { Transaction } from './database';
import { date } from './fields';

/** Document id: the uid at the identity provider. */
export const user = z.object({
  userId: z.string(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string().nullable(),
  organizationId: z.string().nullable(),
  createdAt: date,
});
export type User = z.output<typeof user>;

export const userRef = (userId: string) => collection(paths.users, user).doc(userId);

/** The user with that address (lower-cased), read in the transaction: a racing signup with the same address is seen. */
export async function findUserByEmail(tx: Transaction, email: string): Promise<User | undefined> {
  const found = await tx.get(collection(paths.users, user).where('email', '==', email).limit(1));
  return found.docs[0]?.data();
}

/** First and last name, or the first alone. */
export function displayNameOf({ firstName, lastName }: { firstName: string; lastName?: string | null }): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}
