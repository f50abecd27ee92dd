import { z } from 'zod';
import type { DocumentReference } from 'firebase-admin/firestore';
import { ofLastDay, type CountedMail, type RatedRecipient } from '../policy/mail-rates';
import { readMailToken, recipientIdOf, writeMailToken, type MailOrigin } from '../values/mail-tokens';
import { collection, date, paths } from './collections';
import { readIn, type Transaction } from './database';
import { recipientKeys } from './recipient-keys';
import { transact } from './transact';

const counted = z.object({ sendId: z.string(), organizationId: z.string(), at: date });

/**
 * An address that mails are sent to: the mails and invitations of its last day, from all organizations, and the senders
 * whose mails its owner stopped. The id is an HMAC of the address under one of `recipientKeys`; the address is not stored. The rates limit the first
 * two lists to 10 and 20 entries. The TTL policy deletes a record without a stop.
 */
const mailRecipient = z.object({
  mails: z.array(counted),
  invitations: z.array(counted),
  /** When the owner of the address stopped all mails. */
  stoppedAllAt: date.nullable(),
  /** The organizations whose mails the owner of the address stopped, at most 500. */
  stopped: z.array(z.object({ organizationId: z.string(), at: date })),
  /** A day after the last mail or invitation. Null while a sender is stopped. */
  expiresAt: date.nullable(),
});
type Stored = z.output<typeof mailRecipient>;

/** An owner of an address who stops more senders than this stops all. It bounds the record. */
const MAX_STOPPED = 500;
const DAY_MS = 86_400_000;
const none: Stored = { mails: [], invitations: [], stoppedAllAt: null, stopped: [], expiresAt: null };

const refOf = (recipientId: string) => collection(paths.mailRecipients, mailRecipient).doc(recipientId);

/** A recipient as read: its record, and whether its owner stopped the mails of an organization. */
export interface MailRecipient extends RatedRecipient {
  ref: DocumentReference<Stored>;
  stored: Stored;
  /** The records under earlier keys. They hold stops only. */
  earlier: readonly Stored[];
}

/** The references of the records of an address, one for each key. Pass their records to `mailRecipientsOf`. */
export const mailRecipientRefs = (keys: readonly string[], email: string): DocumentReference<Stored>[] =>
  keys.map((key) => refOf(recipientIdOf(key, email)));

/** The recipients, from the records of all `mailRecipientRefs` of their addresses in the same order. */
export function mailRecipientsOf(
  keys: readonly string[],
  emails: readonly string[],
  records: readonly (Stored | undefined)[],
): MailRecipient[] {
  return emails.map((email, i) => {
    const [stored = none, ...earlier] = records.slice(i * keys.length, (i + 1) * keys.length);
    const [ref] = mailRecipientRefs(keys, email);
    const { mails, invitations } = stored;
    return { email, mails, invitations, ref: ref!, stored, earlier: earlier.flatMap((record) => record ?? []) };
  });
}

/** Whether the owner of the address stopped the mails of the organization, or all mails. */
export function isStopped({ stored, earlier }: MailRecipient, organizationId: string): boolean {
  return [stored, ...earlier].some(
    ({ stoppedAllAt, stopped }) =>
      stoppedAllAt !== null || stopped.some((each) => each.organizationId === organizationId),
  );
}

/** Counts a mail, an invitation or both for an address. The rates have room for them. */
export function countForRecipient(
  tx: Transaction,
  { ref, stored }: MailRecipient,
  entry: CountedMail,
  what: { isMailed: boolean; isInvited: boolean },
): void {
  const mails = ofLastDay(stored.mails, entry.at);
  const invitations = ofLastDay(stored.invitations, entry.at);
  tx.set(
    ref,
    settled(
      {
        ...stored,
        mails: what.isMailed ? [...mails, entry] : mails,
        invitations: what.isInvited ? [...invitations, entry] : invitations,
      },
      entry.at,
    ),
  );
}

/** Subtracts the mail and the invitation of a send. */
export function uncountForRecipient(tx: Transaction, { ref, stored }: MailRecipient, sendId: string): void {
  if (stored === none) return;
  const others = (entries: CountedMail[]) => entries.filter((entry) => entry.sendId !== sendId);
  const left = { mails: others(stored.mails), invitations: others(stored.invitations) };
  tx.update(ref, left);
}

const settled = (record: Stored, now: Date): Stored => {
  const isKept = record.stoppedAllAt !== null || record.stopped.length > 0;
  return { ...record, expiresAt: isKept ? null : new Date(now.getTime() + DAY_MS) };
};

/** The token in the links of a mail. It reveals no address and does not expire. */
export function mailTokenFor(
  [key]: readonly string[],
  email: string,
  of: { organizationId: string; presentationId: string },
): string {
  return writeMailToken(key!, { recipientId: recipientIdOf(key!, email), ...of });
}

/** How old the keys may be that refuse a token, in milliseconds. */
const MAX_KEY_AGE_MS = 60_000;

/**
 * The origin of a mail, or undefined for a token that the service did not make. Wrong tokens cost one read a minute for
 * each instance.
 */
export async function openMailToken(token: string): Promise<MailOrigin | undefined> {
  const find = (keys: readonly string[]) => keys.map((key) => readMailToken(key, token)).find(Boolean);
  return find(await recipientKeys()) ?? find(await recipientKeys(MAX_KEY_AGE_MS));
}

export const stopScopes = ['sender', 'all'] as const;
export type StopScope = (typeof stopScopes)[number];

/** Which mails the owner of an address stopped, as the owner of one mail sees it. */
export interface Stops {
  sender: boolean;
  all: boolean;
}

const stopsOf = (record: Stored | undefined, organizationId: string): Stops => ({
  sender: record?.stopped.some((each) => each.organizationId === organizationId) ?? false,
  all: (record?.stoppedAllAt ?? null) !== null,
});

/** One read. */
export async function readStops({ recipientId, organizationId }: MailOrigin): Promise<Stops> {
  const [record] = await readIn(undefined, refOf(recipientId));
  return stopsOf(record, organizationId);
}

/** Stops the mails of the organization, or all mails, or takes both stops back. Idempotent: repeats write nothing. */
export function setStops(
  { recipientId, organizationId }: MailOrigin,
  change: StopScope | 'none',
  now: Date,
): Promise<Stops> {
  return transact(async (tx) => {
    const ref = refOf(recipientId);
    const [record = none] = await readIn(tx, ref);
    const before = stopsOf(record, organizationId);
    const after: Stops = change === 'none' ? { sender: false, all: false } : { ...before, [change]: true };
    if (after.sender === before.sender && after.all === before.all) return before;
    const others = record.stopped.filter((each) => each.organizationId !== organizationId);
    const stopped = after.sender ? [...others, { organizationId, at: now }] : others;
    const isFull = stopped.length > MAX_STOPPED;
    const stoppedAllAt = after.all || isFull ? (record.stoppedAllAt ?? now) : null;
    tx.set(ref, settled({ ...record, stopped: stopped.slice(0, MAX_STOPPED), stoppedAllAt }, now));
    return stopsOf({ ...record, stopped, stoppedAllAt }, organizationId);
  });
}
