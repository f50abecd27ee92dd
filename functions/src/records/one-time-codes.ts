import { createHash } from 'node:crypto';
import { z } from 'zod';
import { serviceSecret } from '../config';
import { fail, type ErrorCode, type ErrorDetails } from '../errors';
import {
  CODE_TTL_SECONDS,
  checkCode,
  macCode,
  MAX_BAD_ATTEMPTS,
  MAX_REQUESTS_PER_NETWORK,
  MAX_REQUESTS_PER_EMAIL,
  mintCode,
  purposes,
  RESEND_COOLDOWN_SECONDS,
  type CodeCheck,
  type Purpose,
} from '../policy/codes';
import { networkOf } from '../values/networks';
import { collection, paths } from './collections';
import { readIn, type Transaction } from './database';
import { date } from './fields';
import { exceededWindow, requestWindowRef, withRequest, type RequestWindow } from './request-windows';
import { transact } from './transact';
import { findUserByEmail, type User } from './users';

/** One pending or used code for each address, whatever its purpose. Expired ones leave by the TTL policy. */
const oneTimeCode = z.object({
  email: z.string(),
  purpose: z.enum(purposes),
  codeMac: z.string(),
  badAttempts: z.number().int(),
  createdAt: date,
  expiresAt: date,
  usedAt: date.nullable(),
});

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000);

const codeRef = (email: string) => collection(paths.oneTimeCodes, oneTimeCode).doc(hash(email));

interface CodeRequest {
  email: string;
  purpose: Purpose;
  clientAddress: string;
  now: Date;
}

type Refusal = { code: ErrorCode; details?: ErrorDetails };

/**
 * Makes a new code, replacing a pending one, and returns it. Refuses by cooldown, by the hour's windows (which count every request that
 * passed the cooldown) or with what `refuse` says of the address's user.
 */
export async function issueCode(
  request: CodeRequest,
  refuse: (user: User | undefined) => ErrorCode | undefined,
): Promise<string> {
  const { email, purpose, now } = request;
  const outcome = await transact(async (tx): Promise<string | Refusal> => {
    const emailWindow = requestWindowRef('email', email);
    const clientWindow = requestWindowRef('client', networkOf(request.clientAddress));
    const [byEmail, byClient] = await readIn(tx, emailWindow, clientWindow);
    const user = await findUserByEmail(tx, email);

    const resendAt = byEmail?.sentAt ? after(byEmail.sentAt, RESEND_COOLDOWN_SECONDS) : now;
    if (resendAt > now) {
      const retryInSeconds = Math.ceil((resendAt.getTime() - now.getTime()) / 1000);
      return {
        code: 'OTP_RESEND_COOLDOWN',
        details: { retryInSeconds, limit: 1, windowSeconds: RESEND_COOLDOWN_SECONDS },
      };
    }
    const full =
      windowRefusal('EMAIL_RATE_LIMITED', byEmail, MAX_REQUESTS_PER_EMAIL, now) ??
      windowRefusal('IP_RATE_LIMITED', byClient, MAX_REQUESTS_PER_NETWORK, now);
    if (full) return full;

    const refusal = refuse(user);
    // A refused address counts too: asking for one address after the other is how accounts are guessed.
    const sentAt = refusal ? (byEmail?.sentAt ?? null) : now;
    tx.set(emailWindow, { ...withRequest(byEmail, now), sentAt });
    tx.set(clientWindow, withRequest(byClient, now));
    if (refusal) return { code: refusal };
    const code = mintCode();
    tx.set(codeRef(email), {
      email,
      purpose,
      codeMac: macCode(serviceSecret.value(), email, purpose, code),
      badAttempts: 0,
      createdAt: now,
      expiresAt: after(now, CODE_TTL_SECONDS),
      usedAt: null,
    });
    return code;
  });
  return typeof outcome === 'string' ? outcome : fail(outcome.code, outcome.details);
}

function windowRefusal(
  code: ErrorCode,
  window: RequestWindow | undefined,
  max: number,
  now: Date,
): Refusal | undefined {
  const details = exceededWindow(window, max, now);
  return details && { code, details };
}

/** Takes back a code that could not be mailed, so that its cooldown does not punish the one who waits for it. */
export async function withdrawCode(email: string, purpose: Purpose, code: string): Promise<void> {
  await transact(async (tx) => {
    const [pending] = await readIn(tx, codeRef(email));
    if (pending?.codeMac !== macCode(serviceSecret.value(), email, purpose, code)) return;
    tx.delete(codeRef(email));
    tx.update(requestWindowRef('email', email), { sentAt: null });
  });
}

interface SentCode {
  email: string;
  purpose: Purpose;
  code: unknown;
  now: Date;
}

/**
 * Runs `body` in one transaction with the check of the code and its consumption, so that a code works once however many calls race,
 * and 5 tries are 5. When `body` throws, the code stays as it was. A wrong code is counted and answered.
 */
export async function withCode<T>(sent: SentCode, body: (tx: Transaction) => Promise<T>): Promise<T> {
  return judge(sent, async (tx) => {
    const result = await body(tx);
    tx.update(codeRef(sent.email), { usedAt: sent.now });
    return result;
  });
}

/** Checks a code without using it up; a wrong one is counted and answered as by `withCode`. */
export async function assertCode(sent: SentCode): Promise<void> {
  await judge(sent, () => Promise.resolve());
}

async function judge<T>(sent: SentCode, whenRight: (tx: Transaction) => Promise<T>): Promise<T> {
  const { email, now } = sent;
  const outcome = await transact(
    async (tx): Promise<{ result: T } | { verdict: Exclude<CodeCheck, { outcome: 'right' }> }> => {
      const [record] = await readIn(tx, codeRef(email));
      const verdict = checkCode(record, sent, serviceSecret.value(), now);
      if (verdict.outcome === 'right') return { result: await whenRight(tx) };
      if (verdict.outcome === 'OTP_LOCKED_OUT') tx.delete(codeRef(email));
      if (verdict.outcome === 'OTP_INVALID' && verdict.counted) {
        tx.update(codeRef(email), { badAttempts: MAX_BAD_ATTEMPTS - verdict.attemptsRemaining });
      }
      return { verdict };
    },
  );
  if ('result' in outcome) return outcome.result;
  return failVerdict(outcome.verdict);
}

function failVerdict(verdict: Exclude<CodeCheck, { outcome: 'right' }>): never {
  switch (verdict.outcome) {
    case 'OTP_INVALID':
      return fail('OTP_INVALID', { attemptsRemaining: verdict.attemptsRemaining });
    case 'OTP_LOCKED_OUT':
      // The code is void, so a fresh one may be asked for at once.
      return fail('OTP_LOCKED_OUT', { retryInSeconds: 0, limit: MAX_BAD_ATTEMPTS, windowSeconds: CODE_TTL_SECONDS });
    case 'OTP_NOT_FOUND':
    case 'OTP_EXPIRED':
    case 'OTP_ALREADY_USED':
    case 'OTP_PURPOSE_MISMATCH':
      return fail(verdict.outcome);
  }
}
