import { mailEvent, mailEventStates } from '../contract/mail-events';
import { bounceMail } from '../mail/owner-notices';
import type { Mail, MailKind } from '../mail/send';
import type { MailState } from '../policy/mail-deliveries';
import { isClosed } from '../policy/presentation-access';
import { collaboratorRef, isOfInvitation, noteDelivery } from '../records/collaborators';
import { readIn, refIf, read } from '../records/database';
import { appendEmailEvent, emailEventsRef } from '../records/email-events';
import { findEmailSend } from '../records/email-sends';
import {
  mailRecipientRef,
  mailRecipientsOf,
  noteBounce,
  noteComplaint,
  openMailToken,
  serviceTokenFor,
} from '../records/mail-recipients';
import { presentationRef, type Presentation } from '../records/presentations';
import { recipientKey } from '../records/recipient-key';
import { transact } from '../records/transact';
import { userRef } from '../records/users';
import { oneLine } from '../values/mail-text';

/** What became of one mail, as the provider says. */
export interface MailEvent {
  /** The same for each delivery of the event. */
  eventId: string;
  state: MailState;
  at: Date;
  messageId: string;
  to: string;
  /** Undefined for a code. */
  kind: MailKind | undefined;
  /** See `mailTokenFor`. */
  token: string | undefined;
  /** The provider's reason in one line, without the address. */
  reason: string | null;
  /** Whether the address takes no mail at all. */
  isFinal: boolean;
}

const kinds: readonly MailKind[] = ['share', 'invitation', 'notice'];
const REASON_LENGTH = 300;

/** `Name <a@b.example>` → `a@b.example`, in lower case. */
const addressOf = (text: string) => (/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).trim().toLowerCase();

/** The event in a body of the provider. Undefined for one that tells of no mail. */
export function mailEventOf(eventId: string, body: unknown): MailEvent | undefined {
  const parsed = mailEvent.safeParse(body);
  if (!parsed.success) return undefined;
  const { type, created_at: at, data } = parsed.data;
  const { email_id: messageId, bounce, failed, suppressed, tags } = data;
  const to = addressOf(data.to[0]!);
  const reason = bounce?.message ?? failed?.reason ?? suppressed?.message;
  return {
    eventId,
    state: mailEventStates[type],
    at: new Date(at),
    messageId,
    to,
    kind: kinds.find((kind) => kind === tags.kind),
    token: tags.mail,
    reason: reason ? oneLine(reason.replaceAll(to, 'the address'), REASON_LENGTH) : null,
    isFinal: bounce?.type === 'Permanent',
  };
}

/**
 * For so long the record of a mail may still be written: the provider can tell of it before the call of the mail ends.
 */
const RECORD_MS = 3600_000;

/** A mail that bounced, of whom its sender is to be told. */
export interface Bounced {
  deck: Presentation;
  kind: 'share' | 'invitation';
  /** The user, or the key without a user, that sent it. */
  sentBy: string;
  /** The same when it is told again. */
  id: string;
}

/**
 * Records what became of a mail: beside its audit record or in the row of the invitation, as an event, and as a stop of
 * further mails when the address refused it or its owner complained. Repeats change nothing. Returns `early` when the
 * audit record is missing and may still come.
 */
export async function recordMailEvent(event: MailEvent, now: Date): Promise<'recorded' | 'early' | Bounced> {
  const { kind, token, messageId, state, to, isFinal } = event;
  const origin = token === undefined ? undefined : await openMailToken(token);
  const deckId = kind === 'share' || kind === 'invitation' ? origin?.presentationId : undefined;
  const send = deckId !== undefined && kind === 'share' ? await findEmailSend(deckId, messageId) : undefined;
  const at = event.at < now ? event.at : now;
  const key = await recipientKey();
  const [deck, row] = await transact(async (tx) => {
    const [stored, found, before, invited] = await readIn(
      tx,
      mailRecipientRef(key, to),
      refIf(presentationRef, deckId),
      send && emailEventsRef(send.presentationId, send.sendId),
      deckId !== undefined && kind === 'invitation' ? collaboratorRef(key, deckId, to) : undefined,
    );
    const [recipient] = mailRecipientsOf(key, [to], [stored]);
    if (state === 'bounced' && isFinal) noteBounce(tx, recipient!, { at, now });
    if (state === 'complained' && origin) noteComplaint(tx, recipient!, origin.organizationId, { at, now });
    // Nothing may be written under the id of a deleted deck.
    if (found && send) appendEmailEvent(tx, found, send, before, { ...event, at });
    if (found && invited) noteDelivery(tx, invited, { ...event, at }, key);
    return [found, invited] as const;
  });
  if (!deck) return 'recorded';
  if (kind === 'invitation') {
    if (state !== 'bounced' || !row || !isOfInvitation(row, at)) return 'recorded';
    return { deck, kind, sentBy: row.invitedBy, id: `${row.collaboratorId}-${row.invitedAt.getTime()}` };
  }
  if (!send) return now.getTime() - at.getTime() < RECORD_MS ? 'early' : 'recorded';
  return state === 'bounced' ? { deck, kind: 'share', sentBy: send.sentBy, id: send.sendId } : 'recorded';
}

/**
 * The mail that tells the sender of a mail that it bounced. Undefined when a key without a user sent it, when the deck
 * is closed, and when the sender gets no such mails.
 */
export async function bounceNotice(
  { deck, kind, sentBy }: Bounced,
  { reason, to }: MailEvent,
  now: Date,
): Promise<Mail | undefined> {
  const [sender] = await read(userRef(sentBy));
  if (!sender || isClosed(deck, now) || sender.email === to) return undefined;
  const token = await serviceTokenFor(sender.email, now);
  if (token === undefined) return undefined;
  const { presentationId, title: deckTitle } = deck;
  return bounceMail({ to: sender.email, token, deckTitle, presentationId, kind, recipient: to, reason });
}
