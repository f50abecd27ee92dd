import { z } from 'zod';
import { deliveryFailures, type Outcome } from '../policy/mail-deliveries';
import { emailSendView } from '../rows/decks';
import type { Cursor } from '../values/cursor';
import { newId } from '../values/ids';
import { collection, date, paths } from './collections';
import { newestPage, type Transaction } from './database';
import { addEvent } from './events';
import type { Presentation } from './presentations';

/** The audit record of one mail to one recipient. Never updated; deleted only with its deck. */
export const emailSend = z.object({
  sendId: z.string(),
  presentationId: z.string(),
  email: z.string(),
  /** Null for a recipient that is not an email address, or that stopped such mails: no link is created. */
  tokenId: z.string().nullable(),
  subject: z.string(),
  outcome: z.enum(['sent', 'failed']),
  code: z.enum(deliveryFailures).nullable(),
  resendMessageId: z.string().nullable(),
  sentBy: z.string(),
  keyId: z.string(),
  requestId: z.string(),
  sentAt: date,
});
export type EmailSend = z.output<typeof emailSend>;

const sends = (presentationId: string) => collection(paths.emailSends(presentationId), emailSend);

type Common = Pick<EmailSend, 'subject' | 'sentBy' | 'keyId' | 'requestId' | 'sentAt'>;

/** Creates a record for each outcome. */
export function appendEmailSends(
  tx: Transaction,
  { organizationId, presentationId, title }: Presentation,
  outcomes: readonly Outcome[],
  common: Common,
): void {
  for (const of of outcomes) {
    const sendId = newId();
    const outcome = of.code ? 'failed' : 'sent';
    const record: EmailSend = { sendId, presentationId, ...common, ...of, outcome };
    tx.create(sends(presentationId).doc(sendId), record);
    const send = emailSendView(record, null);
    addEvent(tx, `email.${outcome}`, { organizationId, presentationId }, { title, send });
  }
}

/** The record of a mail that the provider accepted under this id. One query. */
export async function findEmailSend(presentationId: string, resendMessageId: string): Promise<EmailSend | undefined> {
  const query = sends(presentationId).query().where('resendMessageId', '==', resendMessageId).limit(1);
  return (await query.get()).docs[0]?.data();
}

/** A page of a deck's records, newest first, and the cursor of the next page; null on the last page. One query. */
export function listEmailSends(
  presentationId: string,
  limit: number,
  after: Cursor | undefined,
): Promise<{ records: EmailSend[]; next: string | null }> {
  return newestPage(sends(presentationId).query(), 'sentAt', limit, after);
}
