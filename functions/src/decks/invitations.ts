import { setTimeout as pause } from 'node:timers/promises';
import pMap from 'p-map';
import { fail } from '../errors';
import type { Caller } from '../http/caller';
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
  mailKeyOf,
  recordMailed,
  pendingInvitations,
  revoke,
  type Collaborator,
} from '../records/collaborators';
import { readIn, refIf, type Transaction } from '../records/database';
import { isStopped, mailRecipientRef, mailRecipientsOf, mailTokenFor } from '../records/mail-recipients';
import { countMails, mailWindowRef, uncountMails } from '../records/mail-windows';
import { organizationRef, sendersOf } from '../records/organizations';
import { presentationRef, type Presentation } from '../records/presentations';
import { recipientKey } from '../records/recipient-key';
import { transact } from '../records/transact';
import { findUserByEmail, userRef, type User } from '../records/users';
import { displayNameOf } from '../values/display-name';
import { writeInvitationToken } from '../values/mail-tokens';

type InviteCall = Call<{ presentationId: string; email: string; message?: string | null | undefined }, Caller>;

/**
 * An address with an account gets access to the deck at once. An invitation of another address is mailed, unless the
 * owner of the address stopped such mails: the row then is the same, and nothing is sent. A mailed invitation has four
 * states; each arrow is one function of this file:
 *
 *     (none) ──begin──► begun ──send──► sent ──end──► ended
 *                         └──withdraw──► withdrawn
 *
 * - begun: one transaction has written the row of the collaborator (pending) and counted the mail.
 * - sent: the provider has accepted the mail. Nothing is stored.
 * - ended: the row notes that its mail was sent. Inviting the address again changes nothing.
 * - withdrawn: the provider did not accept the mail. One transaction has revoked the row and uncounted the mail.
 *   Inviting the address again begins a new invitation. The provider may have accepted the mail and its answer was
 *   lost. The new mail therefore has the same idempotency key when its content is the same (`mailKeyOf`).
 *
 * An invitation that is cut off stays begun. Inviting the address again changes nothing within 2 minutes, and then
 * begins a new one.
 */

/** The mail of an invitation, and the organization whose rates count it. */
interface Letter {
  mail: Mail;
  organizationId: string;
}

/**
 * Invites an address to a deck, or returns the row of its present invitation. Throws the errors that inviteCollaborator
 * declares.
 */
export async function invite(call: InviteCall): Promise<Collaborator> {
  const { row, letter } = await transact((tx) => begin(tx, call));
  if (!letter) return row;
  await send(row, letter, call);
  await end(row);
  return row;
}

/** Writes the row, and counts the mail when one is to be sent. Every refusal of the service comes before the mail. */
async function begin(
  tx: Transaction,
  { input, caller, authorize, now, requestId }: InviteCall,
): Promise<{ row: Collaborator; letter?: Letter }> {
  const { presentationId: id, email: address } = input;
  const key = await recipientKey();
  const [found, existing, user, own, ownWindow, ...records] = await readIn(
    tx,
    presentationRef(id),
    collaboratorRef(key, id, address),
    refIf(userRef, caller.userId),
    refIf(organizationRef, caller.organizationId),
    refIf(mailWindowRef, caller.organizationId),
    mailRecipientRef(key, address),
  );
  const deck = authorize(found);
  if (existing && isInEffect(existing, now)) return { row: existing };
  if (deck.takedown) {
    const message = 'The deck was taken down. It accepts no invitations.';
    fail('conflict', undefined, { message, nextAction: 'Ask the operator of the service.' });
  }
  const { organizationId } = deck;
  const isOwners = user?.userId === deck.ownerId && own?.organizationId === organizationId;
  const [owner, organization, window] = isOwners
    ? [user, own, ownWindow]
    : await readIn(tx, userRef(deck.ownerId), organizationRef(organizationId), mailWindowRef(organizationId));
  if (!owner || !organization) throw new Error(`Deck ${id} has no owner or no organization.`);
  if (owner.email === address) {
    fail('invalid-argument', {
      errors: [{ location: 'body.email', message: 'The owner of the deck needs no invitation.' }],
    });
  }
  const invited = await findUserByEmail(tx, address);
  assertRoom(deck, existing, organization.plan);
  const invitedBy = caller.userId ?? caller.keyId;
  const [recipient] = mailRecipientsOf(key, [address], records);
  const isSuppressed = isStopped(recipient!, sendersOf(organization), now);
  const addressed = invited ? [] : [recipient!];
  const recipients = isSuppressed ? [] : addressed;
  // The answer tells whether the address has an account, so a call that sends no mail counts against the rate limits,
  // too.
  const mails = { sendId: requestId, about: id, recipients, addressed, invited: recipient! };
  countMails(tx, organization, window, mails, now);
  const row = writeInvitation(tx, deck, existing, { email: address, invitedBy, user: invited, isSuppressed, key }, now);
  if (invited || isSuppressed) return { row };
  const token = mailTokenFor(key, address, { organizationId, presentationId: id });
  const inviter = { name: displayNameOf(owner), email: owner.email };
  const from = { inviter, from: organization.name, brandPrimary: organization.brandPrimary, deckTitle: deck.title };
  const links = { presentationId: id, invitation: writeInvitationToken(key, row), token };
  const mail = invitationMail({ to: address, ...from, message: input.message ?? null, ...links });
  return { row, letter: { mail, organizationId } };
}

function assertRoom(deck: Presentation, existing: Collaborator | undefined, plan: Plan): void {
  const limit = planCaps[plan].collaborators;
  const others = countCollaborators(deck) - (existing?.status === 'pending' ? 1 : 0);
  if (others >= limit) fail('conflict', { limit, plan }, { message: `The plan allows ${limit} collaborators.` });
}

/** Sends the mail. When the provider does not accept it, withdraws the invitation and throws. */
async function send(
  row: Collaborator,
  { mail, organizationId }: Letter,
  { requestId, now }: InviteCall,
): Promise<void> {
  try {
    await sendMail(mail, mailKeyOf(row, mail));
  } catch (error) {
    await transact((tx) => withdraw(tx, row, organizationId, requestId, now));
    if (!(error instanceof MailFault) || error.failure !== 'provider-rate-limited') throw error;
    fail('rate-limited', { retryInSeconds: 60 }, { message: failureMessages[error.failure], cause: error });
  }
}

/** Notes that the mail was sent. A failure is logged: the next call that invites the address sends a second mail. */
function end(row: Collaborator): Promise<void> {
  return recordMailed(row).catch((error: unknown) =>
    logWarning('The mail of an invitation was sent but not noted.', error),
  );
}

/** Revokes the row and uncounts its mail. */
async function withdraw(
  tx: Transaction,
  { presentationId: id, email: address, invitedAt }: Collaborator,
  organizationId: string,
  requestId: string,
  now: Date,
): Promise<void> {
  const key = await recipientKey();
  const refs = [presentationRef(id), collaboratorRef(key, id, address), mailWindowRef(organizationId)] as const;
  const [deck, row, window, ...records] = await readIn(tx, ...refs, mailRecipientRef(key, address));
  // Another call may have revoked this invitation and begun a new one.
  const isSame = row?.status === 'pending' && row.invitedAt.getTime() === invitedAt.getTime();
  if (deck && isSame) revoke(tx, deck, row, key, now);
  const recipients = mailRecipientsOf(key, [address], records);
  uncountMails(tx, organizationId, window, { sendId: requestId, about: id, recipients });
}

/**
 * Many organizations can invite one address, so a login accepts a bounded number of invitations. The next login accepts
 * more.
 */
const MAX_ACCEPTED = 50;
const ACCEPTED_AT_ONCE = 5;
const ACCEPT_TIMEOUT_MS = 5_000;

/**
 * Accepts the pending invitations of a user who has just verified an address: the newest 50, each in a transaction,
 * within 5 seconds. Never rejects: an invitation that is not accepted must not fail the login.
 */
export async function acceptInvitations(user: User, now: Date): Promise<void> {
  let isTimeUp = false;
  const accept = async (presentationId: string) => {
    if (isTimeUp) return;
    await activateInvitation(presentationId, user, now).catch((error: unknown) =>
      logWarning('An invitation was not accepted.', error, { presentationId }),
    );
  };
  const acceptAll = async () => {
    await pMap(await pendingInvitations(user.email, MAX_ACCEPTED), accept, { concurrency: ACCEPTED_AT_ONCE });
  };
  const accepting = acceptAll().catch((error: unknown) =>
    logWarning('The pending invitations were not accepted.', error),
  );
  await Promise.race([accepting, pause(ACCEPT_TIMEOUT_MS, undefined, { ref: false })]);
  isTimeUp = true;
}
