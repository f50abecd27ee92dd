import { config } from '../config';
import type { TargetFields } from '../contract/upload-fields';
import { fail } from '../errors';
import type { Caller } from '../http/caller';
import type { Call } from '../http/definition';
import { planCaps, type Plan } from '../policy/plans';
import { endOfGrants, exceededStored, totalsOf, type FileTotals, type Grants } from '../policy/upload-caps';
import { blobRef, type Blob } from '../records/blobs';
import { read, readIn, refIf } from '../records/database';
import { assertRoomFor, existing, takeRoom, usageRef, type OrganizationUsage } from '../records/organization-usage';
import { organizationRef, pageTooLarge, type Organization } from '../records/organizations';
import { fileBytesOf, presentationRef, setFileBytes, type Presentation } from '../records/presentations';
import { transact } from '../records/transact';
import { countGrants, grantWindowRef, storedFilesRef, storedOf } from '../records/upload-counters';
import { findReservedId, setSessionBytes, uploadSessionRef, type UploadSession } from '../records/upload-sessions';
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
  /** What is stored under the deck's id. */
  stored: FileTotals;
  /** The stored bytes that the usage of the organization counts already. */
  countedBytes: number;
  organization: Organization;
  usage: OrganizationUsage;
  /** When a grant that is made now ends: with the session, or by `endOfGrants` for a deck. */
  expiresAt: Date;
}

/** Files of a deck or session that no commit has counted are counted by the next upload when they exceed this size. */
const UNCOUNTED_BYTES = 32 * MB;

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
  const [deck, session, stored, own, ownUsage, ...blobs] = await read(
    refIf(presentationRef, presentationId),
    refIf(uploadSessionRef, sessionId),
    storedFilesRef(deckId),
    refIf(organizationRef, caller.organizationId),
    refIf(usageRef, caller.organizationId),
    ...hashes.map((sha256) => blobRef(deckId, sha256)),
  );
  const { organizationId, countedBytes } = presentationId
    ? countedOf(authorize(deck))
    : countedOf(assertSession(caller, session, now));
  const isOwn = own?.organizationId === organizationId;
  const [organization, usage] = isOwn
    ? [own, ownUsage]
    : await read(organizationRef(organizationId), usageRef(organizationId));
  if (!organization) throw new Error(`The organization ${organizationId} of a deck does not exist.`);
  return {
    deckId,
    sessionId: sessionId ?? undefined,
    organizationId,
    plan: organization.plan,
    sizes: sizesOf(hashes, blobs),
    stored: storedOf(stored),
    countedBytes,
    organization,
    usage: existing(usage, organizationId),
    expiresAt: session?.expiresAt ?? endOfGrants(now),
  };
}

/** The organization of a deck or session, and the bytes of its files that the usage of the organization counts. */
const countedOf = (target: Presentation | UploadSession) => ({
  organizationId: target.organizationId,
  countedBytes: 'slideBytes' in target ? fileBytesOf(target) : target.storedBytes,
});

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
 * Throws payload-too-large when the deck would store more than its plan allows, and conflict when the organization
 * would with the next commit of the deck. Counts the files that no commit has counted when they have more than 32 MB.
 * Uploads that have not ended are not counted, so concurrent uploads may together exceed the limits; later uploads and
 * the commit count them.
 */
export async function assertRoom(target: UploadTarget, files: readonly { sizeBytes: number }[], now: Date) {
  const { plan, stored, countedBytes, organization, usage } = target;
  const more = totalsOf(files);
  const exceeded = exceededStored(stored, more, plan);
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
  // The next commit counts these files and the earlier uploads that no commit has counted.
  const uncounted = Math.max(0, stored.bytes - countedBytes);
  if (more.bytes > 0) assertRoomFor(organization, usage, { storedBytes: more.bytes + uncounted }, now);
  if (uncounted > UNCOUNTED_BYTES) await countUploads(target, now);
}

/**
 * Adds the files that no commit has counted to the usage of the organization. Throws conflict when they exceed it. The
 * transaction writes `storedBytes` of the deck or session, from which a commit and a deletion continue.
 */
function countUploads({ deckId, sessionId, organizationId, stored }: UploadTarget, now: Date) {
  return transact(async (tx) => {
    const [deck, session, organization, usage] = await readIn(
      tx,
      presentationRef(deckId),
      refIf(uploadSessionRef, sessionId),
      organizationRef(organizationId),
      usageRef(organizationId),
    );
    const target = deck ?? session;
    const more = target ? stored.bytes - countedOf(target).countedBytes : 0;
    // Of concurrent uploads, another one may have counted the files.
    if (!target || more <= UNCOUNTED_BYTES) return;
    takeRoom(tx, organization!, usage, { storedBytes: more }, now);
    if (deck) setFileBytes(tx, deck, stored.bytes);
    else setSessionBytes(tx, sessionId!, stored.bytes);
  });
}

/**
 * Counts files before their uploads are granted: their bytes for the organization, their number for the deck. Throws
 * conflict and rate-limited when they exceed a limit of the plan; nothing is counted then.
 */
export function grantUploads({ deckId, organizationId }: UploadTarget, wanted: Grants, now: Date): Promise<void> {
  return transact(async (tx) => {
    const refs = [organizationRef(organizationId), usageRef(organizationId), grantWindowRef(deckId)] as const;
    const [organization, usage, window] = await readIn(tx, ...refs);
    countGrants(tx, deckId, window, organization!.plan, wanted, now);
    takeRoom(tx, organization!, usage, { grants: wanted }, now);
  });
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
