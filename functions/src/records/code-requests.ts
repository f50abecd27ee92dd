import { randomBytes } from 'node:crypto';
import { serviceSecrets } from '../config';
import { fail, type ErrorCode, type ErrorDetails } from '../errors';
import {
  CODE_TTL_SECONDS,
  macCode,
  MAX_REQUESTS_PER_EMAIL,
  MAX_REQUESTS_PER_NETWORK,
  MAX_UNKNOWN_REQUESTS_PER_DAY,
  mintCode,
  RESEND_COOLDOWN_SECONDS,
  withNewCode,
  type Purpose,
} from '../policy/codes';
import { isFromWrongClock, waitSeconds } from '../policy/request-windows';
import { networkOf } from '../values/networks';
import { DAY_SECONDS } from '../values/units';
import { readIn } from './database';
import { isDeviceOf } from './devices';
import { codesOfAddress, codesRef, requestHashOf } from './one-time-codes';
import { recipientKey } from './recipient-key';
import { exceededWindow, requestWindowRef, withoutRequest, withRequest, type RequestWindow } from './request-windows';
import { transact } from './transact';
import { findUserByEmail, type User } from './users';

interface CodeRequest {
  email: string;
  purpose: Purpose;
  /** See `macCode`. */
  about?: string;
  /** Whether a session of the user makes the request. It counts as one of a known device, in a window of its own. */
  isSignedIn?: boolean;
  /** Shows that the user has signed in on this device. A useless token counts as none. */
  deviceToken?: string | null | undefined;
  clientAddress: string;
  now: Date;
}

/** A stored code. */
export interface IssuedCode {
  /** The six digits to mail. Null when the recipient stopped codes for unknown devices: then nothing is mailed. */
  digits: string | null;
  requestToken: string;
  /** The window that counted the request. */
  counted: 'email' | 'device' | 'session';
}

type Refusal = { code: ErrorCode; details?: ErrorDetails };

const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000);

/**
 * Creates a code beside the other codes of the address, and returns it. Fails with OTP_RESEND_COOLDOWN within 30
 * seconds of the last code, with EMAIL_RATE_LIMITED or IP_RATE_LIMITED above the limits, and with the error that
 * `refuse` returns for the user of the address. A request that `refuse` refuses sends no mail: it counts for the client
 * only, so nobody can close the login of another user. A device that has signed in before has a cooldown and a limit of
 * its own.
 */
export async function issueCode(
  request: CodeRequest,
  refuse: (user: User | undefined) => ErrorCode | undefined,
): Promise<IssuedCode> {
  const { email, purpose, about, isSignedIn, now } = request;
  const requestToken = randomBytes(32).toString('base64url');
  const digits = mintCode();
  const key = await recipientKey();
  const outcome = await transact(async (tx): Promise<IssuedCode | Refusal> => {
    const ofEmail = requestWindowRef(key, 'email', email);
    const own = isSignedIn ? 'session' : 'device';
    const ofDevices = requestWindowRef(key, own, email);
    const ofClient = requestWindowRef(key, 'client', networkOf(request.clientAddress));
    const [byEmail, byDevices, byClient, stored] = await readIn(tx, ofEmail, ofDevices, ofClient, codesRef(key, email));
    const user = await findUserByEmail(tx, email);
    const refusal = refuse(user);
    const isOfDevice = !refusal && (isSignedIn === true || isDeviceOf(user, request.deviceToken, now));

    const limited = isOfDevice
      ? (cooldown(byDevices, now) ?? exceeded('EMAIL_RATE_LIMITED', byDevices, MAX_REQUESTS_PER_EMAIL, now))
      : (cooldown(byEmail, now) ??
        exceeded('EMAIL_RATE_LIMITED', byEmail, MAX_REQUESTS_PER_EMAIL, now) ??
        exceeded('EMAIL_RATE_LIMITED', byEmail, MAX_UNKNOWN_REQUESTS_PER_DAY, now, DAY_SECONDS) ??
        exceeded('IP_RATE_LIMITED', byClient, MAX_REQUESTS_PER_NETWORK, now));
    if (limited) return limited;

    // A refused request counts too. Otherwise a client could try many addresses to find those with accounts. A known
    // device does not count: others in its network must not close it, and its address has its own limit.
    if (!isOfDevice) tx.set(ofClient, withRequest(byClient, now));
    if (refusal) return { code: refusal };
    if (isOfDevice) tx.set(ofDevices, { ...withRequest(byDevices, now), sentAt: now });
    else tx.set(ofEmail, { ...withRequest(byEmail, now, DAY_SECONDS), sentAt: now });

    const stoppedUntil = stored?.stoppedUntil ?? null;
    const isStopped = !isOfDevice && stoppedUntil !== null && stoppedUntil > now;
    // No six digits are right for a request that was stopped. In all else it looks like the others.
    const accepted = isStopped ? requestToken : digits;
    const added = {
      purpose,
      codeMac: macCode(serviceSecrets.current(), email, purpose, accepted, about),
      requestHash: requestHashOf(requestToken),
      isOfDevice,
      badAttempts: { token: 0, address: 0 },
      createdAt: now,
      expiresAt: after(now, CODE_TTL_SECONDS),
      usedAt: null,
    };
    tx.set(codesRef(key, email), codesOfAddress(withNewCode(stored?.codes ?? [], added, now), stoppedUntil));
    return { digits: isStopped ? null : digits, requestToken, counted: isOfDevice ? own : 'email' };
  });
  return 'requestToken' in outcome ? outcome : fail(outcome.code, outcome.details);
}

function cooldown(window: RequestWindow | undefined, now: Date): Refusal | undefined {
  const sentAt = window?.sentAt && !isFromWrongClock(window.sentAt, now) ? window.sentAt : null;
  const resendAt = sentAt ? after(sentAt, RESEND_COOLDOWN_SECONDS) : now;
  if (resendAt <= now) return undefined;
  const retryInSeconds = waitSeconds(resendAt.getTime() - now.getTime(), RESEND_COOLDOWN_SECONDS);
  return { code: 'OTP_RESEND_COOLDOWN', details: { retryInSeconds, limit: 1, windowSeconds: RESEND_COOLDOWN_SECONDS } };
}

function exceeded(
  code: ErrorCode,
  window: RequestWindow | undefined,
  max: number,
  now: Date,
  windowSeconds?: number,
): Refusal | undefined {
  const details = exceededWindow(window, max, now, windowSeconds);
  return details && { code, details };
}

/**
 * Withdraws a code that could not be mailed: removes it, ends its cooldown and subtracts its request from those of the
 * address. The user can request another code at once, and the codes before it are valid as they were.
 */
export async function withdrawCode(email: string, { requestToken, counted }: IssuedCode): Promise<void> {
  const requestHash = requestHashOf(requestToken);
  const key = await recipientKey();
  await transact(async (tx) => {
    const windowRef = requestWindowRef(key, counted, email);
    const [stored, window] = await readIn(tx, codesRef(key, email), windowRef);
    const withdrawn = stored?.codes.find((each) => each.requestHash === requestHash);
    if (!stored || !withdrawn || withdrawn.usedAt) return;
    const codes = stored.codes.filter((each) => each !== withdrawn);
    if (codes.length > 0 || stored.stoppedUntil) {
      tx.set(codesRef(key, email), codesOfAddress(codes, stored.stoppedUntil));
    } else tx.delete(codesRef(key, email));
    if (window) tx.update(windowRef, { ...withoutRequest(window, withdrawn.createdAt), sentAt: null });
  });
}
