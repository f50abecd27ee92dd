import { z } from 'zod';
import { ofLastDay, type CountedMail, type RatedRecipient } from '../policy/mail-rates';
import { isFromWrongClock } from '../policy/request-windows';
import { readMailToken, recipientIdOf, SERVICE_ID, writeMailToken, type MailOrigin } from '../values/mail-tokens';
import { mailboxOf } from '../values/mailboxes';
import { DAY_MS } from '../values/units';
import { collection, date, paths, type Ref } from './collections';
import { read, readIn, type Transaction } from './database';
import { recipientKey } from './recipient-key';
import { transact } from './transact';

const counted = z.object({ sendId: z.string(), organizationId: z.string(), at: date });

/**
 * A mailbox that mails are sent to: the mails and invitations of its last day, from all organizations, and the senders
 * whose mails its owner stopped. The id is an HMAC of the mailbox under `recipientKey`; the address is not stored. The
 * rates limit the first two lists to 10 and 20 entries. The TTL policy deletes a record without a stop.
 */
const mailRecipient = z.object({
  mails: z.array(counted),
  invitations: z.array(counted),
  /** When the owner of the address stopped all mails. */
  stoppedAllAt: date.nullable(),
  /** The organizations whose mails the owner of the address stopped, at most 500. */
  stopped: z.array(z.object({ organizationId: z.string(), at: date })),
  /** The first organizations whose mails the owner of the address reported as spam to the mail provider, at most 3. */
  complaints: z.array(z.string()),
  /** When a mail bounced for good. Nothing but codes is mailed for 30 days. */
  bouncedAt: date.nullable(),
  /** When a code that was mailed to the address was used. Older bounces and complaints count no more. */
  provenAt: date.nullable(),
  /** A day after the last mail or invitation, and 30 days after a bounce. Null while a sender is stopped. */
  expiresAt: date.nullable(),
});
type Stored = z.output<typeof mailRecipient>;
export type MailRecipientRecord = Stored;

/** An owner of an address who stops more senders than this stops all. It bounds the record. */
const MAX_STOPPED = 500;
/** Complaints about so many organizations stop all mails but codes. */
const MAX_COMPLAINTS = 3;
/** How long a bounce stops mails. Then one more is tried. */
const BOUNCE_MS = 30 * DAY_MS;
const none: Stored = {
  mails: [],
  invitations: [],
  stoppedAllAt: null,
  stopped: [],
  complaints: [],
  bouncedAt: null,
  provenAt: null,
  expiresAt: null,
};

const refOf = (recipientId: string) => collection(paths.mailRecipients, mailRecipient).doc(recipientId);

/** A recipient as read. */
export interface MailRecipient extends RatedRecipient {
  ref: Ref<Stored>;
  stored: Stored;
}

export const mailRecipientRef = (key: string, email: string): Ref<Stored> =>
  refOf(recipientIdOf(key, mailboxOf(email)));

/** The recipients, from the records of their addresses in the same order. Addresses of one mailbox have one record. */
export function mailRecipientsOf(
  key: string,
  emails: readonly string[],
  records: readonly (Stored | undefined)[],
): MailRecipient[] {
  return emails.map((email, i) => {
    const { [i]: stored = none } = records;
    const ref = mailRecipientRef(key, email);
    return { email, recipientId: ref.id, mails: stored.mails, invitations: stored.invitations, ref, stored };
  });
}

/** The record with at most 500 stopped senders. More become a stop of all. */
function bounded(record: Stored): Stored {
  const { stopped } = record;
  if (stopped.length <= MAX_STOPPED) return record;
  const stoppedAllAt = record.stoppedAllAt ?? stopped.at(-1)!.at;
  return { ...record, stopped: stopped.slice(0, MAX_STOPPED), stoppedAllAt };
}

/**
 * Whether the owner of the address stopped the mails of a sender (`sendersOf` an organization), or all mails, or
 * complained about three organizations, or a mail to the address bounced for good in the last 30 days.
 */
export function isStopped({ stored }: MailRecipient, senders: readonly string[], now: Date): boolean {
  const { stoppedAllAt, stopped, bouncedAt, complaints } = stored;
  const hasBounced = bouncedAt !== null && now.getTime() - bouncedAt.getTime() < BOUNCE_MS;
  const isUnreachable = hasBounced || complaints.length === MAX_COMPLAINTS;
  return isUnreachable || stoppedAllAt !== null || stopped.some((each) => senders.includes(each.organizationId));
}

/** The same for an address whose record was not read. */
export async function hasStopped(key: string, email: string, organizationId: string, now: Date): Promise<boolean> {
  const [stored] = await read(mailRecipientRef(key, email));
  return isStopped(mailRecipientsOf(key, [email], [stored])[0]!, [organizationId], now);
}

const isNewer = (at: Date, than: Date | null) => than === null || at > than;

/** A mail to the address bounced for good at `at`. Repeats change nothing. */
export function noteBounce(
  tx: Transaction,
  { ref, stored }: MailRecipient,
  { at, now }: { at: Date; now: Date },
): void {
  if (!isNewer(at, stored.bouncedAt) || !isNewer(at, stored.provenAt)) return;
  tx.set(ref, settled({ ...stored, bouncedAt: at }, now));
}

/**
 * The owner of the address reported a mail of the organization as spam at `at`: its mails stop, also when the owner had
 * allowed them again after an earlier report, and after three organizations all mails but codes. Repeats change
 * nothing.
 */
export function noteComplaint(
  tx: Transaction,
  { ref, stored }: MailRecipient,
  organizationId: string,
  { at, now }: { at: Date; now: Date },
): void {
  const isCounted = stored.complaints.includes(organizationId);
  const isRepeated = isCounted && stored.stopped.some((each) => each.organizationId === organizationId);
  if (isRepeated || !isNewer(at, stored.provenAt)) return;
  const complaints = isCounted ? stored.complaints : [...stored.complaints, organizationId].slice(0, MAX_COMPLAINTS);
  const others = stored.stopped.filter((each) => each.organizationId !== organizationId);
  const stopped = [...others, { organizationId, at }];
  tx.set(ref, settled(bounded({ ...stored, complaints, stopped }), now));
}

/**
 * A code that was mailed to the address was used, so its owner reads mails: bounces and complaints stop nothing more
 * but the mails of those whom the owner complained about.
 */
export function noteArrival(tx: Transaction, ref: Ref<Stored>, stored: Stored | undefined, now: Date): void {
  if (!stored || (stored.bouncedAt === null && stored.complaints.length === 0)) return;
  tx.set(ref, settled({ ...stored, bouncedAt: null, complaints: [], provenAt: now }, now));
}

/** Counts mails, an invitation or both for a mailbox. The rates have room for them. */
export function countForRecipient(
  tx: Transaction,
  recipient: MailRecipient,
  entry: CountedMail,
  what: { mails: number; isInvited: boolean },
): void {
  const mails = ofLastDay(recipient.mails, entry.at);
  const invitations = ofLastDay(recipient.invitations, entry.at);
  tx.set(
    recipient.ref,
    settled(
      {
        ...recipient.stored,
        mails: [...mails, ...Array.from({ length: what.mails }, () => entry)],
        invitations: what.isInvited ? [...invitations, entry] : invitations,
      },
      entry.at,
    ),
  );
}

/** Subtracts the mail and the invitation of a send. */
export function uncountForRecipient(tx: Transaction, { ref, mails, invitations }: MailRecipient, sendId: string): void {
  if (mails.length + invitations.length === 0) return;
  const others = (entries: readonly CountedMail[]) => entries.filter((entry) => entry.sendId !== sendId);
  tx.update(ref, { mails: others(mails), invitations: others(invitations) });
}

const settled = (record: Stored, now: Date): Stored => {
  const isKept = record.stoppedAllAt !== null || record.stopped.length > 0 || record.complaints.length > 0;
  const bounceEnds = Math.max(
    0,
    ...[record.bouncedAt, record.provenAt].map((at) => (at ? at.getTime() + BOUNCE_MS : 0)),
  );
  return { ...record, expiresAt: isKept ? null : new Date(Math.max(now.getTime() + DAY_MS, bounceEnds)) };
};

/** The token in the links of a mail. It reveals no address and does not expire. */
export function mailTokenFor(
  key: string,
  email: string,
  of: { organizationId: string; presentationId: string },
): string {
  return writeMailToken(key, { recipientId: recipientIdOf(key, mailboxOf(email)), ...of });
}

/**
 * The token of a mail that the service sends in its own name. Undefined when the owner of the address gets no such
 * mails.
 */
export async function serviceTokenFor(email: string, now: Date): Promise<string | undefined> {
  const key = await recipientKey();
  if (await hasStopped(key, email, SERVICE_ID, now)) return undefined;
  return mailTokenFor(key, email, { organizationId: SERVICE_ID, presentationId: SERVICE_ID });
}

/** The origin of a mail, or undefined for a token that the service did not make. */
export async function openMailToken(token: string): Promise<MailOrigin | undefined> {
  return readMailToken(await recipientKey(), token);
}

/** Whether a mail was sent to the mailbox of an address. */
export const isRecipient = (key: string, { recipientId }: MailOrigin, email: string): boolean =>
  recipientIdOf(key, mailboxOf(email)) === recipientId;

export const stopScopes = ['sender', 'all'] as const;
export type StopScope = (typeof stopScopes)[number];

/** Which mails the owner of an address stopped, as the owner of one mail sees it. */
export interface Stops {
  sender: boolean;
  all: boolean;
  /** Whether `resume` takes the stop of all mails back. */
  canResumeAll: boolean;
}

/**
 * The time in which the stop of all mails can be taken back. A recipient who replies to a mail may quote its links, so
 * the sender may have them. A sender must not undo a stop that the recipient made with the mail of another sender.
 */
const UNDO_MS = 10 * 60_000;

function stopsOf(record: Stored, organizationId: string, now: Date): Stops {
  const { stopped, stoppedAllAt } = record;
  const canResumeAll =
    stoppedAllAt !== null && now.getTime() - stoppedAllAt.getTime() < UNDO_MS && !isFromWrongClock(stoppedAllAt, now);
  return {
    sender: stopped.some((each) => each.organizationId === organizationId),
    all: stoppedAllAt !== null,
    canResumeAll,
  };
}

export async function readStops({ recipientId, organizationId }: MailOrigin, now: Date): Promise<Stops> {
  const [stored = none] = await read(refOf(recipientId));
  return stopsOf(stored, organizationId, now);
}

/**
 * Stops the mails of the organization, or all mails. `resume` takes the stop of the organization back, and within 10
 * minutes the stop of all mails. Idempotent: repeats write nothing.
 */
export function setStops(
  { recipientId, organizationId }: MailOrigin,
  change: StopScope | 'resume',
  now: Date,
): Promise<Stops> {
  return transact(async (tx) => {
    const [record = none] = await readIn(tx, refOf(recipientId));
    const before = stopsOf(record, organizationId, now);
    const after =
      change === 'resume' ? { sender: false, all: before.all && !before.canResumeAll } : { ...before, [change]: true };
    if (after.sender === before.sender && after.all === before.all) return before;
    const others = record.stopped.filter((each) => each.organizationId !== organizationId);
    const stopped = after.sender ? [...others, { organizationId, at: now }] : others;
    const stoppedAllAt = after.all ? (record.stoppedAllAt ?? now) : null;
    const changed = bounded({ ...record, stopped, stoppedAllAt });
    tx.set(refOf(recipientId), settled(changed, now));
    return stopsOf(changed, organizationId, now);
  });
}
