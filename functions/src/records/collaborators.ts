import { createHash } from 'node:crypto';
import { z } from 'zod';
import { currentContext } from '../context';
import { mailStates } from '../policy/mail-deliveries';
import { collaboratorView } from '../rows/decks';
import { newId } from '../values/ids';
import { readInvitationToken, type InvitationName } from '../values/mail-tokens';
import { mac } from '../values/secrets';
import { collection, collectionGroup, date, documentOf, paths } from './collections';
import { documentsOf, readIn, type Transaction } from './database';
import { addEvent } from './events';
import { presentationRef, type Presentation } from './presentations';
import { liveSessionRef } from './live-sessions';
import { recipientKey } from './recipient-key';
import { transact } from './transact';
import { userRef, type User } from './users';
import { version } from './versions';
import { displayNameOf } from '../values/display-name';

/**
 * An invitation or access of an address to a deck. Each address has one row, which is never deleted before its deck.
 */
const collaborator = z.object({
  collaboratorId: z.string(),
  presentationId: z.string(),
  email: z.string(),
  userId: z.string().nullable(),
  displayName: z.string().nullable(),
  /** Whether the user has called nothing on the deck yet: then the row answers neither user id nor name. */
  isUnused: z.boolean(),
  status: z.enum(['pending', 'active', 'revoked']),
  invitedBy: z.string(),
  invitedAt: date,
  /**
   * The `invitedAt` of the last invitation whose mail the provider accepted, or whose mail is not sent because the
   * owner of the address stopped such mails; null without one. An invitation is told when this equals its `invitedAt`.
   */
  toldOf: date.nullable(),
  /** What became of the mail of the last invitation. Null while the provider has told nothing. */
  delivery: z.object({ state: z.enum(mailStates), at: date, reason: z.string().nullable() }).nullable(),
  activatedAt: date.nullable(),
  revokedAt: date.nullable(),
});
export type Collaborator = z.output<typeof collaborator>;

const rows = (presentationId: string) => collection(paths.collaborators(presentationId), collaborator);

/** `key` is that of records/recipient-key: nobody without it can tell which address has the row. */
export const collaboratorRef = (key: string, presentationId: string, email: string) =>
  rows(presentationId).doc(mac(key, 'collaborator', email));

/** The largest number of revoked rows in a list. */
const REVOKED_LISTED = 500;

/**
 * The rows of a deck, oldest invitation first: all pending and active ones, and the 500 that were revoked last. Two
 * queries in parallel.
 */
export async function listCollaborators(presentationId: string): Promise<Collaborator[]> {
  const found = await Promise.all([
    rows(presentationId).query().where('status', 'in', ['pending', 'active']).get(),
    rows(presentationId)
      .query()
      .where('status', '==', 'revoked')
      .orderBy('revokedAt', 'desc')
      .limit(REVOKED_LISTED)
      .get(),
  ]);
  const listed = found.flatMap(({ docs }) => docs.map((document) => document.data()));
  return listed.sort((a, b) => +a.invitedAt - +b.invitedAt);
}

/** The number of pending and active collaborators of a deck. Reads nothing. */
export function countCollaborators(deck: Presentation): number {
  return deck.memberIds.length - 1 + deck.pendingInvitations;
}

/** The row with this id, or undefined. One query, in the transaction when there is one. */
export async function findCollaborator(
  tx: Transaction | undefined,
  { presentationId, collaboratorId }: InvitationName,
): Promise<Collaborator | undefined> {
  const query = rows(presentationId).query().where('collaboratorId', '==', collaboratorId).limit(1);
  const found = await (tx ? tx.get(query) : query.get());
  return found.docs[0]?.data();
}

/** The row that a token names, or undefined. A token that the service did not make costs no read. */
export async function findInvited(token: string): Promise<Collaborator | undefined> {
  const named = readInvitationToken(await recipientKey(), token);
  const row = named && (await findCollaborator(undefined, named));
  return row?.status === 'revoked' ? undefined : row;
}

/** The timeout of a call that mails. An older invitation that is not mailed belongs to a call that was interrupted. */
const MAX_CALL_SECONDS = 120;

/**
 * Whether the row is active access, a mailed invitation, or an invitation that a running call may still mail. Another
 * invitation of the address then changes nothing.
 */
export function isInEffect(row: Collaborator, now: Date): boolean {
  if (row.status === 'revoked') return false;
  const isMailed = row.status === 'active' || row.toldOf?.getTime() === row.invitedAt.getTime();
  return isMailed || now.getTime() - row.invitedAt.getTime() < MAX_CALL_SECONDS * 1000;
}

/**
 * The key under which the provider gets the mail of this invitation. The mails of two invitations share it when they
 * are the same mail to the same row, and when the provider is not known to have accepted the earlier one. The provider
 * then sends one of them. `mail` is the whole content.
 */
export function mailKeyOf({ collaboratorId, toldOf }: Collaborator, mail: object): string {
  const content = JSON.stringify([collaboratorId, toldOf, mail]);
  return `invitation-${createHash('sha256').update(content).digest('hex')}`;
}

interface Invited {
  email: string;
  invitedBy: string;
  /** The user with this address, if one exists: the access is then active at once. */
  user: User | undefined;
  /** Whether the owner of the address stopped the mail of this invitation. */
  isSuppressed: boolean;
  /** That of records/recipient-key. */
  key: string;
}

/**
 * Writes an invitation, or active access for an existing user. Replaces an earlier row of the address, whatever its
 * status, and keeps its id.
 */
export function invite(
  tx: Transaction,
  deck: Presentation,
  before: Collaborator | undefined,
  { email, invitedBy, user, isSuppressed, key }: Invited,
  now: Date,
): Collaborator {
  const pending: Collaborator = {
    collaboratorId: before?.collaboratorId ?? newId(),
    presentationId: deck.presentationId,
    email,
    userId: null,
    displayName: null,
    isUnused: false,
    status: 'pending',
    invitedBy,
    invitedAt: now,
    toldOf: isSuppressed ? now : (before?.toldOf ?? null),
    delivery: null,
    activatedAt: null,
    revokedAt: null,
  };
  const ref = collaboratorRef(key, deck.presentationId, email);
  const row = change(tx, deck, before, user ? activated(pending, user, now) : pending, ref);
  tell(tx, 'collaborator.invited', deck, row);
  if (user) tell(tx, 'collaborator.activated', deck, row);
  return row;
}

/** Revokes an invitation or access. The next call of the user is refused. `key` is that of records/recipient-key. */
export function revoke(tx: Transaction, deck: Presentation, row: Collaborator, key: string, now: Date): Collaborator {
  const ref = collaboratorRef(key, deck.presentationId, row.email);
  const revoked = change(tx, deck, row, { ...row, status: 'revoked', revokedAt: now }, ref);
  // To leave is not a use of the deck, so the owner does not learn who left.
  const isUnknown = row.isUnused && currentContext()?.doer?.userId === row.userId;
  tell(tx, 'collaborator.removed', deck, revoked, isUnknown ? somebody : undefined);
  return revoked;
}

/** The user of an invited address, of whom the owner knows the address alone. */
const somebody = { kind: 'user', userId: null } as const;

function tell(
  tx: Transaction,
  type: `collaborator.${'invited' | 'activated' | 'removed'}`,
  { organizationId, presentationId, title }: Presentation,
  row: Collaborator,
  by?: typeof somebody,
): void {
  const collaborator = collaboratorView(row);
  addEvent(tx, type, { organizationId, presentationId, ...(by && { by }) }, { title, collaborator });
}

const activated = (row: Collaborator, user: User, now: Date): Collaborator => ({
  ...row,
  status: 'active',
  userId: user.userId,
  displayName: displayNameOf(user),
  isUnused: true,
  activatedAt: now,
});

/** Notes the first call of a dev on a deck: from now on the row answers the user's id and name. Idempotent. */
export function recordFirstUse(presentationId: string, userId: string): Promise<void> {
  return transact(async (tx) => {
    const [deck, user] = await readIn(tx, presentationRef(presentationId), userRef(userId));
    if (!user || !deck?.unusedMemberIds.includes(userId)) return;
    // A query: not every function has the secret from which the id of a row is made.
    const { docs } = await tx.get(rows(presentationId).query().where('status', '==', 'active'));
    const found = docs.find((document) => document.data().userId === userId);
    if (found) change(tx, deck, found.data(), { ...found.data(), isUnused: false }, found.ref);
  });
}

/**
 * Writes a row, and in the document of its deck the members and the number of pending invitations. A live session ends
 * with the membership of the one who started it.
 */
function change(
  tx: Transaction,
  deck: Presentation,
  before: Collaborator | undefined,
  row: Collaborator,
  ref: Parameters<typeof tx.set<Collaborator>>[0],
): Collaborator {
  const others = deck.memberIds.filter((id) => id !== row.userId || id === deck.ownerId);
  const memberIds = row.status === 'active' ? [...new Set([...others, row.userId!])] : others;
  const wasPending = before?.status === 'pending' ? 1 : 0;
  const isPending = row.status === 'pending' ? 1 : 0;
  const pendingInvitations = Math.max(0, deck.pendingInvitations - wasPending + isPending);
  const unused = deck.unusedMemberIds.filter((id) => id !== row.userId);
  const unusedMemberIds = row.status === 'active' && row.isUnused ? [...unused, row.userId!] : unused;
  tx.set(ref, row);
  const isLiveOver = deck.live && !memberIds.includes(deck.live.startedBy);
  const counted = { memberIds, unusedMemberIds, pendingInvitations };
  tx.update(presentationRef(deck.presentationId), { ...counted, ...(isLiveOver && { live: null }) });
  return row;
}

/** Stores that the provider accepted the mail of this invitation. Does not change a later state of the row. */
export async function recordMailed({ presentationId, email, invitedAt }: Collaborator): Promise<void> {
  await documentOf(collaboratorRef(await recipientKey(), presentationId, email)).update({ toldOf: invitedAt });
}

/**
 * Whether what happened then to a mail of an invitation happened to that of the present one, which is still pending.
 */
export const isOfInvitation = ({ status, invitedAt }: Collaborator, at: Date): boolean =>
  status === 'pending' && at >= invitedAt;

/** Notes what became of the mail of a pending invitation. What is told of an earlier one, or again, changes nothing. */
export function noteDelivery(
  tx: Transaction,
  row: Collaborator,
  { state, at, reason }: NonNullable<Collaborator['delivery']>,
  key: string,
): void {
  if (!isOfInvitation(row, at) || (row.delivery && row.delivery.at >= at)) return;
  tx.update(collaboratorRef(key, row.presentationId, row.email), { delivery: { state, at, reason } });
}

/** The decks with a pending invitation of this address, latest invitation first. One query. */
export async function pendingInvitations(email: string, limit: number): Promise<string[]> {
  const found = await collectionGroup('collaborators', collaborator)
    .where('email', '==', email)
    .where('status', '==', 'pending')
    .orderBy('invitedAt', 'desc')
    .limit(limit)
    .get();
  return found.docs.map((document) => document.data().presentationId);
}

/**
 * Moves the edit access of a user from a former address to the present one: a few decks at a time, each in a
 * transaction. What a row of the present address had is replaced. It may be cut off and repeated.
 */
export async function moveCollaborations(from: string, user: User): Promise<void> {
  const key = await recipientKey();
  const rowsOfFormer = collectionGroup('collaborators', collaborator)
    .where('email', '==', from)
    .where('status', '==', 'active')
    .orderBy('invitedAt', 'desc');
  for await (const found of documentsOf(rowsOfFormer)) {
    const { presentationId } = found.data();
    await transact(async (tx) => {
      const formerRef = collaboratorRef(key, presentationId, from);
      const presentRef = collaboratorRef(key, presentationId, user.email);
      const [deck, former, present] = await readIn(tx, presentationRef(presentationId), formerRef, presentRef);
      if (!deck || former?.status !== 'active' || former.userId !== user.userId) return;
      tx.delete(formerRef);
      change(tx, deck, present, { ...former, email: user.email }, presentRef);
    });
  }
}

/** Takes the place of the id of a user or key whose account was deleted. */
const DELETED_USER = 'deleted-user';

/**
 * Removes a user who is deleted from the decks of others: the rows of each address with the access, and the id from
 * what the user did there. Invitations go with the addresses that nobody uses. `replacementOf` makes the text that
 * events tell instead of the address. It may be cut off and repeated.
 */
export async function forgetCollaborator(
  { userId, emails, unused }: { userId: string; emails: readonly string[]; unused: readonly string[] },
  replacementOf: (organizationId: string, email: string) => string,
  now: Date,
): Promise<void> {
  const all = collectionGroup('collaborators', collaborator);
  for (const email of emails) {
    for (const status of ['active', 'pending', 'revoked'] as const) {
      const query = all.where('email', '==', email).where('status', '==', status).orderBy('invitedAt', 'desc');
      for await (const { ref, id } of documentsOf(query)) {
        await forgetAtDeck(ref.parent.parent!.id, userId);
        const isOfUser = (row: Collaborator) => row.userId === userId || (!row.userId && unused.includes(email));
        await removeRow(ref.parent.parent!.id, id, { isOfUser, replacementOf, now });
      }
    }
  }
  const versions = collectionGroup('versions', version).where('createdBy', '==', userId);
  for await (const { ref } of documentsOf(versions)) {
    await forgetAtDeck(ref.parent.parent!.id, userId);
    await ref.update({ createdBy: DELETED_USER });
  }
}

interface Removal {
  isOfUser: (row: Collaborator) => boolean;
  replacementOf: (organizationId: string, email: string) => string;
  now: Date;
}

function removeRow(presentationId: string, id: string, { isOfUser, replacementOf, now }: Removal): Promise<void> {
  return transact(async (tx) => {
    const ref = rows(presentationId).doc(id);
    const [deck, row] = await readIn(tx, presentationRef(presentationId), ref);
    if (!row || !isOfUser(row)) return;
    if (deck) {
      const revoked: Collaborator = { ...row, status: 'revoked', revokedAt: now };
      change(tx, deck, row, revoked, ref);
      const email = replacementOf(deck.organizationId, row.email);
      if (row.status !== 'revoked') {
        const told = { ...revoked, email, userId: null, displayName: null };
        tell(tx, 'collaborator.removed', deck, told, somebody);
      }
    }
    tx.delete(ref);
  });
}

/** Takes the user's id out of the record of a deck and of its live session. */
function forgetAtDeck(presentationId: string, userId: string): Promise<void> {
  return transact(async (tx) => {
    const [deck, live] = await readIn(tx, presentationRef(presentationId), liveSessionRef(presentationId));
    if (deck?.updatedBy === userId) tx.update(presentationRef(presentationId), { updatedBy: DELETED_USER });
    if (deck && live?.startedBy === userId) tx.update(liveSessionRef(presentationId), { startedBy: DELETED_USER });
  });
}

/**
 * Turns a pending invitation of the user's address into active access to the deck. An invitation that was revoked stays
 * revoked.
 */
export async function activateInvitation(presentationId: string, user: User, now: Date): Promise<void> {
  const ref = collaboratorRef(await recipientKey(), presentationId, user.email);
  return transact(async (tx) => {
    const [deck, row] = await readIn(tx, presentationRef(presentationId), ref);
    if (!deck || row?.status !== 'pending') return;
    tell(tx, 'collaborator.activated', deck, change(tx, deck, row, activated(row, user, now), ref), somebody);
  });
}
