import { randomInt, timingSafeEqual } from 'node:crypto';
import { mac } from '../values/secrets';

export const CODE_TTL_SECONDS = 600;
export const RESEND_COOLDOWN_SECONDS = 30;
export const MAX_BAD_ATTEMPTS = 5;
/** Requests in one hour that passed the cooldown. */
export const MAX_REQUESTS_PER_EMAIL = 20;
export const MAX_REQUESTS_PER_NETWORK = 60;

export const purposes = ['signup', 'login'] as const;
export type Purpose = (typeof purposes)[number];

/** What is kept of a one-time code. */
export interface CodeRecord {
  email: string;
  purpose: Purpose;
  codeMac: string;
  badAttempts: number;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
}

/** Six digits, uniform over 000000..999999. */
export function mintCode(): string {
  return randomInt(1_000_000).toString().padStart(6, '0');
}

/** The only form in which a code is kept: a keyed hash, since a million codes are quickly tried against a plain one. */
export function macCode(secret: string, email: string, purpose: Purpose, code: string): string {
  return mac(secret, 'one-time-code', email, purpose, code);
}

export type CodeCheck =
  | { outcome: 'right' }
  | { outcome: 'OTP_NOT_FOUND' | 'OTP_EXPIRED' | 'OTP_ALREADY_USED' | 'OTP_PURPOSE_MISMATCH' | 'OTP_LOCKED_OUT' }
  /** `counted` is false for a code that is not six digits: it was no guess. */
  | { outcome: 'OTP_INVALID'; attemptsRemaining: number; counted: boolean };

/** What a code that somebody sends is worth now. The caller writes the consequence in the same transaction. */
export function checkCode(
  record: CodeRecord | undefined,
  sent: { code: unknown; purpose: Purpose },
  secret: string,
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
  const expected = Buffer.from(record.codeMac, 'hex');
  const actual = Buffer.from(macCode(secret, record.email, record.purpose, sent.code), 'hex');
  if (timingSafeEqual(expected, actual)) return { outcome: 'right' };
  if (attemptsRemaining <= 1) return { outcome: 'OTP_LOCKED_OUT' };
  return { outcome: 'OTP_INVALID', attemptsRemaining: attemptsRemaining - 1, counted: true };
}
