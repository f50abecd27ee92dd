import { z } from 'zod';
import type { Query } from 'firebase-admin/firestore';
import { fail } from '../errors';
import type { Plan } from '../policy/plans';
import { WINDOW_SECONDS } from '../policy/request-windows';
import {
  addGranted,
  exceededUsage,
  secondsUntilOneMore,
  usageOf,
  withClaim,
  type Claim,
  type ExceededUsage,
  type GrantedBytes,
  type HourlyUnit,
  type Usage,
} from '../policy/usage-caps';
import { DAY_MS } from '../values/units';
import { anyFields, collection, date, paths } from './collections';
import { idsOf, read, readIn, type Transaction } from './database';
import type { Organization } from './organizations';
import { presentation, type Presentation } from './presentations';
import { sdk } from './sdk';
import { uploadSession, type UploadSession } from './upload-sessions';

/**
 * What an organization uses of its caps, in one document. The transaction that creates, extends or deletes a deck also
 * changes it, so no race exceeds a cap, and the counts are those of the decks. A commit that stores no new file does
 * not touch it.
 */
const organizationUsage = z.object({
  decks: z.number().int(),
  storedBytes: z.number().int(),
  newDecks: z.array(date),
  newSessions: z.array(date),
  granted: z.array(z.object({ until: date, bytes: z.number().int() })),
  /** When the counts were last compared with the decks. */
  countedAt: date,
});
export type OrganizationUsage = z.output<typeof organizationUsage>;

export const usageRef = (organizationId: string) =>
  collection(paths.organizationUsages, organizationUsage).doc(organizationId);

/** Creates the usage of a new organization, which has no decks. */
export function createUsage(tx: Transaction, organizationId: string, now: Date): void {
  const nothing = { decks: 0, storedBytes: 0, newDecks: [], newSessions: [], granted: [] };
  tx.create(usageRef(organizationId), { ...nothing, countedAt: now });
}

/** Adds a claim to the usage that the transaction has read. Throws as `assertRoomFor` does. */
export function takeRoom(
  tx: Transaction,
  organization: Organization,
  found: OrganizationUsage | undefined,
  claim: Claim,
  now: Date,
): void {
  const usage = assertRoomFor(organization, found, claim, now);
  tx.update(usageRef(organization.organizationId), withClaim(usage, claim, now));
}

/** Subtracts what the transaction deletes: a deck, or the files of an upload session. Reads nothing. */
export function giveBack(tx: Transaction, organizationId: string, deleted: Pick<Usage, 'decks' | 'storedBytes'>): void {
  const decks = sdk().FieldValue.increment(-deleted.decks);
  const storedBytes = sdk().FieldValue.increment(-deleted.storedBytes);
  tx.update(anyFields(usageRef(organizationId)), { decks, storedBytes });
}

/** Releases grants whose files arrived. The transaction has read the usage. */
export function releaseGrants(
  tx: Transaction,
  organizationId: string,
  found: OrganizationUsage | undefined,
  grants: readonly GrantedBytes[],
  now: Date,
): void {
  const granted = grants.reduce<readonly GrantedBytes[]>(
    (rows, { until, bytes }) => addGranted(rows, { until, bytes: -bytes }, now),
    existing(found, organizationId).granted,
  );
  tx.update(usageRef(organizationId), { granted: [...granted] });
}

const messages: Record<ExceededUsage['unit'], string> = {
  decks: 'The organization has as many decks as its plan allows.',
  storedBytes: 'The decks of the organization store as many bytes as its plan allows.',
  grantedBytes: 'The open uploads of the organization have as many bytes as its plan allows.',
  newDecksThisHour: 'The organization has created as many decks in the last hour as its plan allows.',
  newSessionsThisHour: 'The organization has opened as many upload sessions in the last hour as its plan allows.',
};

const nextActions: Record<Exclude<ExceededUsage['unit'], HourlyUnit>, string> = {
  decks: 'Delete decks, or change the plan.',
  storedBytes: 'Delete decks, or change the plan.',
  grantedBytes: 'Complete the open uploads, or wait until they expire after 1 hour.',
};

/**
 * Returns the usage. Throws conflict when a claim exceeds a cap of the plan, and rate-limited when it exceeds a cap of
 * an hour.
 */
export function assertRoomFor(
  { organizationId, plan }: Organization,
  found: OrganizationUsage | undefined,
  claim: Claim,
  now: Date,
): OrganizationUsage {
  const usage = existing(found, organizationId);
  const exceeded = exceededUsage(usageOf(usage, now), claim, plan);
  if (exceeded) failExceeded(exceeded, usage, plan, now);
  return usage;
}

function failExceeded({ unit, limit, actual }: ExceededUsage, usage: OrganizationUsage, plan: Plan, now: Date): never {
  const message = messages[unit];
  if (unit !== 'newDecksThisHour' && unit !== 'newSessionsThisHour')
    return fail('conflict', { limit, actual, plan }, { message, nextAction: nextActions[unit] });
  const retryInSeconds = secondsUntilOneMore(unit, usage, plan, now);
  return fail('rate-limited', { limit, actual, plan, retryInSeconds, windowSeconds: WINDOW_SECONDS }, { message });
}

/** Throws as `assertRoomFor` does, before work that the transaction at its end would refuse. One read. */
export async function assertUsage(organization: Organization, claim: Claim, now: Date): Promise<void> {
  const [usage] = await read(usageRef(organization.organizationId));
  assertRoomFor(organization, usage, claim, now);
}

/** The usage of an organization, which has one from its creation on. */
export function existing(found: OrganizationUsage | undefined, organizationId: string): OrganizationUsage {
  if (!found) throw new Error(`The organization ${organizationId} has no usage.`);
  return found;
}

const decksOf = (organizationId: string): Query<Presentation> =>
  collection(paths.presentations, presentation).query().where('organizationId', '==', organizationId);

const sessionsOf = (organizationId: string): Query<UploadSession> =>
  collection(paths.uploadSessions, uploadSession).query().where('organizationId', '==', organizationId);

/**
 * Sets the usage to the number of the decks and the sum of the `storedBytes` of decks and upload sessions. Returns how
 * much more it counted before; undefined when it was right. The transaction locks what it adds up: a deck that is
 * created or deleted meanwhile makes it run again.
 */
export async function recountUsage(
  tx: Transaction,
  organizationId: string,
  now: Date,
): Promise<Pick<Usage, 'decks' | 'storedBytes'> | undefined> {
  const sums = { decks: sdk().AggregateField.count(), storedBytes: sdk().AggregateField.sum('storedBytes') };
  const [[found], inDecks, inSessions] = await Promise.all([
    readIn(tx, usageRef(organizationId)),
    tx.get(decksOf(organizationId).aggregate(sums)),
    tx.get(sessionsOf(organizationId).aggregate({ storedBytes: sums.storedBytes })),
  ]);
  const before = existing(found, organizationId);
  const decks = inDecks.data().decks;
  const storedBytes = inDecks.data().storedBytes + inSessions.data().storedBytes;
  tx.update(usageRef(organizationId), { decks, storedBytes, countedAt: now });
  if (before.decks === decks && before.storedBytes === storedBytes) return undefined;
  return { decks: before.decks - decks, storedBytes: before.storedBytes - storedBytes };
}

const RECOUNT_AFTER_MS = 7 * DAY_MS;

/** The usages that were compared with the decks more than a week ago, the longest ago first. */
export function usagesToRecount(now: Date): AsyncGenerator<{ id: string }> {
  const before = new Date(now.getTime() - RECOUNT_AFTER_MS);
  const usages = collection(paths.organizationUsages, organizationUsage).query();
  return idsOf(usages.where('countedAt', '<=', before).orderBy('countedAt'));
}
