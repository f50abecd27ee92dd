import { fail } from '../errors';
import { readIn, type Transaction } from './database';
import { organizationRef, type Organization } from './organizations';
import { findUserByEmail, userRef, type User } from './users';

/** A user with the one organization that the user owns. */
interface Account {
  user: User;
  organization: Organization;
}

/** The user with that address and their organization; USER_HAS_NO_ORGANIZATION when one of them is missing. */
export async function getAccount(tx: Transaction, email: string): Promise<Account> {
  const user = await findUserByEmail(tx, email);
  if (!user?.organizationId) return fail('USER_HAS_NO_ORGANIZATION');
  const [organization] = await readIn(tx, organizationRef(user.organizationId));
  if (!organization) return fail('USER_HAS_NO_ORGANIZATION');
  return { user, organization };
}

/**
 * Writes a user and the user's organization, on the free plan. USER_ALREADY_HAS_ORGANIZATION when the user has one already: a racing
 * signup was faster. Reads before it writes.
 */
export async function createAccount(
  tx: Transaction,
  user: User & { organizationId: string },
  organization: Omit<Organization, 'organizationId' | 'ownerId' | 'plan' | 'createdAt'>,
): Promise<void> {
  const { userId, organizationId, createdAt } = user;
  const [existing] = await readIn(tx, userRef(userId));
  if (existing?.organizationId) fail('USER_ALREADY_HAS_ORGANIZATION');
  tx.set(userRef(userId), { ...user, createdAt: existing?.createdAt ?? createdAt });
  const record = { ...organization, organizationId, ownerId: userId, plan: 'free' as const, createdAt };
  tx.create(organizationRef(organizationId), record);
}
