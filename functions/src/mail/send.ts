import { setTimeout as pause } from 'node:timers/promises';
import { config, resendApiKey } from '../config';
import { fail } from '../errors';
import { logError } from '../log';
import { failureMessages, failureOf, type DeliveryFailure, type SendResult } from '../policy/mail-deliveries';

export interface Mail {
  /** The sender of the service when absent. */
  from?: string;
  to: string;
  subject: string;
  html: string;
  text: string;
  replyTo?: string;
  headers?: Record<string, string>;
}

/** The provider did not accept a mail, for a reason other than the recipient's address. */
export class MailFault extends Error {
  constructor(
    readonly failure: DeliveryFailure,
    answer: { name: string; message: string },
  ) {
    super(`The mail provider answered ${answer.name}: ${answer.message}`);
  }
}

async function provider() {
  const { Resend } = await import('resend');
  return new Resend(resendApiKey.value());
}

/**
 * How long a call waits for the provider, repetitions included. One attempt may take all of this time: a second attempt
 * beside it would only get the error `concurrent_idempotent_requests`.
 */
const patienceMs = () => config.mailPatienceSeconds() * 1000;

/**
 * Sends one mail. A second call with the same key within 24 hours sends nothing. Throws EMAIL_INVALID when the provider
 * refuses the address, and `MailFault` when it does not accept the mail for another reason.
 */
export async function sendMail(mail: Mail, idempotencyKey: string): Promise<void> {
  const resend = await provider();
  const { error } = await resend.emails.send(
    { from: config.mailFrom(), ...mail },
    { idempotencyKey, signal: AbortSignal.timeout(patienceMs()) },
  );
  // The SDK returns an error instead of throwing it.
  if (!error) return;
  const fault = new MailFault(failureOf(error.statusCode), error);
  // The provider refuses the service's key, quota and rate with other statuses.
  if (error.statusCode !== 400 && error.statusCode !== 422) throw fault;
  logError('The mail provider refused a mail.', error.name, { status: error.statusCode });
  const message = failureMessages['provider-rejected'];
  fail('EMAIL_INVALID', { errors: [{ location: 'body.email', message }] }, { message, cause: fault });
}

const TRIES = 3;
const pauseAfter = (tries: number) => pause(Math.min(2 ** tries, 10) * config.mailRetryPauseMs());

/**
 * Errors of the provider for an idempotency key that it knows. Another call has sent the mails, or is sending them, and
 * the provider does not tell their outcome.
 */
const RACING = 'concurrent_idempotent_requests';
const conflicts: Partial<Record<string, { message: string; nextAction: string }>> = {
  [RACING]: {
    message: 'The same call is running at this moment.',
    nextAction: 'Repeat the call in a few seconds.',
  },
  invalid_idempotent_request: {
    message: 'This call was made before with other mails.',
    nextAction: 'Send again with another Idempotency-Key.',
  },
};

interface Sending {
  /** The provider sends the same mails under the same key once within 24 hours. */
  idempotencyKey: string;
  /** Whether another call may send under the same key. */
  isShared: boolean;
}

/**
 * Sends mails with one call of the provider and returns the result of each mail. A refused mail does not stop the
 * others. Makes up to 3 attempts while the provider is unavailable, and repeats the call while another call runs under
 * the same key, within `patienceMs`. Throws conflict when `isShared` and the mails belong to another call.
 */
export async function sendMails(mails: readonly Mail[], { idempotencyKey, isShared }: Sending): Promise<SendResult[]> {
  if (mails.length === 0) return [];
  const resend = await provider();
  const payload = mails.map((mail) => ({ from: config.mailFrom(), ...mail }));
  const begunAt = performance.now();
  const timeLeft = () => Math.max(0, Math.ceil(begunAt + patienceMs() - performance.now()));
  let conflict: (typeof conflicts)[string];
  for (let tries = 1; ; tries++) {
    const { data, error } = await resend.batch.send(payload, {
      idempotencyKey,
      batchValidation: 'permissive',
      signal: AbortSignal.timeout(timeLeft()),
    });
    if (data) return deliveries(mails.length, data);
    conflict = conflicts[error.name] ?? conflict;
    const isRacing = error.name === RACING;
    const code = isRacing ? 'provider-unavailable' : failureOf(error.statusCode);
    const isWorthAnother = isRacing || (code === 'provider-unavailable' && tries < TRIES);
    if (isWorthAnother) await pauseAfter(tries);
    if (isWorthAnother && timeLeft() > 0) continue;
    logError('The mail provider accepted no mail.', error.name, { status: error.statusCode, tries });
    if (isShared && conflict) fail('conflict', undefined, conflict);
    return mails.map(() => ({ code }));
  }
}

/**
 * In permissive mode the provider answers the ids of the accepted mails, in order, and the index of each refused mail.
 */
function deliveries(count: number, answer: { data: { id: string }[]; errors?: { index: number }[] }): SendResult[] {
  const refused = new Set((answer.errors ?? []).map(({ index }) => index));
  const ids = answer.data.values();
  return Array.from({ length: count }, (_, index): SendResult => {
    const id = refused.has(index) ? undefined : ids.next().value?.id;
    return id === undefined ? { code: 'provider-rejected' } : { messageId: id };
  });
}
