import { randomInt, timingSafeEqual } from 'node:crypto';
import { mac } from '../values/secrets';

export const CODE_TTL_SECONDS = 600;
export const RESEND_COOLDOWN_SECONDS = 30;
export const MAX_BAD_ATTEMPTS = 5;
/** The largest number of requests for a code in one hour, for one email address and for one client network. */
export const MAX_REQUESTS_PER_EMAIL = 20;
export const MAX_REQUESTS_PER_NETWORK = 60;

export const purposes = ['signup', 'login'] as const;
export type Purpose = (typeof purposes)[number];

/** The stored fields of a one-time code. */
export interface CodeRecord {
  email: string;
  purpose: Purpose;
  codeMac: string;
  badAttempts: number;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
}

/** A new code: six random digits, 000000 to 999999 with equal probability. */
export function mintCode(): string {
  return randomInt(1_000_000).toString().padStart(6, '0');
}

/** The stored form of a code: a keyed hash. A plain hash could be reversed by hashing all million codes. */
export function macCode(secret: string, email: string, purpose: Purpose, code: string): string {
  return mac(secret, 'one-time-code', email, purpose, code);
}

/** Whether the code belongs to the record. Compares in constant time, with each of the secrets. */
export function isCode(
  { codeMac, email, purpose }: Pick<CodeRecord, 'codeMac' | 'email' | 'purpose'>,
  code: string,
  secrets: readonly string[],
): boolean {
  const expected = Buffer.from(codeMac, 'hex');
  const macs = secrets.map((secret) => Buffer.from(macCode(secret, email, purpose, code), 'hex'));
  return macs.map((actual) => timingSafeEqual(expected, actual)).includes(true);
}

export type CodeCheck =
  | { outcome: 'right' }
  | { outcome: 'OTP_NOT_FOUND' | 'OTP_EXPIRED' | 'OTP_ALREADY_USED' | 'OTP_PURPOSE_MISMATCH' | 'OTP_LOCKED_OUT' }
  /** `counted` is false for text that is not six digits: it does not count as an attempt. */
  | { outcome: 'OTP_INVALID'; attemptsRemaining: number; counted: boolean };

/**
 * Checks a sent code against the record of its address. A code that was hashed with any of the secrets is right. The caller writes the consequence in the transaction that read
 * the record.
 */
export function checkCode(
  record: CodeRecord | undefined,
  sent: { code: unknown; purpose: Purpose },
  secrets: readonly string[],
  now: Date,
): CodeCheck {
  const attemptsRemaining = MAX_BAD_ATTEMPTS - (record?.badAttempts ?? 0);
  if (typeof sent.code !== 'string' || !/^[0-9]{6}$/.test(sent.code)) {
    return { outcome: 'OTP_INVALID', attemptsRemaining, counted: false };
  }
  if (!record) return { outcome: 'OTP_NOT_FOUND' };
  if (record.expiresAt <= now) return { outcome: 'OTP_EXPIRED' };
  if (record.usedAt) return { outcome: 'OTP_ALREADY_USED' };
  if (record.purpose !== sent.purpose) return { outcome: 'OTP_PURPOSE_MISMATCH' };
  if (isCode(record, sent.code, secrets)) return { outcome: 'right' };
  if (attemptsRemaining <= 1) return { outcome: 'OTP_LOCKED_OUT' };
  return { outcome: 'OTP_INVALID', attemptsRemaining: attemptsRemaining - 1, counted: true };
}
