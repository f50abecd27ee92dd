import { createHash } from 'node:crypto';
import { z } from 'zod';
import { newId } from '../values/ids';
import { collection, collectionGroup, paths } from './collections';
import { readIn, type Transaction } from './database';
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
  /** The `invitedAt` of the invitation whose mail the provider has taken; another one, or null, when nobody was told of the present one. */
  toldOf: date.nullable(),
  activatedAt: date.nullable(),
  revokedAt: date.nullable(),
});
export type Collaborator = z.output<typeof collaborator>;

const rows = (presentationId: string) => collection(paths.collaborators(presentationId), collaborator);

export const collaboratorRef = (presentationId: string, email: string) =>
  rows(presentationId).doc(createHash('sha256').update(email).digest('hex'));

/** How many revoked rows of a deck are listed. */
const REVOKED_LISTED = 500;

/** The rows of a deck, oldest invitation first: all that are not revoked, and of the others those that were revoked last. Two queries. */
export async function listCollaborators(presentationId: string): Promise<Collaborator[]> {
  const found = await Promise.all([
    rows(presentationId).where('status', 'in', ['pending', 'active']).get(),
    rows(presentationId).where('status', '==', 'revoked').orderBy('revokedAt', 'desc').limit(REVOKED_LISTED).get(),
  ]);
  const listed = found.flatMap(({ docs }) => docs.map((document) => document.data()));
  return listed.sort((a, b) => +a.invitedAt - +b.invitedAt);
}

/** How many rows of a deck are not revoked. */
export function countCollaborators(deck: Presentation): number {
  return deck.memberIds.length - 1 + (deck.pendingInvitations ?? 0);
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

/** Longer than a call may run: an invitation of which nobody was told by then belongs to a call that died. */
const CALL_SECONDS = 60;

/** Whether there is an invitation or access that stands: inviting the address again changes nothing. */
export function isInEffect(row: Collaborator, now: Date): boolean {
  if (row.status === 'revoked') return false;
  const wasTold = row.status === 'active' || row.toldOf?.getTime() === row.invitedAt.getTime();
  return wasTold || now.getTime() - row.invitedAt.getTime() < CALL_SECONDS * 1000;
}

interface Invited {
  email: string;
  invitedBy: string;
  /** Who has the address, if anybody has an account with it: access begins at once. */
  user: User | undefined;
}

/** Invites an address anew, whatever became of its row before. */
export function invite(
  tx: Transaction,
  deck: Presentation,
  before: Collaborator | undefined,
  { email, invitedBy, user }: Invited,
  now: Date,
): Collaborator {
  const pending: Collaborator = {
    collaboratorId: before?.collaboratorId ?? newId(),
    presentationId: deck.presentationId,
    email,
    userId: null,
    displayName: null,
    status: 'pending',
    invitedBy,
    invitedAt: now,
    toldOf: null,
    activatedAt: null,
    revokedAt: null,
  };
  return change(tx, deck, before, user ? activated(pending, user, now) : pending);
}

/** Takes the row's access away; the user's next call is refused. */
export function revoke(tx: Transaction, deck: Presentation, row: Collaborator, now: Date): Collaborator {
  return change(tx, deck, row, { ...row, status: 'revoked', revokedAt: now });
}

const activated = (row: Collaborator, user: User, now: Date): Collaborator => ({
  ...row,
  status: 'active',
  userId: user.userId,
  displayName: displayNameOf(user),
  activatedAt: now,
});

/** Writes a row, and with it what the deck knows of its rows: who may edit it, and how many have not come yet. */
function change(
  tx: Transaction,
  deck: Presentation,
  before: Collaborator | undefined,
  row: Collaborator,
): Collaborator {
  const others = deck.memberIds.filter((id) => id !== row.userId || id === deck.ownerId);
  const memberIds = row.status === 'active' ? [...new Set([...others, row.userId!])] : others;
  const wasPending = before?.status === 'pending' ? 1 : 0;
  const isPending = row.status === 'pending' ? 1 : 0;
  const pendingInvitations = Math.max(0, (deck.pendingInvitations ?? 0) - wasPending + isPending);
  tx.set(collaboratorRef(deck.presentationId, row.email), row);
  tx.update(presentationRef(deck.presentationId), { memberIds, pendingInvitations });
  return row;
}

/** Notes that the provider has taken the mail of this very invitation, whatever else has become of the row. */
export async function recordMailed({ presentationId, email, invitedAt }: Collaborator): Promise<void> {
  await collaboratorRef(presentationId, email).update({ toldOf: invitedAt });
}

/** The decks that wait for an address, those that it was invited to last first. One query. */
export async function pendingInvitations(email: string, limit: number): Promise<string[]> {
  const found = await collectionGroup('collaborators', collaborator)
    .where('email', '==', email)
    .where('status', '==', 'pending')
    .orderBy('invitedAt', 'desc')
    .limit(limit)
    .get();
  return found.docs.map((document) => document.data().presentationId);
}

/** Turns what is pending for the user's address into access to a deck; an invitation that is revoked at the same moment stays revoked. */
export function activateInvitation(presentationId: string, user: User, now: Date): Promise<void> {
  return transact(async (tx) => {
    const [deck, row] = await readIn(tx, presentationRef(presentationId), collaboratorRef(presentationId, user.email));
    if (deck && row?.status === 'pending') change(tx, deck, row, activated(row, user, now));
  });
}
