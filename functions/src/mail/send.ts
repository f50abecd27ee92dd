import { config, resendApiKey } from '../config';
import { MAX_TRIES, pauseAfter, timeLeftMs } from '../deadlines';
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
  /** What the provider's events about the mail carry; see `mailTags`. */
  tags?: { name: string; value: string }[];
}

/** What a mail is, where its events need that: `share` has an audit record. */
export type MailKind = 'share' | 'invitation' | 'notice';

/** The tags of a mail. `token` is that of `mailTokenFor`. The provider accepts 256 of the characters of base64url. */
export const mailTags = (kind: MailKind, token: string): NonNullable<Mail['tags']> => [
  { name: 'kind', value: kind },
  { name: 'mail', value: token },
];

/** The provider did not accept a mail, for a reason other than the recipient's address. */
export class MailFault extends Error {
  constructor(
    readonly failure: DeliveryFailure,
    answer: { name: string; message: string },
    /** Whether another mail was accepted under the idempotency key. */
    readonly isKnown = false,
  ) {
    super(`The mail provider answered ${answer.name}: ${answer.message}`);
  }
}

export async function provider() {
  const { Resend } = await import('resend');
  return new Resend(resendApiKey.value().trim());
}

/** The time in which a mail that was not accepted is withdrawn, in milliseconds. */
const WITHDRAWAL_MS = 5_000;

/**
 * How long a call that began at `begunAt` still waits for the provider, repetitions included, in ms. One attempt may
 * take all of this time: a second attempt beside it would only get the error `concurrent_idempotent_requests`.
 */
function patienceLeft(begunAt: number): number {
  const ofProvider = begunAt + config.mailPatienceSeconds() * 1000 - performance.now();
  return Math.max(0, Math.ceil(Math.min(ofProvider, timeLeftMs() - WITHDRAWAL_MS)));
}

/** The provider knows the idempotency key: another call is sending the mails, and their outcome is not known. */
const RACING = 'concurrent_idempotent_requests';
/** The provider accepted another mail under the idempotency key. */
const OTHER_MAIL = 'invalid_idempotent_request';
/** Errors with the status 429 that last for hours. */
const quotas = new Set(['daily_quota_exceeded', 'monthly_quota_exceeded']);

type ProviderError = { name: string; message: string; statusCode: number | null };
type Answer<T> = { data: T; error: null } | { data: null; error: ProviderError };

interface Refusal {
  error: ProviderError;
  failure: DeliveryFailure;
  tries: number;
  /** What the provider said about the idempotency key in one of the attempts. */
  conflict: (typeof conflicts)[string];
}

/**
 * Makes up to 3 attempts of a call while the provider is unavailable or limits the rate, and repeats it while another
 * call runs under the same idempotency key, within `patienceLeft`.
 */
async function send<T>(
  attempt: (signal: AbortSignal) => Promise<Answer<T>>,
): Promise<{ data: T } | { refusal: Refusal }> {
  const begunAt = performance.now();
  let conflict: (typeof conflicts)[string];
  for (let tries = 1; ; tries++) {
    // The SDK returns an error instead of throwing it.
    const { data, error } = await attempt(AbortSignal.timeout(patienceLeft(begunAt)));
    if (error === null) return { data };
    conflict = conflicts[error.name] ?? conflict;
    const isRacing = error.name === RACING;
    const failure = isRacing ? 'provider-unavailable' : failureOf(error.statusCode);
    const mayPass = failure !== 'provider-rejected' && !quotas.has(error.name);
    const isWorthAnother = isRacing || (mayPass && tries < MAX_TRIES);
    if (isWorthAnother) await pauseAfter(Math.min(tries, 4), config.mailRetryPauseMs());
    if (!isWorthAnother || patienceLeft(begunAt) === 0) return { refusal: { error, failure, tries, conflict } };
  }
}

/**
 * Sends one mail, with up to 3 attempts. A second call with the same key within 24 hours sends nothing. Throws
 * EMAIL_INVALID when the provider refuses the address, and `MailFault` when it does not accept the mail for another
 * reason.
 */
export async function sendMail(mail: Mail, idempotencyKey: string): Promise<void> {
  const resend = await provider();
  const payload = { from: config.mailFrom(), ...mail };
  const sent = await send((signal) => resend.emails.send(payload, { idempotencyKey, signal }));
  if ('data' in sent) return;
  const { error, failure } = sent.refusal;
  const fault = new MailFault(failure, error, error.name === OTHER_MAIL);
  // The provider refuses the service's key, quota and rate with other statuses.
  if (error.statusCode !== 400 && error.statusCode !== 422) throw fault;
  logError('The mail provider refused a mail.', error.name, { status: error.statusCode });
  const message = failureMessages['provider-rejected'];
  fail('EMAIL_INVALID', { errors: [{ location: 'body.email', message }] }, { message, cause: fault });
}

/** Errors of the provider for an idempotency key that it knows, and what the caller of a shared key is told. */
const conflicts: Partial<Record<string, { message: string; nextAction: string }>> = {
  [RACING]: {
    message: 'The same call is running at this moment.',
    nextAction: 'Repeat the call in a few seconds.',
  },
  [OTHER_MAIL]: {
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
 * Sends mails with one call of the provider, with up to 3 attempts, and returns the result of each mail. A refused mail
 * does not stop the others. Throws conflict when `isShared` and the mails belong to another call.
 */
export async function sendMails(mails: readonly Mail[], { idempotencyKey, isShared }: Sending): Promise<SendResult[]> {
  if (mails.length === 0) return [];
  const resend = await provider();
  const payload = mails.map((mail) => ({ from: config.mailFrom(), ...mail }));
  const options = { idempotencyKey, batchValidation: 'permissive' } as const;
  const sent = await send((signal) => resend.batch.send(payload, { ...options, signal }));
  if ('data' in sent) return deliveries(mails.length, sent.data);
  const { error, failure, tries, conflict } = sent.refusal;
  logError('The mail provider accepted no mail.', error.name, { status: error.statusCode, tries });
  if (isShared && conflict) fail('conflict', undefined, conflict);
  return mails.map(() => ({ code: failure }));
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
