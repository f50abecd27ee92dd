import { setTimeout as pause } from 'node:timers/promises';
import pMap from 'p-map';
import { fail } from '../errors';
import type { KeyCaller } from '../http/authenticate';
import type { Call } from '../http/definition';
import { logWarning } from '../log';
import { invitationMail } from '../mail/invitation';
import { MailFault, sendMail, type Mail } from '../mail/send';
import { failureMessages } from '../policy/mail-deliveries';
import { planCaps, type Plan } from '../policy/plans';
import {
  activateInvitation,
  collaboratorRef,
  countCollaborators,
  invite as writeInvitation,
  isInEffect,
  recordMailed,
  pendingInvitations,
  revoke,
  type Collaborator,
} from '../records/collaborators';
import { readIn, refIf, type Transaction } from '../records/database';
import { countMails, mailWindowRef, uncountMails } from '../records/mail-windows';
import { organizationRef } from '../records/organizations';
import { presentationRef, type Presentation } from '../records/presentations';
import { transact } from '../records/transact';
import { findUserByEmail, userRef, type User } from '../records/users';

type InviteCall = Call<{ presentationId: string; email: string; message?: string | null | undefined }, KeyCaller>;

/** Invites an address to a deck. Access begins at once when the address has an account; otherwise a mail tells of the invitation. */
export async function invite(call: InviteCall): Promise<Collaborator> {
  const { row, letter } = await transact((tx) => begin(tx, call));
  if (letter) await tell(row, letter, call);
  return row;
}

/** The mail of an invitation, and the organization to whose rates it counts. */
interface Letter {
  mail: Mail;
  organizationId: string;
}

/** Writes the row and counts the mail, when there is one to send. */
async function begin(
  tx: Transaction,
  { input, caller, authorize, now, requestId }: InviteCall,
): Promise<{ row: Collaborator; letter?: Letter }> {
  const { presentationId: id, email: address } = input;
  const [found, existing, user, own, ownWindow] = await readIn(
    tx,
    presentationRef(id),
    collaboratorRef(id, address),
    refIf(userRef, caller.userId),
    refIf(organizationRef, caller.organizationId),
    refIf(mailWindowRef, caller.organizationId),
  );
  const deck = authorize(found);
  if (existing && isInEffect(existing, now)) return { row: existing };
  if (deck.takedown) {
    const message = 'The deck was taken down: nobody is invited to it.';
    fail('conflict', undefined, { message, nextAction: 'Ask the operator of the service.' });
  }
  const { organizationId } = deck;
  const isOwners = user?.userId === deck.ownerId && own?.organizationId === organizationId;
  const [owner, organization, window] = isOwners
    ? [user, own, ownWindow]
    : await readIn(tx, userRef(deck.ownerId), organizationRef(organizationId), mailWindowRef(organizationId));
  if (!owner || !organization) throw new Error(`Deck ${id} has no owner or no organization.`);
  if (owner.email === address) {
    fail('invalid-argument', { errors: [{ location: 'body.email', message: 'The owner needs no invitation.' }] });
  }
  const invited = await findUserByEmail(tx, address);
  assertRoom(deck, existing, organization.plan);
  const invitedBy = caller.userId ?? caller.keyId;
  // Whether the address has an account shows in the answer: that, too, is asked no more often than mails are sent.
  const mails = mailsOf(requestId, id, address);
  countMails(tx, organization, window, invited ? { ...mails, emails: [] } : mails, now);
  const row = writeInvitation(tx, deck, existing, { email: address, invitedBy, user: invited }, now);
  if (invited) return { row };
  const from = { from: organization.name, replyTo: owner.email, deckTitle: deck.title };
  const mail = invitationMail({ to: address, ...from, message: input.message ?? null });
  return { row, letter: { mail, organizationId } };
}

function assertRoom(deck: Presentation, existing: Collaborator | undefined, plan: Plan): void {
  const limit = planCaps[plan].collaborators;
  const others = countCollaborators(deck) - (existing?.status === 'pending' ? 1 : 0);
  if (others >= limit) fail('conflict', { limit, plan }, { message: `The plan allows ${limit} collaborators.` });
}

const mailsOf = (requestId: string, id: string, address: string) => ({
  sendId: requestId,
  about: `invitation ${id}`,
  emails: [address],
});

/** Mails the invitation and notes that it was mailed. An invitation that nobody was told of is none: it is taken back, and asking again mails it anew. */
async function tell(
  row: Collaborator,
  { mail, organizationId }: Letter,
  { requestId, now }: InviteCall,
): Promise<void> {
  try {
    await sendMail(mail, `invitation-${requestId}`);
  } catch (error) {
    await transact((tx) => takeBack(tx, row, organizationId, requestId, now));
    if (!(error instanceof MailFault) || error.failure !== 'provider-rate-limited') throw error;
    fail('rate-limited', { retryInSeconds: 60 }, { message: failureMessages[error.failure], cause: error });
  }
  await recordMailed(row).catch((error: unknown) =>
    logWarning('It was not noted that an invitation was mailed.', error),
  );
}

async function takeBack(
  tx: Transaction,
  { presentationId: id, email: address, invitedAt }: Collaborator,
  organizationId: string,
  requestId: string,
  now: Date,
): Promise<void> {
  const refs = [presentationRef(id), collaboratorRef(id, address), mailWindowRef(organizationId)] as const;
  const [deck, row, window] = await readIn(tx, ...refs);
  // It may have been taken back already, and made again by another call.
  const isSame = row?.status === 'pending' && row.invitedAt.getTime() === invitedAt.getTime();
  if (deck && isSame) revoke(tx, deck, row, now);
  uncountMails(tx, organizationId, window, mailsOf(requestId, id, address));
}

/** Anybody may invite an address as often as their own mails allow: what a login takes up is bounded, and the next one goes on. */
const AT_MOST = 50;
const WIDTH = 5;
const WAIT_MS = 5_000;

/**
 * Accepts what is pending for somebody who has just proved an address: the newest fifty invitations, each by itself, for five seconds. The login
 * stands, whatever happens to them.
 */
export async function acceptInvitations(user: User, now: Date): Promise<void> {
  let isOver = false;
  const accept = async (presentationId: string) => {
    if (isOver) return;
    await activateInvitation(presentationId, user, now).catch((error: unknown) =>
      logWarning('An invitation was not accepted.', error, { presentationId }),
    );
  };
  const acceptAll = async () => {
    await pMap(await pendingInvitations(user.email, AT_MOST), accept, { concurrency: WIDTH });
  };
  const accepting = acceptAll().catch((error: unknown) => logWarning('No invitation was accepted.', error));
  await Promise.race([accepting, pause(WAIT_MS, undefined, { ref: false })]);
  isOver = true;
}
