import { randomInt, timingSafeEqual } from 'node:crypto';
import { mac } from '../values/secrets';

export const CODE_TTL_SECONDS = 600;
export const RESEND_COOLDOWN_SECONDS = 30;
/** The wrong attempts that end one of the two ways to try a code. */
export const MAX_BAD_ATTEMPTS = 5;
/** The codes of an address that lie side by side. */
export const MAX_CODES = 20;
/**
 * The largest number of requests for a code in one hour: for one email address from unknown devices, and as many from
 * its own devices; and for one client network.
 */
export const MAX_REQUESTS_PER_EMAIL = 20;
export const MAX_REQUESTS_PER_NETWORK = 60;
/** The largest number of requests for a code of one address in one day, from devices that have not signed in before. */
export const MAX_UNKNOWN_REQUESTS_PER_DAY = 40;
/** The largest number of wrong codes of one client network in one hour. */
export const MAX_WRONG_CODES_PER_NETWORK = 60;
/** How long a recipient stops codes for unknown devices, and how long the link of a mail offers it. */
export const STOP_SECONDS = 24 * 3600;

/** What the owner of an account confirms with a code, beside a session. */
export const accountPurposes = ['delete', 'change-email', 'export'] as const;
export type AccountPurpose = (typeof accountPurposes)[number];
export const purposes = ['signup', 'login', ...accountPurposes] as const;
export type Purpose = (typeof purposes)[number];

/** How a code is tried: with the token of its own request, or for its address alone. Each way has its own attempts. */
export type Way = 'token' | 'address';

/** The stored fields of a one-time code. */
export interface CodeRecord {
  /** `open` is the purpose of the codes of readers, which have records of their own. */
  purpose: Purpose | 'open';
  codeMac: string;
  /** SHA-256 of the token of its request. */
  requestHash: string;
  /** Whether a device of the user asked for the code. */
  isOfDevice: boolean;
  badAttempts: Record<Way, number>;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
}

/** A new code: six random digits, 000000 to 999999 with equal probability. */
export function mintCode(): string {
  return randomInt(1_000_000).toString().padStart(6, '0');
}

/**
 * The stored form of a code: a keyed hash. A plain hash could be reversed by hashing all million codes. `about` names
 * what else the code is for, such as the new address of a change: it is right for nothing else.
 */
export function macCode(
  secret: string,
  email: string,
  purpose: CodeRecord['purpose'],
  code: string,
  about?: string,
): string {
  return mac(secret, 'one-time-code', email, purpose, code, ...(about === undefined ? [] : [about]));
}

/** Whether the code belongs to the record of the address. Compares in constant time, with each of the secrets. */
export function isCode(
  { codeMac, email, purpose, about }: Pick<CodeRecord, 'codeMac' | 'purpose'> & Pick<TriedCode, 'email' | 'about'>,
  code: string,
  secrets: readonly string[],
): boolean {
  const expected = Buffer.from(codeMac, 'hex');
  const macs = secrets.map((secret) => Buffer.from(macCode(secret, email, purpose, code, about), 'hex'));
  return macs.map((actual) => timingSafeEqual(expected, actual)).includes(true);
}

/**
 * The codes of an address with a new one, which is the last. Above `MAX_CODES` the oldest expired code goes, and then
 * the oldest one of an unknown device: a stranger pushes out no code that a device of the user asked for.
 */
export function withNewCode<C extends CodeRecord>(codes: readonly C[], added: C, now: Date): C[] {
  const kept = [...codes];
  while (kept.length >= MAX_CODES) {
    const expired = kept.findIndex(({ expiresAt }) => expiresAt <= now);
    const pushedOut = expired >= 0 ? expired : kept.findIndex(({ isOfDevice }) => !isOfDevice);
    if (pushedOut < 0) break;
    kept.splice(pushedOut, 1);
  }
  return [...kept, added];
}

/** The code that a call tries: that of the request whose token it sends, or else the newest one. */
export function triedCode<C extends CodeRecord>(codes: readonly C[], requestHash: string | undefined): C | undefined {
  return requestHash === undefined ? codes.at(-1) : codes.find((each) => each.requestHash === requestHash);
}

export type CodeCheck =
  | { outcome: 'right' }
  | { outcome: 'OTP_NOT_FOUND' | 'OTP_EXPIRED' | 'OTP_ALREADY_USED' | 'OTP_PURPOSE_MISMATCH' | 'OTP_LOCKED_OUT' }
  /** `counted` is false for text that is not six digits: it does not count as an attempt. */
  | { outcome: 'OTP_INVALID'; attemptsRemaining: number; counted: boolean };

/** What a client sends to prove that it got the mail. */
export interface TriedCode {
  email: string;
  code: unknown;
  purpose: CodeRecord['purpose'];
  /** See `macCode`. */
  about?: string | undefined;
  way: Way;
}

/**
 * Checks a sent code against a record of its address. A code that was hashed with any of the secrets is right. A code
 * whose attempts in this way are used up counts as no code. The caller writes the consequence in the transaction that
 * read the record.
 */
export function checkCode(
  stored: CodeRecord | undefined,
  { email, code, purpose, about, way }: TriedCode,
  secrets: readonly string[],
  now: Date,
): CodeCheck {
  const record = stored && stored.badAttempts[way] < MAX_BAD_ATTEMPTS ? stored : undefined;
  const attemptsRemaining = MAX_BAD_ATTEMPTS - (record?.badAttempts[way] ?? 0);
  if (typeof code !== 'string' || !/^[0-9]{6}$/.test(code)) {
    return { outcome: 'OTP_INVALID', attemptsRemaining, counted: false };
  }
  if (!record) return { outcome: 'OTP_NOT_FOUND' };
  if (record.expiresAt <= now) return { outcome: 'OTP_EXPIRED' };
  if (record.usedAt) return { outcome: 'OTP_ALREADY_USED' };
  if (record.purpose !== purpose) return { outcome: 'OTP_PURPOSE_MISMATCH' };
  if (isCode({ ...record, email, about }, code, secrets)) return { outcome: 'right' };
  if (attemptsRemaining <= 1) return { outcome: 'OTP_LOCKED_OUT' };
  return { outcome: 'OTP_INVALID', attemptsRemaining: attemptsRemaining - 1, counted: true };
}

/** Whether the check refused six digits that might have been the code. Such guesses are counted for their client. */
export const isGuess = (check: CodeCheck): boolean =>
  check.outcome === 'OTP_LOCKED_OUT' ||
  check.outcome === 'OTP_NOT_FOUND' ||
  (check.outcome === 'OTP_INVALID' && check.counted);
