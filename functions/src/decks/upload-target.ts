import type { TargetFields } from '../contract/upload-fields';
import { fail } from '../errors';
import type { Caller } from '../http/caller';
import type { Call } from '../http/definition';
import { planCaps, type Plan } from '../policy/plans';
import { exceededStored, totalsOf, type FileTotals } from '../policy/upload-caps';
import { blobRef, type Blob } from '../records/blobs';
import { read, refIf } from '../records/database';
import { organizationOf, organizationRef } from '../records/organizations';
import { presentationRef } from '../records/presentations';
import { estimateStored, randomStoredShardRef, readStored, type StoredShardRef } from '../records/upload-counters';
import { SESSION_TTL_SECONDS, uploadSessionRef } from '../records/upload-sessions';
import { assertSession } from './preconditions';

/** The deck or upload session that receives files, and how much is stored there. */
export interface UploadTarget {
  deckId: string;
  /** The session that reserves the deck's id. Undefined for an existing deck. */
  sessionId: string | undefined;
  plan: Plan;
  /** The sizes in bytes of those requested hashes that the deck stores. */
  sizes: Map<string, number>;
  /** An estimate of what is stored under the deck's id, made from one shard of the count. */
  stored: FileTotals;
  /** The shard to which the upload adds. */
  countedIn: StoredShardRef;
  /** When a grant that is made now expires: with the session, or after one hour for a deck. */
  expiresAt: Date;
}

/**
 * Finds the target of an upload in at most two round trips. Throws not-found when the deck or session does not exist or
 * the session has expired, and permission-denied when the caller lacks the endpoint's role on the deck or did not open
 * the session.
 */
export async function findUploadTarget(
  input: TargetFields,
  hashes: readonly string[],
  { caller, authorize, now }: Pick<Call<unknown, Caller>, 'caller' | 'authorize' | 'now'>,
): Promise<UploadTarget> {
  if (input.presentationId) {
    const deckId = input.presentationId;
    const countedIn = randomStoredShardRef(deckId);
    const ownRefs = [presentationRef(deckId), refIf(organizationRef, caller.organizationId), countedIn] as const;
    const blobRefs = hashes.map((sha256) => blobRef(deckId, sha256));
    const [found, own, part, ...blobs] = await read(...ownRefs, ...blobRefs);
    const deck = authorize(found);
    const { plan } = await organizationOf(deck, own);
    const expiresAt = new Date(now.getTime() + SESSION_TTL_SECONDS * 1000);
    const stored = estimateStored(part);
    return { deckId, sessionId: undefined, plan, sizes: sizesOf(hashes, blobs), stored, countedIn, expiresAt };
  }
  const sessionId = input.sessionId!;
  const [session] = await read(uploadSessionRef(sessionId));
  const { presentationId: deckId, organizationId, expiresAt } = assertSession(caller, session, now);
  const countedIn = randomStoredShardRef(deckId);
  const blobRefs = hashes.map((sha256) => blobRef(deckId, sha256));
  const [organization, part, ...blobs] = await read(organizationRef(organizationId), countedIn, ...blobRefs);
  const [{ plan }, stored] = [organization!, estimateStored(part)];
  return { deckId, sessionId, plan, sizes: sizesOf(hashes, blobs), stored, countedIn, expiresAt };
}

function sizesOf(hashes: readonly string[], blobs: readonly (Blob | undefined)[]): Map<string, number> {
  return new Map(hashes.flatMap((sha256, i) => (blobs[i] ? [[sha256, blobs[i].sizeBytes] as const] : [])));
}

/** Throws payload-too-large for a file that is larger than the plan allows. */
export function assertAssetSize(plan: Plan, sizeBytes: number): void {
  const limit = planCaps[plan].assetBytes;
  if (sizeBytes > limit) fail('payload-too-large', { limit, actual: sizeBytes, plan });
}

/**
 * Throws payload-too-large when the deck would store more than its plan allows. Uploads that have not ended are not
 * counted, so concurrent uploads may together exceed the limit. Costs one round trip, and only when the estimate
 * exceeds the limit.
 */
export async function assertRoom(target: UploadTarget, files: readonly { sizeBytes: number }[]): Promise<void> {
  const { deckId, plan, stored } = target;
  const more = totalsOf(files);
  const exceeded = exceededStored(stored, more, plan) && exceededStored(await readStored(deckId), more, plan);
  if (!exceeded) return;
  fail(
    'payload-too-large',
    { ...exceeded },
    {
      message: 'The deck has no room for these files. The files of all its versions and uploads count.',
      nextAction: 'Push to a new deck, or change the plan.',
    },
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
