import { config } from '../config';
import type { TargetFields } from '../contract/upload-fields';
import { fail } from '../errors';
import type { Caller } from '../http/caller';
import type { Call } from '../http/definition';
import { planCaps, type Plan } from '../policy/plans';
import { exceededStored, totalsOf, type FileTotals, type Grants } from '../policy/upload-caps';
import { blobRef, type Blob } from '../records/blobs';
import { read, readIn, refIf } from '../records/database';
import { assertUsage, Room, withRoom } from '../records/organization-usage';
import { organizationRef, pageTooLarge, type Organization } from '../records/organizations';
import { presentationRef, setStoredBytes } from '../records/presentations';
import { transact } from '../records/transact';
import {
  countGrants,
  estimateStored,
  grantWindowRef,
  randomStoredShardRef,
  readStored,
  type StoredShardRef,
} from '../records/upload-counters';
import { findReservedId, SESSION_TTL_SECONDS, setSessionBytes, uploadSessionRef } from '../records/upload-sessions';
import { isPage } from '../values/content-types';
import { MB } from '../values/units';
import { assertSession, failUnknownSession } from './preconditions';

/** The deck or upload session that receives files, and how much is stored there. */
export interface UploadTarget {
  deckId: string;
  /** The session that reserves the deck's id. Undefined for an existing deck. */
  sessionId: string | undefined;
  organizationId: string;
  plan: Plan;
  /** The sizes in bytes of those requested hashes that the deck stores. */
  sizes: Map<string, number>;
  /** An estimate of what is stored under the deck's id, made from one shard of the count. */
  stored: FileTotals;
  /** The stored bytes that the usage of the organization counts already. */
  countedBytes: number;
  usage: OrganizationUsage;
  /** The shard from which `stored` is estimated. The upload adds to it. */
  countedIn: StoredShardRef;
  /** When a grant that is made now expires: with the session, or after one hour for a deck. */
  expiresAt: Date;
}

/** Files of a deck or session that no commit has counted are counted by the next upload when they exceed this size. */
const UNCOUNTED_BYTES = 32 * MB;

/** The organization whose caps apply, with two shards of its usage. */
interface OrganizationUsage {
  organization: Organization;
  room: Room;
  shards: Parameters<Room['hasRoom']>[1];
  now: Date;
}

/**
 * Finds the target of an upload in one round trip, or in two when this instance has not seen the session, or when the
 * deck belongs to another organization. Throws not-found when the deck or session does not exist or the session has
 * expired, and permission-denied when the caller lacks the endpoint's role on the deck or did not open the session.
 */
export async function findUploadTarget(
  { presentationId, sessionId }: TargetFields,
  hashes: readonly string[],
  { caller, authorize, now }: Pick<Call<unknown, Caller>, 'caller' | 'authorize' | 'now'>,
): Promise<UploadTarget> {
  const deckId = presentationId ?? (await findReservedId(sessionId!));
  if (deckId === undefined) return failUnknownSession(caller);
  const countedIn = randomStoredShardRef(deckId);
  const ownRoom = caller.organizationId === null ? undefined : Room.of(caller.organizationId);
  const [deck, session, part, own, a, b, ...blobs] = await read(
    refIf(presentationRef, presentationId),
    refIf(uploadSessionRef, sessionId),
    countedIn,
    refIf(organizationRef, caller.organizationId),
    ownRoom?.refs[0],
    ownRoom?.refs[1],
    ...hashes.map((sha256) => blobRef(deckId, sha256)),
  );
  const { organizationId, storedBytes } = presentationId ? authorize(deck) : assertSession(caller, session, now);
  const usage =
    own?.organizationId === organizationId && ownRoom
      ? { organization: own, room: ownRoom, shards: [a, b], now }
      : await readUsage(organizationId, now);
  return {
    ...{ deckId, sessionId: sessionId ?? undefined, organizationId, plan: usage.organization.plan, usage },
    ...{ countedIn, sizes: sizesOf(hashes, blobs), stored: estimateStored(part), countedBytes: storedBytes ?? 0 },
    expiresAt: session?.expiresAt ?? new Date(now.getTime() + SESSION_TTL_SECONDS * 1000),
  };
}

async function readUsage(organizationId: string, now: Date): Promise<OrganizationUsage> {
  const room = Room.of(organizationId);
  const [organization, ...shards] = await read(organizationRef(organizationId), ...room.refs);
  if (!organization) throw new Error(`The organization ${organizationId} of a deck does not exist.`);
  return { organization, room, shards, now };
}

function sizesOf(hashes: readonly string[], blobs: readonly (Blob | undefined)[]): Map<string, number> {
  return new Map(hashes.flatMap((sha256, i) => (blobs[i] ? [[sha256, blobs[i].sizeBytes] as const] : [])));
}

/** Throws payload-too-large for a file that is larger than the plan allows, and for a page that no commit accepts. */
export function assertAssetSize(plan: Plan, { sizeBytes, contentType }: FileToStore): void {
  const [limit, pageLimit] = [planCaps[plan].assetBytes, config.maxPageBytes()];
  if (sizeBytes > limit) fail('payload-too-large', { limit, actual: sizeBytes, plan });
  if (sizeBytes > pageLimit && isPage(contentType))
    fail('payload-too-large', { limit: pageLimit, actual: sizeBytes, plan }, pageTooLarge);
}

interface FileToStore {
  sizeBytes: number;
  contentType: string;
}

/**
 * Throws payload-too-large when the deck would store more than its plan allows, and conflict when the organization would
 * with the next commit of the deck. Counts the files that no commit has counted when they have more than 32 MB. Uploads
 * that have not ended are not counted, so concurrent uploads may together exceed the limits; later uploads and the commit
 * count them. Costs one round trip of 16 reads, and only when an estimate exceeds a limit.
 */
export async function assertRoom(target: UploadTarget, files: readonly { sizeBytes: number }[]): Promise<void> {
  const { deckId, plan, stored } = target;
  const more = totalsOf(files);
  let total: Promise<FileTotals> | undefined;
  const readTotal = () => (total ??= readStored(deckId));
  const exceeded = exceededStored(stored, more, plan) && exceededStored(await readTotal(), more, plan);
  if (exceeded) {
    fail(
      'payload-too-large',
      { ...exceeded },
      {
        message: 'The deck has no room for these files. The files of all its versions and uploads count.',
        nextAction: 'Push to a new deck, or change the plan.',
      },
    );
  }
  const { organization, room, shards, now } = target.usage;
  // The next commit counts these files and the earlier uploads that no commit has counted.
  const claim = ({ bytes }: FileTotals) => ({ storedBytes: more.bytes + Math.max(0, bytes - target.countedBytes) });
  const isUncounted = ({ bytes }: FileTotals) => bytes - target.countedBytes > UNCOUNTED_BYTES;
  const hasRoom = more.bytes === 0 || room.hasRoom(organization, shards, claim(stored), now);
  if (hasRoom && !isUncounted(stored)) return;
  const exact = await readTotal();
  if (!hasRoom) await assertUsage(organization, claim(exact), now);
  if (isUncounted(exact)) await countUploads(target, exact.bytes, now);
}

/**
 * Adds the files that no commit has counted to the usage of the organization. Throws conflict when they exceed it. The
 * transaction writes `storedBytes` of the deck or session, from which a commit and a deletion continue.
 */
function countUploads({ deckId, sessionId, organizationId }: UploadTarget, storedBytes: number, now: Date) {
  return withRoom(organizationId, (room) =>
    transact(async (tx) => {
      const targets = [presentationRef(deckId), refIf(uploadSessionRef, sessionId)] as const;
      const refs = [...targets, organizationRef(organizationId), ...room.refs] as const;
      const [deck, session, organization, ...shards] = await readIn(tx, ...refs);
      const target = deck ?? session;
      const more = storedBytes - (target?.storedBytes ?? 0);
      // Of concurrent uploads, another one may have counted the files.
      if (!target || more <= UNCOUNTED_BYTES) return;
      // A deck without a count was never counted as a deck.
      const decks = deck && typeof deck.storedBytes !== 'number' ? 1 : 0;
      room.take(tx, organization!, shards, { decks, storedBytes: more }, now);
      if (deck) setStoredBytes(tx, deckId, storedBytes);
      else setSessionBytes(tx, sessionId!, storedBytes);
    }),
  );
}

/**
 * Counts files before their uploads are granted: their bytes for the organization, their number for the deck. Throws
 * conflict and rate-limited when they exceed a limit of the plan; nothing is counted then.
 */
export function grantUploads({ deckId, organizationId }: UploadTarget, wanted: Grants, now: Date): Promise<void> {
  return withRoom(organizationId, (room) =>
    transact(async (tx) => {
      const refs = [organizationRef(organizationId), grantWindowRef(deckId), ...room.refs] as const;
      const [organization, window, ...shards] = await readIn(tx, ...refs);
      countGrants(tx, deckId, window, organization!.plan, wanted, now);
      room.take(tx, organization!, shards, { grants: wanted }, now);
    }),
  );
}

/**
 * Throws not-found for a call whose deck was deleted, or whose session ended, while the call was running. The bytes
 * that the call stored stay: another call may have recorded them, and the deletion of the deck or session deletes the
 * rest.
 */
export function failEnded(): never {
  return fail('not-found', undefined, {
    message: 'The deck was deleted, or the upload session ended, during the call.',
  });
}
