import { fail } from '../errors';
import { accountDeletionRef } from './account-deletions';
import { readIn, type Transaction } from './database';
import { formerAccountRef, takeOver } from './former-accounts';
import { createUsage } from './organization-usage';
import { organizationRef, type Organization } from './organizations';
import { recipientKey } from './recipient-key';
import { findUserByEmail, userRef, type User } from './users';

/** A user and the organization that the user owns. A user owns at most one. */
interface Account {
  user: User;
  organization: Organization;
}

/**
 * The user with this address (lower case) and the user's organization. USER_HAS_NO_ORGANIZATION when one of them does
 * not exist. Two round trips.
 */
export async function getAccount(tx: Transaction, email: string): Promise<Account> {
  const user = await findUserByEmail(tx, email);
  if (!user?.organizationId) return fail('USER_HAS_NO_ORGANIZATION');
  const [organization] = await readIn(tx, organizationRef(user.organizationId));
  if (!organization) return fail('USER_HAS_NO_ORGANIZATION');
  return { user, organization };
}

const beingDeleted = {
  message: 'The account that this email address had is being deleted.',
  nextAction: 'Sign up again in 5 minutes.',
};

/**
 * Creates a user's organization on the free plan, and writes and returns the user. USER_ALREADY_HAS_ORGANIZATION when
 * the user has one, also from a concurrent signup. Reads before it writes.
 */
export async function createAccount<NewUser extends User & { organizationId: string }>(
  tx: Transaction,
  user: NewUser,
  organization: Omit<Organization, 'organizationId' | 'ownerId' | 'plan' | 'createdAt' | 'former'>,
): Promise<NewUser> {
  const { userId, organizationId, email, createdAt } = user;
  const key = await recipientKey();
  const refs = [userRef(userId), accountDeletionRef(userId), formerAccountRef(key, email)] as const;
  const [existing, deletion, before] = await readIn(tx, ...refs);
  if (existing?.organizationId) fail('USER_ALREADY_HAS_ORGANIZATION');
  // The identity of a deleted account is deleted at once; the job repeats it. A new account gets a new one.
  if (deletion) fail('USER_ALREADY_HAS_ORGANIZATION', undefined, beingDeleted);
  const written = { ...existing, ...user, createdAt: existing?.createdAt ?? createdAt };
  tx.set(userRef(userId), written);
  const former = takeOver(tx, before, email, { organizationId, key, now: createdAt });
  const own = { organizationId, ownerId: userId, plan: 'free' as const, createdAt, former };
  tx.create(organizationRef(organizationId), { ...organization, ...own });
  createUsage(tx, organizationId, createdAt);
  return written;
}
