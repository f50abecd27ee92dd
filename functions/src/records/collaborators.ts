import { createHash } from 'node:crypto';
import { z } from 'zod';
import { collection, collectionGroup, paths } from './collections';
import { read, type Transaction } from './database';
import { date } from './fields';
import { presentationRef, type Presentation } from './presentations';
import { transact } from './transact';
import { displayNameOf, type User } from './users';

/** Somebody who was invited to a deck; one row for each address, whatever became of it. */
const collaborator = z.object({
  collaboratorId: z.string(),
  presentationId: z.string(),
  email: z.string(),
  userId: z.string().nullable(),
  displayName: z.string().nullable(),
  status: z.enum(['pending', 'active', 'revoked']),
  invitedBy: z.string(),
  invitedAt: date,
  activatedAt: date.nullable(),
  revokedAt: date.nullable(),
});
export type Collaborator = z.output<typeof collaborator>;

const rows = (presentationId: string) => collection(paths.collaborators(presentationId), collaborator);

export const collaboratorRef = (presentationId: string, email: string) =>
  rows(presentationId).doc(createHash('sha256').update(email).digest('hex'));

/** Every row of a deck, oldest invitation first. One query. */
export async function listCollaborators(presentationId: string): Promise<Collaborator[]> {
  const found = await rows(presentationId).orderBy('invitedAt').get();
  return found.docs.map((document) => document.data());
}

/** How many rows of a deck are not revoked, as the transaction sees it. */
export async function countCollaborators(tx: Transaction, presentationId: string): Promise<number> {
  const found = await tx.get(rows(presentationId).where('status', 'in', ['pending', 'active']));
  return found.size;
}

/** The row with that id, if the deck has one. */
export async function findCollaborator(
  tx: Transaction,
  presentationId: string,
  collaboratorId: string,
): Promise<Collaborator | undefined> {
  const found = await tx.get(rows(presentationId).where('collaboratorId', '==', collaboratorId).limit(1));
  return found.docs[0]?.data();
}

/** Makes a pending or new row active: from now on the user is a member of the deck. */
export function activate(tx: Transaction, deck: Presentation, row: Collaborator, user: User, now: Date): Collaborator {
  const active: Collaborator = {
    ...row,
    status: 'active',
    userId: user.userId,
    displayName: displayNameOf(user),
    activatedAt: now,
    revokedAt: null,
  };
  tx.set(collaboratorRef(deck.presentationId, row.email), active);
  tx.update(presentationRef(deck.presentationId), { memberIds: [...new Set([...deck.memberIds, user.userId])] });
  return active;
}

/** Takes the row's access away; the user's next call is refused. */
export function revoke(tx: Transaction, deck: Presentation, row: Collaborator, now: Date): Collaborator {
  const revoked: Collaborator = { ...row, status: 'revoked', revokedAt: now };
  tx.set(collaboratorRef(deck.presentationId, row.email), revoked);
  tx.update(presentationRef(deck.presentationId), {
    memberIds: deck.memberIds.filter((id) => id !== row.userId || id === deck.ownerId),
  });
  return revoked;
}

/**
 * Turns what is pending for an address into access, after its owner has signed up or logged in. Each invitation in a transaction of its own, so that one
 * that is revoked at the same moment stays revoked.
 */
export async function activateInvitations(user: User, now: Date): Promise<void> {
  const pending = await collectionGroup('collaborators', collaborator)
    .where('email', '==', user.email)
    .where('status', '==', 'pending')
    .get();
  for (const { presentationId, email } of pending.docs.map((document) => document.data())) {
    await transact(async (tx) => {
      const [deck, row] = await read(tx, presentationRef(presentationId), collaboratorRef(presentationId, email));
      if (deck && row?.status === 'pending') activate(tx, deck, row, user, now);
    });
  }
}
