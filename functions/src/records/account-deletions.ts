import { z } from 'zod';
import { displayNameOf } from '../values/display-name';
import { newId } from '../values/ids';
import { deletingKeys } from './api-keys';
import { collection, date, documentOf, paths } from './collections';
import { endingSessions } from './dashboard-sessions';
import { idsOf, type Transaction } from './database';
import { deleteBelow } from './deletions';
import { keepingAccount } from './former-accounts';
import { usageRef } from './organization-usage';
import { organizationRef } from './organizations';
import { recordAction, type OperatorAction } from './operator-actions';
import { db } from './sdk';
import { addressesWithoutUser, userRef, type User } from './users';
import { deletingWebhooks } from './webhooks';

/**
 * An account that is being deleted. The transaction that creates this record deletes the document of the user, so no
 * call finds the user from then on, and no code signs in. `deleteAccounts` deletes what the account has.
 */
const accountDeletion = z.object({
  /** Names the mails about this deletion. */
  deletionId: z.string(),
  userId: z.string(),
  organizationId: z.string(),
  /** The address of the account, which is told, and the addresses that it had in the last 7 days. */
  emails: z.array(z.string()),
  /** The name of the user, which events of others tell. */
  displayName: z.string(),
  requestedAt: date,
  /** Whether the user knows that the deletion has begun. */
  isTold: z.boolean(),
  /** When the job has work with it. */
  dueAt: date,
});
export type AccountDeletion = z.output<typeof accountDeletion>;

export const accountDeletionRef = (userId: string) => collection(paths.accountDeletions, accountDeletion).doc(userId);

/**
 * Ends an account: its user, its sessions, its keys and its webhooks, of which none is accepted from now on. Reads
 * before it writes. A sign-in or a new key that races is found by the queries, or finds no user. `key` is that of
 * records/recipient-key.
 */
export async function beginAccountDeletion(
  tx: Transaction,
  user: User & { organizationId: string },
  key: string,
  now: Date,
  by: Pick<OperatorAction, 'operator' | 'reason'> = { operator: 'the owner', reason: null },
): Promise<void> {
  const { userId, organizationId, email, addressChanges = [] } = user;
  const former = new Set(addressChanges.flatMap(({ from, to }) => [from, to]));
  former.delete(email);
  // An address that the user gave back may be that of another account.
  const emails = [email, ...(await addressesWithoutUser(tx, [...former]))];
  const ends = await Promise.all([
    endingSessions(tx, userId),
    deletingKeys(tx, organizationId),
    deletingWebhooks(tx, organizationId),
    keepingAccount(tx, organizationId, { emails, key, now }),
  ]);
  for (const end of ends) end();
  const displayName = displayNameOf(user);
  const record = {
    deletionId: newId(),
    userId,
    organizationId,
    emails,
    displayName,
    requestedAt: now,
    isTold: false,
    dueAt: now,
  };
  tx.create(accountDeletionRef(userId), record);
  tx.delete(userRef(userId));
  recordAction(tx, { ...by, action: 'delete-account', target: organizationId, at: now });
}

/** The users whose deletion the job has work with, the longest due first. */
export const dueAccountDeletions = (now: Date): AsyncGenerator<{ id: string }> =>
  idsOf(collection(paths.accountDeletions, accountDeletion).query().where('dueAt', '<=', now).orderBy('dueAt'));

/** Notes a step of the job. */
export async function updateAccountDeletion(
  userId: string,
  changes: Partial<Pick<AccountDeletion, 'isTold' | 'dueAt'>>,
): Promise<void> {
  await documentOf(accountDeletionRef(userId)).update(changes);
}

/** Deletes the records of the organization that no other record needs. */
export async function deleteOrganizationRecords(organizationId: string): Promise<void> {
  for (const pathOf of [paths.events, paths.webhooks, paths.webhookDeliveries, paths.organizationInsights])
    await deleteBelow(db().collection(pathOf(organizationId)));
  await deleteBelow(db().doc(`${paths.mailReports}/${organizationId}`));
  for (const collectionPath of [paths.mailWindows, paths.listingWindows, paths.webhookStates, paths.accountExports])
    await db().doc(`${collectionPath}/${organizationId}`).delete();
}

/** Deletes the organization and its usage, which the decks needed. */
export async function deleteOrganization(organizationId: string): Promise<void> {
  await documentOf(usageRef(organizationId)).delete();
  await deleteBelow(documentOf(organizationRef(organizationId)));
}

/** Deletes the record of a deletion, of which nothing is left to do. */
export async function endAccountDeletion(userId: string): Promise<void> {
  await documentOf(accountDeletionRef(userId)).delete();
}
