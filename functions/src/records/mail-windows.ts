import { z } from 'zod';
import { fail } from '../errors';
import {
  exceededInvitationRate,
  exceededMailRate,
  recipientMark,
  stillCounted,
  type ExceededRate,
} from '../policy/mail-rates';
import { DAY_MS } from '../values/units';
import { collection, date, paths } from './collections';
import type { Transaction } from './database';
import { countForRecipient, uncountForRecipient, type MailRecipient } from './mail-recipients';
import type { Organization } from './organizations';

/**
 * The mails of an organization in the last day, on which its own mail rates are decided. Only calls
 * within the rates write it, so it stays below 100 KB. The TTL policy deletes it.
 */
export const mailWindow = z.object({
  sends: z.array(z.object({ sendId: z.string(), at: date, recipients: z.array(z.string()) })),
  expiresAt: date,
});
export type MailWindow = z.output<typeof mailWindow>;

export const mailWindowRef = (organizationId: string) => collection(paths.mailWindows, mailWindow).doc(organizationId);

interface Mails {
  sendId: string;
  /** The id of the deck that the mails are about. */
  about: string;
  /** The addresses to mail. */
  recipients: readonly MailRecipient[];
  /**
   * The addresses that the rates must have room for: `recipients`, and those whose owners stopped these mails.
   * Otherwise a sender without room would learn from the error who stopped mails.
   */
  addressed: readonly MailRecipient[];
  /** The address that the call invites, mailed or not. */
  invited?: MailRecipient;
}

/**
 * Counts mails before they are sent, for the organization and for each address, and the call itself, also when it mails
 * nobody. rate-limited when one of the rates has no room for all of `addressed`; nothing is counted then.
 */
export function countMails(
  tx: Transaction,
  organization: Organization,
  window: MailWindow | undefined,
  { sendId, about, recipients, addressed, invited }: Mails,
  now: Date,
): void {
  const sends = stillCounted(window?.sends ?? [], now);
  const crowded = invited && exceededInvitationRate(invited, now);
  if (crowded) refuse(crowded, 'This address has got too many invitations today; it was not invited.');
  const exceeded = exceededMailRate(sends, { about, recipients: addressed }, organization, now);
  const what = exceeded?.emails ? 'A recipient has reached the mail limit' : 'The mail limit is reached';
  if (exceeded) refuse(exceeded, `${what}; no mail was sent.`);

  const { organizationId } = organization;
  const marks = recipients.map(({ recipientId }) => recipientMark(about, recipientId));
  const expiresAt = new Date(now.getTime() + DAY_MS);
  tx.set(mailWindowRef(organizationId), { sends: [...sends, { sendId, at: now, recipients: marks }], expiresAt });
  const isOf = (path: string) => (each: MailRecipient | undefined) => each?.ref.path === path;
  // Addresses of one mailbox have one record.
  const records = new Map([...recipients, ...(invited ? [invited] : [])].map((each) => [each.ref.path, each]));
  for (const [path, recipient] of records) {
    const what = { mails: recipients.filter(isOf(path)).length, isInvited: isOf(path)(invited) };
    countForRecipient(tx, recipient, { sendId, organizationId, at: now }, what);
  }
}

const refuse = (exceeded: ExceededRate, message: string): never => fail('rate-limited', { ...exceeded }, { message });

/**
 * Subtracts mails that the provider could not accept, and their invitations: a failure of the provider does not count
 * for the sender. The call itself stays counted.
 */
export function uncountMails(
  tx: Transaction,
  organizationId: string,
  window: MailWindow | undefined,
  { sendId, about, recipients }: Pick<Mails, 'sendId' | 'about' | 'recipients'>,
): void {
  if (recipients.length === 0) return;
  for (const recipient of recipients) uncountForRecipient(tx, recipient, sendId);
  if (!window) return;
  const marks = new Set(recipients.map(({ recipientId }) => recipientMark(about, recipientId)));
  const sends = window.sends.map((send) =>
    send.sendId === sendId ? { ...send, recipients: send.recipients.filter((mark) => !marks.has(mark)) } : send,
  );
  tx.update(mailWindowRef(organizationId), { sends });
}
