import { createHash } from 'node:crypto';
import type { Plan } from './plans';

export const MAX_RECIPIENTS = 20;

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const PER_HOUR = 100;
const PER_DAY = 500;
const PER_DAY_FREE = 50;
/** Mails about one thing to one address. */
const PER_RECIPIENT_A_DAY = 3;
/** Calls that may mail, those among them that have mailed nobody in the end: the limit when everything else is given back. */
const CALLS_PER_HOUR = 150;

/** What an organization has mailed in one call; nothing when there was no address, or when the provider could take no mail. */
export interface CountedSend {
  sendId: string;
  at: Date;
  /** One mark for each recipient, see `recipientMark`. */
  recipients: string[];
}

export interface WantedMails {
  /** A deck, or what else an address is mailed about no more than three times a day. */
  about: string;
  emails: readonly string[];
}

export interface ExceededRate {
  limit: number;
  windowSeconds: number;
  retryInSeconds: number;
  /** The addresses that were mailed too often, when it is that. */
  emails?: string[];
}

/** Stands for an address and what it was mailed about where mails are counted: long enough to tell five hundred apart, and no address. */
export function recipientMark(about: string, email: string): string {
  return createHash('sha256').update(`${about}\n${email}`).digest('base64url').slice(0, 16);
}

/** The sends that still count: those of the last day, and of the last hour those that mailed nobody. Their number is bounded by the rates. */
export function stillCounted(sends: readonly CountedSend[], now: Date): CountedSend[] {
  return sends.filter(({ at, recipients }) => {
    const seconds = recipients.length > 0 ? DAY_SECONDS : HOUR_SECONDS;
    return now.getTime() - at.getTime() < seconds * 1000;
  });
}

/** The rate that mails to these addresses would exceed, if any; of several the one that opens last. */
export function exceededMailRate(
  sends: readonly CountedSend[],
  to: WantedMails,
  plan: Plan,
  now: Date,
): ExceededRate | undefined {
  const all = sends.flatMap(({ at, recipients }) => recipients.map((mark) => ({ at, mark })));
  const full = [
    fullRate(all, to.emails.length, PER_HOUR, HOUR_SECONDS, now),
    fullRate(all, to.emails.length, plan === 'free' ? PER_DAY_FREE : PER_DAY, DAY_SECONDS, now),
    fullForRecipients(all, to, now),
    fullRate(sends, 1, CALLS_PER_HOUR, HOUR_SECONDS, now),
  ];
  return full.flatMap((rate) => rate ?? []).sort((a, b) => b.retryInSeconds - a.retryInSeconds)[0];
}

type Counted = { at: Date; mark: string };

function fullRate(
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
  const tooMany = opensAt.length + wanted - limit;
  if (tooMany <= 0) return undefined;
  const retryInSeconds = Math.max(1, Math.ceil((opensAt[tooMany - 1]! - now.getTime()) / 1000));
  return { limit, windowSeconds, retryInSeconds };
}

function fullForRecipients(counted: readonly Counted[], to: WantedMails, now: Date): ExceededRate | undefined {
  const full = to.emails.flatMap((email) => {
    const mark = recipientMark(to.about, email);
    const same = counted.filter((each) => each.mark === mark);
    const rate = fullRate(same, 1, PER_RECIPIENT_A_DAY, DAY_SECONDS, now);
    return rate ? [{ email, rate }] : [];
  });
  if (full.length === 0) return undefined;
  const retryInSeconds = Math.max(...full.map(({ rate }) => rate.retryInSeconds));
  return { ...full[0]!.rate, retryInSeconds, emails: full.map(({ email }) => email) };
}
