import { fail } from '../errors';
import { planCaps, type Plan } from '../policy/plans';
import { totalsOf, exceededStored, type FileTotals } from '../policy/upload-caps';
import { blobRef, type Blob } from '../records/blobs';
import { read, refIf } from '../records/database';
import { organizationOf, organizationRef } from '../records/organizations';
import { presentationRef } from '../records/presentations';
import { randomStoredShardRef, estimateStored, readStored, type StoredShardRef } from '../records/upload-counters';
import { SESSION_TTL_SECONDS, uploadSessionRef } from '../records/upload-sessions';
import type { Caller } from '../http/authenticate';
import type { Call } from '../http/definition';
import { assertSession } from './deck-access';
import type { TargetFields } from '../contract/upload-fields';

/** Where files go. */
export interface UploadTarget {
  deckId: string;
  /** The session that reserves the deck's id while there is no deck. */
  sessionId: string | undefined;
  plan: Plan;
  /** Sizes in bytes of those of the asked-for hashes that the deck has. */
  sizes: Map<string, number>;
  /** About what is stored under the deck's id, and where what is added to it is counted. */
  stored: FileTotals;
  countedIn: StoredShardRef;
  /** Until when something that is granted now may be used: a session's grants end with it. */
  expiresAt: Date;
}

/** The target of an upload, if the caller may upload to it: owner or dev of the deck, or whose session it is. At most two round trips. */
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

/** Refuses a file above the plan's cap: payload-too-large. */
export function assertAssetSize(plan: Plan, sizeBytes: number): void {
  const limit = planCaps[plan].assetBytes;
  if (sizeBytes > limit) fail('payload-too-large', { limit, actual: sizeBytes, plan });
}

/**
 * Refuses files with which the deck would keep more than its plan allows: payload-too-large. What is under way at the same moment is not counted yet,
 * and may come on top. Costs a round trip only when there is little room left.
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
      message: 'The deck has no room for more files: those of all its versions and uploads count.',
      nextAction: 'Push to a new deck, or change the plan.',
    },
  );
}

/**
 * What a call answers whose deck was deleted, or whose session ended, while it was under way. Bytes that it has stored stay: another call may have
 * recorded them, and whoever ended the deck or session looks for what is left.
 */
export function failEnded(): never {
  return fail('not-found', undefined, { message: 'The deck or the upload session ended meanwhile.' });
}
