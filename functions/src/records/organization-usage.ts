import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { Query, QueryDocumentSnapshot } from 'firebase-admin/firestore';
import { fail } from '../errors';
import type { Plan } from '../policy/plans';
import { WINDOW_SECONDS } from '../policy/request-windows';
import {
  addGranted,
  claimFrom,
  emptyShard,
  evenShards,
  exceededUsage,
  isEmptyClaim,
  secondsUntilOneMore,
  usageOf,
  USAGE_SHARDS,
  subtractFrom,
  type Claim,
  type ExceededUsage,
  type GrantedBytes,
  type HourlyUnit,
  type Usage,
  type UsageShard,
} from '../policy/usage-caps';
import { DAY_MS } from '../values/units';
import { collection, date, paths } from './collections';
import { documentsOf, read, readIn, type Transaction } from './database';
import { sdk } from './sdk';
import { organization, organizationRef, type Organization } from './organizations';
import { presentation, presentationRef, type Presentation } from './presentations';
import { transact } from './transact';
import { countStored, storedShardRefs, sumOfShards } from './upload-counters';
import { uploadSession, type UploadSession } from './upload-sessions';

/**
 * A shard of what an organization uses of its caps (decision 19). The transaction that creates, extends or deletes a
 * deck also changes the shards, so the sum of the shards is the number of decks and the sum of their `storedBytes`.
 */
const usageShard = z.object({
  decks: z.number().int(),
  bytes: z.number().int(),
  newDecks: z.array(date),
  newSessions: z.array(date).default([]),
  granted: z.array(z.object({ until: date, bytes: z.number().int() })),
});

const usageShardRef = (organizationId: string, shard: number) =>
  collection(paths.usageShards(organizationId), usageShard).doc(String(shard));

const allShards = Array.from({ length: USAGE_SHARDS }, (_, shard) => shard);
const allRefs = (organizationId: string) => allShards.map((shard) => usageShardRef(organizationId, shard));

type Found = readonly (UsageShard | undefined)[];

/** Thrown in a transaction whose shards have no room for a claim. `withRoom` runs the work again with other shards. */
class NoRoom extends Error {
  constructor(
    readonly organization: Organization,
    readonly claim: Claim,
    readonly now: Date,
  ) {
    super('These shards have no room.');
  }
}

/** The shards from which one transaction takes room. It reads `refs` and passes their records to `take`. */
export class Room {
  readonly refs: ReturnType<typeof usageShardRef>[];

  constructor(
    organizationId: string,
    private readonly shards: readonly number[],
  ) {
    this.refs = shards.map((shard) => usageShardRef(organizationId, shard));
  }

  /** Two random shards of an organization. */
  static of(organizationId: string): Room {
    const first = randomInt(USAGE_SHARDS);
    return new Room(organizationId, [first, (first + 1 + randomInt(USAGE_SHARDS - 1)) % USAGE_SHARDS]);
  }

  private claimFrom(found: Found, claim: Claim, plan: Plan, now: Date) {
    const shards = new Map(this.shards.map((shard, i) => [shard, found[i] ?? emptyShard]));
    return claimFrom(shards, claim, plan, now);
  }

  /** Adds a claim within the caps of the plan. Call it in the work of `withRoom`, after the reads. */
  take(tx: Transaction, organization: Organization, found: Found, claim: Claim, now: Date): void {
    if (isEmptyClaim(claim)) return;
    const changed = organization.usageCountedAt && this.claimFrom(found, claim, organization.plan, now);
    if (!changed) throw new NoRoom(organization, claim, now);
    for (const [shard, record] of changed) tx.set(this.refs[this.shards.indexOf(shard)]!, stored(record));
  }

  /** Whether these shards alone have room for a claim. Otherwise `assertUsage` decides. */
  hasRoom(organization: Organization, found: Found, claim: Claim, now: Date): boolean {
    return this.claimFrom(found, claim, organization.plan, now) !== undefined;
  }

  /** Subtracts what the transaction deletes: a deck, or the files of an upload session. */
  giveBack(
    tx: Transaction,
    organization: Organization,
    found: Found,
    deleted: Pick<Usage, 'decks' | 'storedBytes'>,
  ): void {
    // The first count of an uncounted organization finds the decks that exist then.
    if (!organization.usageCountedAt) return;
    const [a = emptyShard, b = emptyShard] = found;
    subtractFrom([a, b], deleted).forEach((record, i) => tx.set(this.refs[i]!, stored(record)));
  }

  /** Releases grants whose files arrived. */
  releaseGrants(tx: Transaction, [found = emptyShard]: Found, grants: readonly GrantedBytes[], now: Date): void {
    const granted = grants.reduce<readonly GrantedBytes[]>(
      (rows, { until, bytes }) => addGranted(rows, { until, bytes: -bytes }, now),
      found.granted,
    );
    tx.set(this.refs[0]!, stored({ ...found, granted }));
  }
}

const stored = ({ decks, bytes, newDecks, newSessions, granted }: UsageShard) => ({
  ...{ decks, bytes },
  ...{ newDecks: [...newDecks], newSessions: [...newSessions], granted: [...granted] },
});

/** Each failed try means that another call took room, so a call fails only while many others succeed. */
const MAX_TRIES = 20;

/**
 * Runs the transaction of a call that takes room. It first tries two random shards: calls of one organization rarely
 * wait for each other. When these have no room, it reads all shards and tries shards that have room. Throws conflict
 * when a cap of the plan is exceeded, and rate-limited when a cap of an hour is exceeded.
 */
export async function withRoom<T>(organizationId: string, work: (room: Room) => Promise<T>): Promise<T> {
  let room = Room.of(organizationId);
  for (let tries = 1; ; tries++) {
    try {
      return await work(room);
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      if (tries === MAX_TRIES) {
        const message = 'Too many calls of the organization ran at the same time.';
        fail('rate-limited', { retryInSeconds: 1 }, { message });
      }
      room = await findRoom(error);
    }
  }
}

async function findRoom({ organization, claim, now }: NoRoom): Promise<Room> {
  const { organizationId, plan } = organization;
  if (!organization.usageCountedAt) {
    await beginUsage(organizationId, now, COUNTED_PER_REQUEST);
    return Room.of(organizationId);
  }
  const shards = await readShards(organizationId);
  assertWithin(shards, claim, plan, now);
  // Concurrent calls start at different shards.
  const start = randomInt(USAGE_SHARDS);
  const order = [...allShards.slice(start), ...allShards.slice(0, start)];
  const chosen = claimFrom(new Map(order.map((shard) => [shard, shards[shard]!])), claim, plan, now);
  return new Room(organizationId, [...(chosen ?? new Map(order.map((shard) => [shard, null]))).keys()]);
}

/**
 * Throws as `withRoom` does when a claim exceeds a cap, and writes nothing: it refuses a call before work that the caps
 * would refuse at the end. An organization that is not counted yet passes. One round trip of 16 reads.
 */
export async function assertUsage(organization: Organization, claim: Claim, now: Date): Promise<void> {
  if (!organization.usageCountedAt) return;
  assertWithin(await readShards(organization.organizationId), claim, organization.plan, now);
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

function assertWithin(shards: readonly UsageShard[], claim: Claim, plan: Plan, now: Date): void {
  const exceeded = exceededUsage(usageOf(shards, now), claim, plan);
  if (!exceeded) return;
  const { unit, limit, actual } = exceeded;
  const message = messages[unit];
  if (unit !== 'newDecksThisHour' && unit !== 'newSessionsThisHour')
    fail('conflict', { limit, actual, plan }, { message, nextAction: nextActions[unit] });
  const retryInSeconds = secondsUntilOneMore(unit, shards, plan, now);
  fail('rate-limited', { limit, actual, plan, retryInSeconds, windowSeconds: WINDOW_SECONDS }, { message });
}

async function readShards(organizationId: string): Promise<UsageShard[]> {
  return (await read(...allRefs(organizationId))).map((shard) => shard ?? emptyShard);
}

/**
 * What the organization uses. One round trip of 16 reads. The first call for an organization counts its decks. Throws
 * rate-limited when more than `atMost` decks are not counted.
 */
export async function readUsage(
  { organizationId, usageCountedAt }: Organization,
  now: Date,
  atMost = COUNTED_PER_REQUEST,
): Promise<Usage> {
  if (!usageCountedAt) await beginUsage(organizationId, now, atMost);
  return usageOf(await readShards(organizationId), now);
}

const decksOf = (organizationId: string): Query<Presentation> =>
  collection(paths.presentations, presentation).query().where('organizationId', '==', organizationId);

const sessionsOf = (organizationId: string): Query<UploadSession> =>
  collection(paths.uploadSessions, uploadSession).query().where('organizationId', '==', organizationId);

const COUNTED_AT_ONCE = 8;
const MAX_COUNTS = 5;
/** How many decks a request counts: more may take longer than the request's time. */
const COUNTED_PER_REQUEST = 50;
const RETRY_COUNT_SECONDS = 5;

/**
 * Counts an organization for the first time. Throws rate-limited when more than `atMost` decks are not counted: the next
 * request and the next run of the job `recountUsage` count further.
 */
async function beginUsage(organizationId: string, now: Date, atMost: number): Promise<void> {
  if (await countUsage(organizationId, now, atMost)) return;
  await transact(async (tx) => {
    const [organization] = await readIn(tx, organizationRef(organizationId));
    // A query finds a null and does not find a field that is missing.
    if (organization?.usageCountedAt === undefined)
      tx.update(organizationRef(organizationId), { usageCountedAt: null });
  });
  const message = 'The service counts the decks of the organization for the first time.';
  fail('rate-limited', { retryInSeconds: RETRY_COUNT_SECONDS }, { message });
}

/**
 * Counts the decks of an organization from their records, and first the files of the decks that have no `storedBytes`:
 * decks that are older than the counts, and decks that an instance of an earlier release created. A count that is cut
 * off continues with the decks that are not counted yet. Returns how wrong the shards were, or undefined when more than
 * `atMost` decks had no `storedBytes`.
 */
async function countUsage(organizationId: string, now: Date, atMost = Infinity): Promise<Difference | undefined> {
  let left = atMost;
  for (let count = 1; count <= MAX_COUNTS; count++) {
    const difference = await transact((tx) => recountUsage(tx, organizationId, now));
    if (difference) return difference;
    const counted = await countDecks(organizationId, left);
    if (counted === undefined) return undefined;
    left -= counted;
  }
  throw new Error(`The decks of the organization ${organizationId} changed during ${MAX_COUNTS} counts.`);
}

/** Sets `storedBytes` of the decks that have none. Returns their number, or undefined after the first `atMost` of them. */
async function countDecks(organizationId: string, atMost: number): Promise<number | undefined> {
  let counted = 0;
  const group: string[] = [];
  const countGroup = () => Promise.all(group.splice(0).map(countStoredBytes));
  const decks = decksOf(organizationId).withConverter(null).select('storedBytes');
  for await (const deck of documentsOf(decks, 1000)) {
    if (typeof deck.get('storedBytes') === 'number') continue;
    if (counted === atMost) {
      await countGroup();
      return undefined;
    }
    counted++;
    group.push(deck.id);
    if (group.length === COUNTED_AT_ONCE) await countGroup();
  }
  await countGroup();
  return counted;
}

/** Sets `storedBytes` of a deck that has none, from the records of its files. */
async function countStoredBytes(id: string): Promise<void> {
  let recorded = 0;
  const sizes = collection(paths.blobs(id), z.unknown()).query().withConverter(null).select('sizeBytes');
  for await (const file of documentsOf(sizes, 1000)) recorded += Number(file.get('sizeBytes'));
  await transact(async (tx) => {
    const refs = storedShardRefs(id);
    const [deck, ...shards] = await readIn(tx, presentationRef(id), ...refs);
    if (!deck || typeof deck.storedBytes === 'number') return;
    // The counter of a deck that is older than the counter misses files.
    const counted = sumOfShards(shards).bytes;
    const missing = Math.max(0, recorded - counted);
    if (missing > 0) countStored(tx, refs[0]!, { files: 0, bytes: missing });
    tx.update(presentationRef(id), { storedBytes: counted + missing });
  });
}

/** How much more the shards counted than the decks. */
type Difference = Pick<Usage, 'decks' | 'storedBytes'>;

/**
 * Sets the shards of an organization to the number of its decks and the sum of the `storedBytes` of decks and upload
 * sessions, spread evenly, and returns the difference. Returns undefined and writes nothing when a deck has no
 * `storedBytes` yet. The transaction reads with aggregations: a deck that is created or deleted meanwhile makes it run
 * again.
 */
export async function recountUsage(
  tx: Transaction,
  organizationId: string,
  now: Date,
): Promise<Difference | undefined> {
  const refs = allRefs(organizationId);
  const decks = decksOf(organizationId);
  const sums = { decks: sdk().AggregateField.count(), storedBytes: sdk().AggregateField.sum('storedBytes') };
  const [[counts, ...found], all, counted, uploading] = await Promise.all([
    readIn(tx, organizationRef(organizationId), ...refs),
    tx.get(decks.count()),
    tx.get(decks.aggregate(sums)),
    tx.get(sessionsOf(organizationId).aggregate({ storedBytes: sums.storedBytes })),
  ]);
  if (!counts) throw new Error(`The organization ${organizationId} does not exist.`);
  if (counted.data().decks !== all.data().count) return undefined;
  const storedBytes = counted.data().storedBytes + uploading.data().storedBytes;
  const totals = { decks: counted.data().decks, storedBytes };
  const earlier = found.map((shard) => shard ?? emptyShard);
  evenShards(earlier, totals, now).forEach((record, i) => tx.set(refs[i]!, stored(record)));
  tx.update(organizationRef(organizationId), { usageCountedAt: now });
  const before = usageOf(earlier, now);
  return { decks: before.decks - totals.decks, storedBytes: before.storedBytes - totals.storedBytes };
}

const RECOUNT_AFTER_MS = 7 * DAY_MS;

/**
 * The organizations whose first count did not end in a request, then those that were counted more than a week ago, the
 * longest ago first.
 */
export async function* organizationsToRecount(now: Date): AsyncGenerator<QueryDocumentSnapshot<Organization>> {
  const all = collection(paths.organizations, organization).query();
  yield* documentsOf(all.where('usageCountedAt', '==', null));
  const before = new Date(now.getTime() - RECOUNT_AFTER_MS);
  yield* documentsOf(all.where('usageCountedAt', '<=', before).orderBy('usageCountedAt'));
}

/** Counts an organization again, or for the first time. Returns the difference when its shards were wrong. */
export async function repairUsage(
  { organizationId, usageCountedAt }: Organization,
  now: Date,
): Promise<Difference | undefined> {
  const difference = await countUsage(organizationId, now);
  if (!difference || !usageCountedAt) return undefined;
  return difference.decks === 0 && difference.storedBytes === 0 ? undefined : difference;
}
