import { z } from 'zod';
import { resendApiKey } from '../../config';
import type { KeyCaller } from '../../http/authenticate';
import { assertMayAct } from '../../decks/deck-access';
import { endpoint, type Call } from '../../http/endpoint';
import { collaboratorRow, email, presentationId } from '../../contract/fields';
import { collaboratorView } from '../../contract/views';
import { logWarning } from '../../log';
import { invitationMail } from '../../mail/invitation';
import { MailFault, sendMail, type Mail } from '../../mail/send';
import { failureMessages } from '../../policy/mail-deliveries';
import { fail } from '../../errors';
import { planCaps, type Plan } from '../../policy/plans';
import {
  collaboratorRef,
  countCollaborators,
  invite,
  isStanding,
  noteTold,
  revoke,
  type Collaborator,
} from '../../records/collaborators';
import { read, type Transaction } from '../../records/database';
import { countMails, mailWindowRef, uncountMails } from '../../records/mail-windows';
import { callersOrganizationRef, organizationRef } from '../../records/organizations';
import { presentationRef, type Presentation } from '../../records/presentations';
import { transact } from '../../records/transact';
import { findUserByEmail, userRef } from '../../records/users';

export const Input = z.object({
  presentationId,
  email: email.meta({
    description: 'Address to invite. It must not be the address of the owner.',
    example: 'grace@example.com',
  }),
  message: z
    .string()
    .trim()
    .max(500)
    .nullish()
    .meta({ description: 'Message of the owner in the email.', example: 'Please check the numbers on slide 4.' }),
});

export const Answer = z.object({ collaborator: collaboratorRow });

export const inviteCollaborator = endpoint({
  name: 'inviteCollaborator',
  about:
    'Grants edit access to a deck by email address. An address with an account becomes active at once and gets ' +
    'no email. Any other address becomes pending, gets an email, and becomes active when it signs up or logs ' +
    'in. Inviting a pending or active address again changes nothing; a revoked address starts anew.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict', 'rate-limited', 'EMAIL_REQUIRED', 'EMAIL_INVALID'],
  runtime: { secrets: [resendApiKey] },

  async handle(call) {
    const { row, letter } = await transact((tx) => begin(tx, call));
    if (letter) await tell(row, letter, call);
    return { collaborator: collaboratorView(row) };
  },
});

type InviteCall = Call<z.output<typeof Input>, KeyCaller>;

/** The mail of an invitation, and the organization to whose rates it counts. */
interface Letter {
  mail: Mail;
  organizationId: string;
}

/** Writes the row and counts the mail, when there is one to send. */
async function begin(
  tx: Transaction,
  { input, caller, now, requestId }: InviteCall,
): Promise<{ row: Collaborator; letter?: Letter }> {
  const { presentationId: id, email: address } = input;
  const [found, existing, user, own, ownWindow] = await read(
    tx,
    presentationRef(id),
    collaboratorRef(id, address),
    userRef(caller.userId ?? 'none'),
    callersOrganizationRef(caller),
    mailWindowRef(caller.organizationId ?? 'none'),
  );
  const deck = assertMayAct(caller, 'owner', found);
  if (existing && isStanding(existing, now)) return { row: existing };
  if (deck.takedown) {
    const message = 'The deck was taken down: nobody is invited to it.';
    fail('conflict', undefined, { message, nextAction: 'Ask the operator of the service.' });
  }
  const { organizationId } = deck;
  const isOwners = user?.userId === deck.ownerId && own?.organizationId === organizationId;
  const [owner, organization, window] = isOwners
    ? [user, own, ownWindow]
    : await read(tx, userRef(deck.ownerId), organizationRef(organizationId), mailWindowRef(organizationId));
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
  const row = invite(tx, deck, existing, { email: address, invitedBy, user: invited }, now);
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
  await noteTold(row).catch((error: unknown) => logWarning('It was not noted that an invitation was mailed.', error));
}

async function takeBack(
  tx: Transaction,
  { presentationId: id, email: address, invitedAt }: Collaborator,
  organizationId: string,
  requestId: string,
  now: Date,
): Promise<void> {
  const refs = [presentationRef(id), collaboratorRef(id, address), mailWindowRef(organizationId)] as const;
  const [deck, row, window] = await read(tx, ...refs);
  // It may have been taken back already, and made again by another call.
  const isSame = row?.status === 'pending' && row.invitedAt.getTime() === invitedAt.getTime();
  if (deck && isSame) revoke(tx, deck, row, now);
  uncountMails(tx, organizationId, window, mailsOf(requestId, id, address));
}
