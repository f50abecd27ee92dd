import { z } from 'zod';
import { asMember } from '../../http/authenticate';
import { assertMayAct, assertSession } from '../../decks/deck-access';
import { endpoint } from '../../http/endpoint';
import { always, presentationId, sessionId, sha256 } from '../../contract/fields';
import { sizeInIndex } from '../../values/blob-index';
import { newId } from '../../values/ids';
import { blobIndexRef } from '../../records/blob-indexes';
import { findBlobSizes } from '../../records/blobs';
import { db, read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { newUploadSession, uploadSessionRef } from '../../records/upload-sessions';

/**
 * Says which files must be uploaded before a commit. Only what was uploaded to this very deck counts: it never tells whether somebody
 * else holds a file. Without a deck or session it opens a session, which reserves the id of a new deck for an hour.
 */

const MAX_HASHES = 2000;

export const Input = z
  .object({
    hashes: z.array(z.unknown()).max(MAX_HASHES, `At most ${MAX_HASHES} hashes in one call.`).pipe(z.array(sha256)),
    presentationId: presentationId.nullish(),
    sessionId: sessionId.nullish(),
  })
  .refine((input) => !(input.presentationId && input.sessionId), {
    ...always,
    path: ['sessionId'],
    error: 'Send presentationId or sessionId, not both.',
  });

export const Answer = z.object({
  missing: z.array(sha256),
  sessionId: z.uuidv7().optional(),
  presentationId: z.uuidv7().optional(),
});

export const precheckAssets = endpoint({
  name: 'precheckAssets',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],

  async handle({ input, caller, now }) {
    const hashes = [...new Set(input.hashes)];

    if (input.presentationId) {
      const [deck, index] = await read(db(), presentationRef(input.presentationId), blobIndexRef(input.presentationId));
      assertMayAct(caller, 'member', deck);
      const unknown = index ? hashes.filter((hash) => sizeInIndex(index.packed, hash) === undefined) : hashes;
      return { missing: await missingOf(input.presentationId, unknown) };
    }

    if (input.sessionId) {
      const [session] = await read(db(), uploadSessionRef(input.sessionId));
      return { missing: await missingOf(assertSession(caller, session, now).presentationId, hashes) };
    }

    const session = newUploadSession(asMember(caller), now);
    const sessionId = newId();
    await uploadSessionRef(sessionId).create(session);
    return { missing: hashes, sessionId, presentationId: session.presentationId };
  },
});

async function missingOf(deckId: string, hashes: string[]): Promise<string[]> {
  const sizes = await findBlobSizes(deckId, hashes);
  return hashes.filter((hash) => !sizes.has(hash));
}
