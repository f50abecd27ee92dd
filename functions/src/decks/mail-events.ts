import { mailEvent, mailEventStates } from '../contract/mail-events';
import { bounceMail } from '../mail/owner-notices';
import type { Mail, MailKind } from '../mail/send';
import type { MailState } from '../policy/mail-deliveries';
import { isClosed } from '../policy/presentation-access';
import { readIn, refIf, read } from '../records/database';
import { appendEmailEvent, emailEventsRef } from '../records/email-events';
import { findEmailSend, type EmailSend } from '../records/email-sends';
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
    ...{ eventId, state: mailEventStates[type], at: new Date(at), messageId, to },
    kind: kinds.find((kind) => kind === tags.kind),
    token: tags.mail,
    reason: reason ? oneLine(reason.replaceAll(to, 'the address'), REASON_LENGTH) : null,
    isFinal: bounce?.type === 'Permanent',
  };
}

/** For so long the record of a mail may still be written: the provider can tell of it before the call of the mail ends. */
const RECORD_MS = 3600_000;

/**
 * Records what became of a mail: beside its audit record, as an event, and as a stop of further mails when the address
 * refused it or its owner complained. Repeats change nothing. Returns `early` when the audit record is missing and may
 * still come. `bounced` is a shared mail whose sender is to be told.
 */
export async function recordMailEvent(
  event: MailEvent,
  now: Date,
): Promise<'recorded' | 'early' | { bounced: { deck: Presentation; send: EmailSend } }> {
  const { kind, token, messageId, state, to, isFinal } = event;
  const origin = token === undefined ? undefined : await openMailToken(token);
  const deckId = kind === 'share' ? origin?.presentationId : undefined;
  const send = deckId === undefined ? undefined : await findEmailSend(deckId, messageId);
  const at = event.at < now ? event.at : now;
  const key = await recipientKey();
  const deck = await transact(async (tx) => {
    const [stored, found, before] = await readIn(
      tx,
      mailRecipientRef(key, to),
      refIf(presentationRef, deckId),
      send && emailEventsRef(send.presentationId, send.sendId),
    );
    const [recipient] = mailRecipientsOf(key, [to], [stored]);
    if (state === 'bounced' && isFinal) noteBounce(tx, recipient!, { at, now });
    if (state === 'complained' && origin) noteComplaint(tx, recipient!, origin.organizationId, { at, now });
    // Nothing may be written under the id of a deleted deck.
    if (found && send) appendEmailEvent(tx, found, send, before, { ...event, at });
    return found;
  });
  if (!deck) return 'recorded';
  if (!send) return now.getTime() - at.getTime() < RECORD_MS ? 'early' : 'recorded';
  return state === 'bounced' ? { bounced: { deck, send } } : 'recorded';
}

/**
 * The mail that tells the sender of a mail that it bounced. Undefined when a key without a user sent it, when the deck
 * is closed, and when the sender gets no such mails.
 */
export async function bounceNotice(
  { deck, send }: { deck: Presentation; send: EmailSend },
  { reason, to }: MailEvent,
  now: Date,
): Promise<Mail | undefined> {
  const [sender] = await read(userRef(send.sentBy));
  if (!sender || isClosed(deck, now) || sender.email === to) return undefined;
  const token = await serviceTokenFor(sender.email, now);
  if (token === undefined) return undefined;
  const { presentationId, title: deckTitle } = deck;
  return bounceMail({ to: sender.email, token, deckTitle, presentationId, recipient: to, reason });
}
