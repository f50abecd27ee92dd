import { setTimeout as pause } from 'node:timers/promises';
import { config, resendApiKey } from '../config';
import { logError } from '../log';
import { failureOf, type Delivery } from '../policy/deliveries';
import { fail } from '../policy/errors';

export interface Mail {
  /** Left out, it is the service. */
  from?: string;
  to: string;
  subject: string;
  html: string;
  text: string;
  replyTo?: string;
}

/** Three tries end within half of the time that a function has. */
const TIMEOUT_MS = 8_000;
const PAUSES_MS = [300, 1_500];

async function provider() {
  const { Resend } = await import('resend');
  return new Resend(resendApiKey.value());
}

/** Sends one mail; a second send with the same key within a day sends nothing. Throws when the provider does not take it, in eight seconds at most. */
export async function sendMail(mail: Mail, idempotencyKey: string): Promise<void> {
  const resend = await provider();
  const { error } = await resend.emails.send(
    { from: config.mailFrom(), ...mail },
    { idempotencyKey, signal: AbortSignal.timeout(TIMEOUT_MS) },
  );
  // The SDK answers an error instead of throwing it.
  if (error) throw new Error(`The mail provider answered ${error.name}: ${error.message}`);
}

/**
 * Sends mails in one call and answers what became of each; one that the provider refuses does not keep the others back. The same mails under the
 * same key are sent once within a day, so a call without an answer is made again. Throws conflict while another call sends them.
 */
export async function sendMails(mails: readonly Mail[], idempotencyKey: string): Promise<Delivery[]> {
  if (mails.length === 0) return [];
  const resend = await provider();
  const payload = mails.map((mail) => ({ from: config.mailFrom(), ...mail }));
  for (let tries = 0; ; tries++) {
    const { data, error } = await resend.batch.send(payload, {
      idempotencyKey,
      batchValidation: 'permissive',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (data) return deliveries(mails.length, data);
    const isRacing = error.name === 'concurrent_idempotent_requests';
    const code = failureOf(error.statusCode);
    const wait = PAUSES_MS[tries];
    if (wait === undefined || !(isRacing || code === 'provider-unavailable')) {
      logError('The mail provider took no mail.', error.name, { status: error.statusCode, tries: tries + 1 });
      if (isRacing) {
        const nextAction = 'Repeat the call in a few seconds.';
        fail('conflict', undefined, { message: 'The same call is being made at this moment.', nextAction });
      }
      return mails.map(() => ({ code }));
    }
    await pause(wait);
  }
}

/** In permissive mode the provider answers the ids of what it took, in order, and an error for each of the others. */
function deliveries(count: number, answer: { data: { id: string }[]; errors?: { index: number }[] }): Delivery[] {
  const refused = new Set((answer.errors ?? []).map(({ index }) => index));
  const ids = answer.data.values();
  return Array.from({ length: count }, (_, index): Delivery => {
    const id = refused.has(index) ? undefined : ids.next().value?.id;
    return id === undefined ? { code: 'provider-rejected' } : { messageId: id };
  });
}
