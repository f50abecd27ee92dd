import { z } from 'zod';
import { storeBlob } from '../../blobs/blobs';
import { assertMayAct, assertSession } from '../../http/deck-access';
import type { Caller } from '../../http/authenticate';
import { endpoint } from '../../http/endpoint';
import { fail } from '../../policy/errors';
import { always, contentType, presentationId, sessionId, sha256 } from '../../http/fields';
import { readForm, type ReceivedFile } from '../../http/multipart';
import { largestCap, planCaps } from '../../policy/plans';
import { blobRef, createBlob } from '../../records/blobs';
import { db, read } from '../../records/database';
import {
  callersOrganizationRef,
  organizationOf,
  organizationRef,
  type Organization,
} from '../../records/organizations';
import { presentationRef } from '../../records/presentations';
import { uploadSessionRef } from '../../records/upload-sessions';

/**
 * Takes one file of a deck. Its bytes are hashed before they go to the bucket, so what is stored under a hash has that hash; a
 * file that the deck has already is not stored again and answers `size` 0.
 */

const FORM_OVERHEAD_BYTES = 1024 * 1024;

export const Input = z
  .object({
    presentationId: presentationId.optional(),
    sessionId: sessionId.optional(),
    sha256,
    contentType,
    file: z.custom<ReceivedFile>((file) => file !== undefined, 'The form must hold one file.'),
  })
  .refine((input) => Boolean(input.presentationId) !== Boolean(input.sessionId), {
    ...always,
    path: ['presentationId'],
    error: 'Send either presentationId or sessionId.',
  });

export const Answer = z.object({ sha256, size: z.int().nonnegative() });

export const uploadPresentationAsset = endpoint({
  name: 'uploadPresentationAsset',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  limit: largestCap('assetBytes') + FORM_OVERHEAD_BYTES,
  read: (request, _limit, onEnd) => readForm(request, largestCap('assetBytes'), onEnd),
  input: Input,
  answer: Answer,
  errors: ['not-found', 'hash-mismatch', 'payload-too-large'],
  runtime: { timeoutSeconds: 300, memory: '1GiB', concurrency: 8 },

  async handle({ input: { file, ...input }, caller, now }) {
    if (file.sha256 !== input.sha256) fail('hash-mismatch', { declared: input.sha256, actual: file.sha256 });
    const { deckId, organization, exists } = await findTarget(input, caller, now);
    const limit = planCaps[organization.plan].assetBytes;
    if (file.sizeBytes > limit) {
      fail('payload-too-large', { limit, actual: file.sizeBytes, plan: organization.plan });
    }
    if (exists) return { sha256: input.sha256, size: 0 };
    // Bytes first: a record says that they are there.
    await storeBlob(deckId, input.sha256, input.contentType, file.open());
    const blob = { sizeBytes: file.sizeBytes, contentType: input.contentType, createdAt: now };
    const isNew = await createBlob(deckId, input.sha256, blob);
    return { sha256: input.sha256, size: isNew ? file.sizeBytes : 0 };
  },
});

interface Target {
  deckId: string;
  organization: Organization;
  exists: boolean;
}

/** The deck that the file is for, whose plan counts, and whether the deck has the file. */
async function findTarget(
  input: { presentationId?: string | undefined; sessionId?: string | undefined; sha256: string },
  caller: Caller,
  now: Date,
): Promise<Target> {
  if (input.presentationId) {
    const refs = [presentationRef(input.presentationId), blobRef(input.presentationId, input.sha256)] as const;
    const [found, blob, own] = await read(db(), ...refs, callersOrganizationRef(caller));
    const deck = assertMayAct(caller, 'member', found);
    return { deckId: input.presentationId, organization: await organizationOf(deck, own), exists: blob !== undefined };
  }
  const [session] = await read(db(), uploadSessionRef(input.sessionId!));
  const { presentationId: deckId, organizationId } = assertSession(caller, session, now);
  const [organization, blob] = await read(db(), organizationRef(organizationId), blobRef(deckId, input.sha256));
  return { deckId, organization: organization!, exists: blob !== undefined };
}
