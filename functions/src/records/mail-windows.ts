import { z } from 'zod';
import { fail } from '../errors';
import { exceededMailRate, recipientMark, stillCounted, type WantedMails } from '../policy/mail-rates';
import { collection, date, paths } from './collections';
import type { Transaction } from './database';
import type { Organization } from './organizations';

/**
 * The mails of an organization in the last day, on which all of its mail rates are decided (decision 9). Only calls
 * within the rates write it, so it stays below 100 KB. The TTL policy deletes it.
 */
const mailWindow = z.object({
  sends: z.array(z.object({ sendId: z.string(), at: date, recipients: z.array(z.string()) })),
  expiresAt: date,
});
export type MailWindow = z.output<typeof mailWindow>;

export const mailWindowRef = (organizationId: string) => collection(paths.mailWindows, mailWindow).doc(organizationId);

interface Mails extends WantedMails {
  sendId: string;
}

/**
 * Counts mails before they are sent, and the call itself, also when it mails nobody. rate-limited when one of the rates
 * has no room for all of them; nothing is counted then.
 */
export function countMails(
  tx: Transaction,
  organization: Organization,
  window: MailWindow | undefined,
  { sendId, about, emails }: Mails,
  now: Date,
): void {
  const sends = stillCounted(window?.sends ?? [], now);
  const exceeded = exceededMailRate(sends, { about, emails }, organization.plan, now);
  if (exceeded) {
    const what = exceeded.emails ? 'A recipient has reached the mail limit for this deck' : 'The mail limit is reached';
    fail('rate-limited', { ...exceeded }, { message: `${what}; no mail was sent.` });
  }
  const recipients = emails.map((email) => recipientMark(about, email));
  const expiresAt = new Date(now.getTime() + 86_400_000);
  tx.set(mailWindowRef(organization.organizationId), { sends: [...sends, { sendId, at: now, recipients }], expiresAt });
}

/**
 * Subtracts mails that the provider could not accept: a failure of the provider does not count for the sender. The call
 * itself stays counted.
 */
export function uncountMails(
  tx: Transaction,
  organizationId: string,
  window: MailWindow | undefined,
  { sendId, about, emails }: Mails,
): void {
  if (!window || emails.length === 0) return;
  const marks = new Set(emails.map((email) => recipientMark(about, email)));
  const sends = window.sends.map((send) =>
    send.sendId === sendId ? { ...send, recipients: send.recipients.filter((mark) => !marks.has(mark)) } : send,
  );
  tx.update(mailWindowRef(organizationId), { sends });
}
