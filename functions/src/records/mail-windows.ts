import { z } from 'zod';
import { fail } from '../errors';
import { exceededMailRate, recipientMark, stillCounted, type WantedMails } from '../policy/mail-rates';
import { collection, paths } from './collections';
import type { Transaction } from './database';
import { date } from './fields';
import type { Organization } from './organizations';

/**
 * What an organization has mailed in the last day: all of its rates are judged on this one document. It is written by calls within the rates
 * alone, so that it holds no more than some hundred sends and takes two writes for each, whoever knocks. Leaves by the TTL policy.
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
 * Counts mails that are about to be sent, and the call that sends them even when it mails nobody; rate-limited when one of the rates has no room for
 * all of them, and then none is counted.
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
    const what = exceeded.emails ? 'One of the recipients was mailed about this deck' : 'The organization has mailed';
    fail('rate-limited', { ...exceeded }, { message: `${what} as often as it may for now; nothing was sent.` });
  }
  const recipients = emails.map((email) => recipientMark(about, email));
  const expiresAt = new Date(now.getTime() + 86_400_000);
  tx.set(mailWindowRef(organization.organizationId), { sends: [...sends, { sendId, at: now, recipients }], expiresAt });
}

/** Gives back the room of mails that the provider could not take: its failure is not the sender's. The call itself stays counted. */
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
