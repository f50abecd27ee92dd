import { setTimeout as pause } from 'node:timers/promises';
import { config, resendApiKey } from '../config';
import { logError } from '../log';
import { failureMessages, failureOf, type DeliveryFailure, type SendResult } from '../policy/mail-deliveries';
import { fail } from '../errors';

export interface Mail {
  /** Left out, it is the service. */
  from?: string;
  to: string;
  subject: string;
  html: string;
  text: string;
  replyTo?: string;
}

/** The provider did not take a mail, for a reason that lies not in its address. */
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

/** One try may take all of it: a second one beside it would only be told that the first one runs. */
const patienceMs = () => config.mailPatienceSeconds() * 1000;

/**
 * Sends one mail; a second send with the same key within a day sends nothing. EMAIL_INVALID when the provider refuses the address, otherwise
 * `MailFault` when it does not take the mail.
 */
export async function sendMail(mail: Mail, idempotencyKey: string): Promise<void> {
  const resend = await provider();
  const { error } = await resend.emails.send(
    { from: config.mailFrom(), ...mail },
    { idempotencyKey, signal: AbortSignal.timeout(patienceMs()) },
  );
  // The SDK answers an error instead of throwing it.
  if (!error) return;
  const fault = new MailFault(failureOf(error.statusCode), error);
  // Our key, our quota and our own calls are refused with other statuses.
  if (error.statusCode !== 400 && error.statusCode !== 422) throw fault;
  logError('The mail provider refused a mail.', error.name, { status: error.statusCode });
  const message = failureMessages['provider-rejected'];
  fail('EMAIL_INVALID', { errors: [{ location: 'body.email', message }] }, { message, cause: fault });
}

const TRIES = 3;
const pauseAfter = (tries: number) => pause(Math.min(2 ** tries, 10) * config.mailRetryPauseMs());

/** What the provider answers under a key that it knows already: it has the mails, or gets them now, and says not what becomes of them. */
const RACING = 'concurrent_idempotent_requests';
const conflicts: Partial<Record<string, { message: string; nextAction: string }>> = {
  [RACING]: {
    message: 'The same call is being made at this moment.',
    nextAction: 'Repeat the call in a few seconds.',
  },
  invalid_idempotent_request: {
    message: 'This call was made before, and its mails read otherwise.',
    nextAction: 'Send anew, with another Idempotency-Key.',
  },
};

interface Sending {
  /** The same mails under the same key are sent once within a day. */
  idempotencyKey: string;
  /** Whether another call may be sending under the same key. */
  isShared: boolean;
}

/**
 * Sends mails in one call and answers what became of each; one that the provider refuses does not keep the others back. A call without an answer is
 * made again. Throws conflict when the answer belongs to another call, which goes on.
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
    logError('The mail provider took no mail.', error.name, { status: error.statusCode, tries });
    if (isShared && conflict) fail('conflict', undefined, conflict);
    return mails.map(() => ({ code }));
  }
}

/** In permissive mode the provider answers the ids of what it took, in order, and an error for each of the others. */
function deliveries(count: number, answer: { data: { id: string }[]; errors?: { index: number }[] }): SendResult[] {
  const refused = new Set((answer.errors ?? []).map(({ index }) => index));
  const ids = answer.data.values();
  return Array.from({ length: count }, (_, index): SendResult => {
    const id = refused.has(index) ? undefined : ids.next().value?.id;
    return id === undefined ? { code: 'provider-rejected' } : { messageId: id };
  });
}
