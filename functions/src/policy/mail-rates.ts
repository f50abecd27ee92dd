import { createHash } from 'node:crypto';
import { mailboxOf } from '../values/mailboxes';
import { DAY_SECONDS } from '../values/units';
import type { Plan } from './plans';
import { isFromWrongClock, waitSeconds } from './request-windows';

export const MAX_RECIPIENTS = 20;

const HOUR_SECONDS = 3600;
const PER_HOUR = 100;
const PER_DAY = 500;
const PER_DAY_FREE = 50;
/** The largest number of mails a day of an organization on the plan free in its first days. */
const PER_DAY_NEW = 20;
const NEW_DAYS = 7;
/** The largest number of mails about one deck to one address in a day. */
const PER_DECK_AND_RECIPIENT = 3;
/** The largest number of mails to one address in a day: of all organizations, and of one. */
const PER_RECIPIENT = 10;
const PER_RECIPIENT_AND_SENDER = 5;
/** The largest number of invitations of one address in a day, of all organizations, mailed or not. */
const INVITATIONS_PER_ADDRESS = 20;
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

/** A mail or an invitation that counts for its address. `organizationId` is the sender. */
export interface CountedMail {
  sendId: string;
  organizationId: string;
  at: Date;
}

/** An address, with the mails and invitations that its mailbox got from all organizations. */
export interface RatedRecipient {
  email: string;
  /** The keyed id of its mailbox. */
  recipientId: string;
  mails: readonly CountedMail[];
  invitations: readonly CountedMail[];
}

export interface WantedMails {
  /** The id of the deck that the mails are about. */
  about: string;
  /** The addresses that need room. */
  recipients: readonly RatedRecipient[];
}

/** The fields of an organization that decide its rates. */
export interface RatedOrganization {
  organizationId: string;
  plan: Plan;
  createdAt: Date;
  /** The former accounts of its owner, whose mails count, too. */
  former?: { organizationIds: readonly string[] } | null;
}

/** The largest number of mails that the organization may send in 24 hours. */
export function mailsPerDay({ plan, createdAt }: Pick<RatedOrganization, 'plan' | 'createdAt'>, now: Date): number {
  if (plan !== 'free') return PER_DAY;
  return now.getTime() - createdAt.getTime() < NEW_DAYS * DAY_SECONDS * 1000 ? PER_DAY_NEW : PER_DAY_FREE;
}

/** The number of mails that the organization sent in the last 24 hours. */
export function mailsInLastDay(sends: readonly CountedSend[], now: Date): number {
  return stillCounted(sends, now).reduce((count, { recipients }) => count + recipients.length, 0);
}

export interface ExceededRate {
  limit: number;
  windowSeconds: number;
  retryInSeconds: number;
  /** The addresses that the rate is about. Undefined for the rates of the organization. */
  emails?: string[];
}

/**
 * A short hash of the keyed id of a mailbox (values/mail-tokens) and a subject, stored instead of the address. Its 96
 * bits tell the at most 500 recipients of a day apart.
 */
export function recipientMark(about: string, recipientId: string): string {
  return createHash('sha256').update(`${about}\n${recipientId}`).digest('base64url').slice(0, 16);
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
  { about, recipients }: WantedMails,
  organization: RatedOrganization,
  now: Date,
): ExceededRate | undefined {
  const all = sends.flatMap(({ at, recipients: marks }) => marks.map((mark) => ({ at, mark })));
  const ofDeck = ({ recipientId }: RatedRecipient) =>
    all.filter(({ mark }) => mark === recipientMark(about, recipientId));
  const senders = [organization.organizationId, ...(organization.former?.organizationIds ?? [])];
  const ofSender = ({ mails }: RatedRecipient) =>
    mails.filter(({ organizationId }) => senders.includes(organizationId));
  return longest([
    exceededRate(all, recipients.length, PER_HOUR, HOUR_SECONDS, now),
    exceededRate(all, recipients.length, mailsPerDay(organization, now), DAY_SECONDS, now),
    exceededForRecipients(recipients, ofDeck, PER_DECK_AND_RECIPIENT, now),
    exceededForRecipients(recipients, ofSender, PER_RECIPIENT_AND_SENDER, now),
    exceededOverAll(recipients, ({ mails }) => mails, PER_RECIPIENT, PER_RECIPIENT_AND_SENDER, now),
    exceededRate(sends, 1, CALLS_PER_HOUR, HOUR_SECONDS, now),
  ]);
}

/** The rate that one more invitation of the address would exceed, or undefined. */
export function exceededInvitationRate(recipient: RatedRecipient, now: Date): ExceededRate | undefined {
  const limit = INVITATIONS_PER_ADDRESS;
  return exceededOverAll([recipient], ({ invitations }) => invitations, limit, limit, now);
}

/** The mails or invitations of the last day. A time from a wrong clock is not counted: it would block the address. */
export function ofLastDay<T extends { at: Date }>(counted: readonly T[], now: Date): T[] {
  return counted.filter(({ at }) => now.getTime() - at.getTime() < DAY_SECONDS * 1000 && !isFromWrongClock(at, now));
}

const longest = (exceeded: readonly (ExceededRate | undefined)[]) =>
  exceeded.flatMap((rate) => rate ?? []).sort((a, b) => b.retryInSeconds - a.retryInSeconds)[0];

function exceededRate(
  counted: readonly { at: Date }[],
  wanted: number,
  limit: number,
  windowSeconds: number,
  now: Date,
): ExceededRate | undefined {
  // After a change to a smaller plan, an organization may have sent more than the limit.
  if (wanted === 0) return undefined;
  const opensAt = counted
    .map(({ at }) => at.getTime() + windowSeconds * 1000)
    .filter((time) => time > now.getTime())
    .sort((a, b) => a - b);
  const excess = opensAt.length + wanted - limit;
  if (excess <= 0) return undefined;
  // More mails than the limit never have room, however long the caller waits.
  const opening = opensAt[excess - 1] ?? now.getTime() + windowSeconds * 1000;
  const retryInSeconds = waitSeconds(opening - now.getTime(), windowSeconds);
  return { limit, windowSeconds, retryInSeconds };
}

/**
 * The rate of the addresses whose mailboxes have no room for the wanted mails, with the longest wait among them.
 * Several addresses may have the same mailbox.
 */
function exceededForRecipients(
  recipients: readonly RatedRecipient[],
  countedOf: (recipient: RatedRecipient) => readonly { at: Date }[],
  limit: number,
  now: Date,
): ExceededRate | undefined {
  const mailboxes = recipients.map(({ email }) => mailboxOf(email));
  const exceeded = recipients.flatMap((recipient, i) => {
    const wanted = mailboxes.filter((mailbox) => mailbox === mailboxes[i]).length;
    const rate = exceededRate(ofLastDay(countedOf(recipient), now), wanted, limit, DAY_SECONDS, now);
    return rate ? [{ ...rate, emails: [recipient.email] }] : [];
  });
  const rate = longest(exceeded);
  return rate && { ...rate, emails: exceeded.flatMap(({ emails }) => emails) };
}

/**
 * The rate of `exceededForRecipients` over all organizations. It tells a sender neither how many mails others sent, nor
 * when: it names the limit of one sender, and a wait of a day.
 */
function exceededOverAll(
  recipients: readonly RatedRecipient[],
  countedOf: (recipient: RatedRecipient) => readonly { at: Date }[],
  limit: number,
  limitOfSender: number,
  now: Date,
): ExceededRate | undefined {
  const rate = exceededForRecipients(recipients, countedOf, limit, now);
  return rate && { ...rate, limit: limitOfSender, retryInSeconds: DAY_SECONDS };
}
