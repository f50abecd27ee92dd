import { createHash } from 'node:crypto';
import type { Plan } from './plans';
import { isFromWrongClock, waitSeconds } from './request-windows';

export const MAX_RECIPIENTS = 20;

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const PER_HOUR = 100;
const PER_DAY = 500;
const PER_DAY_FREE = 50;
/** The largest number of mails about one subject to one address in a day. */
const PER_RECIPIENT_A_DAY = 3;
/**
 * The largest number of mailing calls in one hour, calls that mailed nobody included. It limits an organization whose
 * mails all fail: mails that the provider could not accept are subtracted from the other rates.
 */
const CALLS_PER_HOUR = 150;

/** The mails of one call. `recipients` is empty when the call had no valid address or the provider accepted no mail. */
export interface CountedSend {
  sendId: string;
  at: Date;
  /** The mark of each recipient, see `recipientMark`. */
  recipients: string[];
}

export interface WantedMails {
  /**
   * The subject of the mails: a deck, or the invitations to a deck. An address gets at most three mails a day about one
   * subject.
   */
  about: string;
  emails: readonly string[];
}

export interface ExceededRate {
  limit: number;
  windowSeconds: number;
  retryInSeconds: number;
  /** The addresses that were mailed three times about the subject. Undefined for the other rates. */
  emails?: string[];
}

/**
 * A short hash of an address and a subject, stored instead of the address. Its 96 bits tell the at most 500 recipients
 * of a day apart.
 */
export function recipientMark(about: string, email: string): string {
  return createHash('sha256').update(`${about}\n${email}`).digest('base64url').slice(0, 16);
}

/**
 * The sends that still count: those of the last day, and those of the last hour without recipients. The rates limit
 * their number.
 */
export function stillCounted(sends: readonly CountedSend[], now: Date): CountedSend[] {
  return sends.filter(({ at, recipients }) => {
    const seconds = recipients.length > 0 ? DAY_SECONDS : HOUR_SECONDS;
    return now.getTime() - at.getTime() < seconds * 1000 && !isFromWrongClock(at, now);
  });
}

/**
 * The rate that these mails would exceed, or undefined. When they would exceed several, the one with the longest wait.
 */
export function exceededMailRate(
  sends: readonly CountedSend[],
  to: WantedMails,
  plan: Plan,
  now: Date,
): ExceededRate | undefined {
  const all = sends.flatMap(({ at, recipients }) => recipients.map((mark) => ({ at, mark })));
  const exceeded = [
    exceededRate(all, to.emails.length, PER_HOUR, HOUR_SECONDS, now),
    exceededRate(all, to.emails.length, plan === 'free' ? PER_DAY_FREE : PER_DAY, DAY_SECONDS, now),
    exceededForRecipients(all, to, now),
    exceededRate(sends, 1, CALLS_PER_HOUR, HOUR_SECONDS, now),
  ];
  return exceeded.flatMap((rate) => rate ?? []).sort((a, b) => b.retryInSeconds - a.retryInSeconds)[0];
}

type Counted = { at: Date; mark: string };

function exceededRate(
  counted: readonly { at: Date }[],
  wanted: number,
  limit: number,
  windowSeconds: number,
  now: Date,
): ExceededRate | undefined {
  const opensAt = counted
    .map(({ at }) => at.getTime() + windowSeconds * 1000)
    .filter((time) => time > now.getTime())
    .sort((a, b) => a - b);
  const excess = opensAt.length + wanted - limit;
  if (excess <= 0) return undefined;
  const retryInSeconds = waitSeconds(opensAt[excess - 1]! - now.getTime(), windowSeconds);
  return { limit, windowSeconds, retryInSeconds };
}

function exceededForRecipients(counted: readonly Counted[], to: WantedMails, now: Date): ExceededRate | undefined {
  const exceeded = to.emails.flatMap((email) => {
    const mark = recipientMark(to.about, email);
    const same = counted.filter((each) => each.mark === mark);
    const rate = exceededRate(same, 1, PER_RECIPIENT_A_DAY, DAY_SECONDS, now);
    return rate ? [{ email, rate }] : [];
  });
  if (exceeded.length === 0) return undefined;
  const retryInSeconds = Math.max(...exceeded.map(({ rate }) => rate.retryInSeconds));
  return { ...exceeded[0]!.rate, retryInSeconds, emails: exceeded.map(({ email }) => email) };
}
