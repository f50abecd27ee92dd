import type { z } from 'zod';
import { fail } from '../policy/errors';
import { planCaps, type Plan } from '../policy/plans';
import { blobRef, type Blob } from '../records/blobs';
import { db, read } from '../records/database';
import { callersOrganizationRef, organizationOf, organizationRef } from '../records/organizations';
import { presentationRef } from '../records/presentations';
import { SESSION_TTL_SECONDS, uploadSessionRef } from '../records/upload-sessions';
import type { Caller } from './authenticate';
import { assertMayAct, assertSession } from './deck-access';
import { always, presentationId, sessionId } from './fields';

/** The two fields of which one names the deck that files are for. */
export const targetFields = { presentationId: presentationId.nullish(), sessionId: sessionId.nullish() };

type TargetFields = { [K in keyof typeof targetFields]?: z.output<(typeof targetFields)[K]> };

/** Whether one of the two was sent, and not both. Goes into `refine` with `oneTarget`. */
export const hasOneTarget = (input: TargetFields): boolean =>
  Boolean(input.presentationId) !== Boolean(input.sessionId);
export const oneTarget = { ...always, path: ['presentationId'], error: 'Send either presentationId or sessionId.' };

/** Where files go. */
export interface UploadTarget {
  deckId: string;
  /** The session that reserves the deck's id while there is no deck. */
  sessionId: string | undefined;
  plan: Plan;
  /** Sizes in bytes of those of the asked-for hashes that the deck has. */
  sizes: Map<string, number>;
  /** Until when something that is granted now may be used: a session's grants end with it. */
  expiresAt: Date;
}

/** The target of an upload, if the caller may upload to it: owner or dev of the deck, or whose session it is. At most two round trips. */
export async function findUploadTarget(
  input: TargetFields,
  hashes: readonly string[],
  caller: Caller,
  now: Date,
): Promise<UploadTarget> {
  if (input.presentationId) {
    const deckId = input.presentationId;
    const ownRefs = [presentationRef(deckId), callersOrganizationRef(caller)] as const;
    const [found, own, ...blobs] = await read(db(), ...ownRefs, ...hashes.map((sha256) => blobRef(deckId, sha256)));
    const deck = assertMayAct(caller, 'member', found);
    const { plan } = await organizationOf(deck, own);
    const expiresAt = new Date(now.getTime() + SESSION_TTL_SECONDS * 1000);
    return { deckId, sessionId: undefined, plan, sizes: sizesOf(hashes, blobs), expiresAt };
  }
  const sessionId = input.sessionId!;
  const [session] = await read(db(), uploadSessionRef(sessionId));
  const { presentationId: deckId, organizationId, expiresAt } = assertSession(caller, session, now);
  const refs = [organizationRef(organizationId), ...hashes.map((sha256) => blobRef(deckId, sha256))] as const;
  const [organization, ...blobs] = await read(db(), ...refs);
  return { deckId, sessionId, plan: organization!.plan, sizes: sizesOf(hashes, blobs), expiresAt };
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
 * What a call answers whose deck was deleted, or whose session ended, while it was under way. Bytes that it has stored stay: another call may have
 * recorded them, and whoever ended the deck or session looks for what is left.
 */
export function failEnded(): never {
  return fail('not-found', undefined, { message: 'The deck or the upload session ended meanwhile.' });
}
