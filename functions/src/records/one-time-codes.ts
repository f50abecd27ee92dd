import { createHash } from 'node:crypto';
import { z } from 'zod';
import { serviceSecrets } from '../config';
import { fail, type ErrorCode, type ErrorDetails } from '../errors';
import {
  CODE_TTL_SECONDS,
  checkCode,
  isCode,
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
import { isFromWrongClock, waitSeconds } from '../policy/request-windows';
import { networkOf } from '../values/networks';
import { collection, date, paths } from './collections';
import { readIn, type Transaction } from './database';
import { exceededWindow, requestWindowRef, withoutRequest, withRequest, type RequestWindow } from './request-windows';
import { transact } from './transact';
import { findUserByEmail, type User } from './users';

const code = z.object({
  email: z.string(),
  purpose: z.enum(purposes),
  codeMac: z.string(),
  badAttempts: z.number().int(),
  createdAt: date,
  expiresAt: date,
  usedAt: date.nullable(),
});

/**
 * The pending or used code of an address. An address has at most one code, whatever its purpose. The TTL policy deletes
 * expired codes.
 */
const oneTimeCode = code.extend({
  /** The code that this one replaced. It is restored when the mail with this one is not sent. */
  replaced: code.nullable(),
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
 * Creates a code, replaces a pending one, and returns it. Fails with OTP_RESEND_COOLDOWN within 30 seconds of the last
 * code, with EMAIL_RATE_LIMITED or IP_RATE_LIMITED above the limits of an hour, and with the error that `refuse`
 * returns for the user of the address. A request that `refuse` refuses sends no mail: it counts for the client only, so
 * nobody can close the login of another user.
 */
export async function issueCode(
  request: CodeRequest,
  refuse: (user: User | undefined) => ErrorCode | undefined,
): Promise<string> {
  const { email, purpose, now } = request;
  const outcome = await transact(async (tx): Promise<string | Refusal> => {
    const emailWindow = requestWindowRef('email', email);
    const clientWindow = requestWindowRef('client', networkOf(request.clientAddress));
    const [byEmail, byClient, pending] = await readIn(tx, emailWindow, clientWindow, codeRef(email));
    const user = await findUserByEmail(tx, email);

    const sentAt = byEmail?.sentAt && !isFromWrongClock(byEmail.sentAt, now) ? byEmail.sentAt : null;
    const resendAt = sentAt ? after(sentAt, RESEND_COOLDOWN_SECONDS) : now;
    if (resendAt > now) {
      const retryInSeconds = waitSeconds(resendAt.getTime() - now.getTime(), RESEND_COOLDOWN_SECONDS);
      return {
        code: 'OTP_RESEND_COOLDOWN',
        details: { retryInSeconds, limit: 1, windowSeconds: RESEND_COOLDOWN_SECONDS },
      };
    }
    const limited =
      windowRefusal('EMAIL_RATE_LIMITED', byEmail, MAX_REQUESTS_PER_EMAIL, now) ??
      windowRefusal('IP_RATE_LIMITED', byClient, MAX_REQUESTS_PER_NETWORK, now);
    if (limited) return limited;

    const refusal = refuse(user);
    // A refused request counts too. Otherwise a client could try many addresses to find those with accounts.
    tx.set(clientWindow, withRequest(byClient, now));
    if (refusal) return { code: refusal };
    tx.set(emailWindow, { ...withRequest(byEmail, now), sentAt: now });
    const code = mintCode();
    const { replaced: _older, ...replaced } = pending ?? {};
    tx.set(codeRef(email), {
      email,
      purpose,
      codeMac: macCode(serviceSecrets.current(), email, purpose, code),
      badAttempts: 0,
      createdAt: now,
      expiresAt: after(now, CODE_TTL_SECONDS),
      usedAt: null,
      replaced: 'codeMac' in replaced ? replaced : null,
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

/**
 * Withdraws a code that could not be mailed: restores the code that it replaced, ends its cooldown and subtracts its
 * request from those of the address. The user can request another code at once.
 */
export async function withdrawCode(email: string, purpose: Purpose, code: string): Promise<void> {
  await transact(async (tx) => {
    const emailWindow = requestWindowRef('email', email);
    const [pending, window] = await readIn(tx, codeRef(email), emailWindow);
    if (pending?.purpose !== purpose || !isCode(pending, code, serviceSecrets.accepted())) return;
    if (pending.replaced) tx.set(codeRef(email), { ...pending.replaced, replaced: null });
    else tx.delete(codeRef(email));
    if (window) tx.update(emailWindow, { ...withoutRequest(window, pending.createdAt), sentAt: null });
  });
}

interface SentCode {
  email: string;
  purpose: Purpose;
  code: unknown;
  now: Date;
}

/**
 * Checks a code, runs `body` and marks the code as used, in one transaction. A code is therefore used once, and five
 * wrong attempts are counted as five, however many calls race. When `body` throws, the code stays unused. A wrong code
 * is counted and throws its error.
 */
export async function withCode<T>(sent: SentCode, body: (tx: Transaction) => Promise<T>): Promise<T> {
  return checkAnd(sent, async (tx) => {
    const result = await body(tx);
    tx.update(codeRef(sent.email), { usedAt: sent.now });
    return result;
  });
}

/** Checks a code without using it. A wrong code is counted and throws its error, as in `withCode`. */
export async function assertCode(sent: SentCode): Promise<void> {
  await checkAnd(sent, () => Promise.resolve());
}

async function checkAnd<T>(sent: SentCode, onRight: (tx: Transaction) => Promise<T>): Promise<T> {
  const { email, now } = sent;
  const outcome = await transact(
    async (tx): Promise<{ result: T } | { check: Exclude<CodeCheck, { outcome: 'right' }> }> => {
      const [record] = await readIn(tx, codeRef(email));
      const check = checkCode(record, sent, serviceSecrets.accepted(), now);
      if (check.outcome === 'right') return { result: await onRight(tx) };
      if (check.outcome === 'OTP_LOCKED_OUT') tx.delete(codeRef(email));
      if (check.outcome === 'OTP_INVALID' && check.counted) {
        tx.update(codeRef(email), { badAttempts: MAX_BAD_ATTEMPTS - check.attemptsRemaining });
      }
      return { check };
    },
  );
  if ('result' in outcome) return outcome.result;
  return failCheck(outcome.check);
}

function failCheck(check: Exclude<CodeCheck, { outcome: 'right' }>): never {
  switch (check.outcome) {
    case 'OTP_INVALID':
      return fail('OTP_INVALID', { attemptsRemaining: check.attemptsRemaining });
    case 'OTP_LOCKED_OUT':
      // The code is deleted. A new one may be requested as soon as the cooldown allows it.
      return fail('OTP_LOCKED_OUT', { retryInSeconds: 0, limit: MAX_BAD_ATTEMPTS, windowSeconds: CODE_TTL_SECONDS });
    case 'OTP_NOT_FOUND':
    case 'OTP_EXPIRED':
    case 'OTP_ALREADY_USED':
    case 'OTP_PURPOSE_MISMATCH':
      return fail(check.outcome);
  }
}
