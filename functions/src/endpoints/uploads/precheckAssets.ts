import { z } from 'zod';
import { asMember } from '../../http/authenticate';
import { assertMayAct, assertSession } from '../../decks/deck-access';
import { endpoint } from '../../http/endpoint';
import { example } from '../../contract/example';
import { always, boundedArray, deckId, notBothOf, presentationId, sessionId, sha256 } from '../../contract/fields';
import { sizeInIndex } from '../../values/blob-index';
import { newId } from '../../values/ids';
import { blobIndexRef } from '../../records/blob-indexes';
import { findBlobSizes } from '../../records/blobs';
import { db, read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { newUploadSession, uploadSessionRef } from '../../records/upload-sessions';

const MAX_HASHES = 2000;

export const Input = z
  .object({
    hashes: boundedArray(sha256, { max: MAX_HASHES, tooMany: `At most ${MAX_HASHES} hashes in one call.` }).meta({
      description: 'SHA-256 hashes of the files of the next version.',
    }),
    presentationId: presentationId
      .nullish()
      .meta({ description: 'Id of an existing deck. Leave it out for a new deck.', example: example.deckId }),
    sessionId: sessionId.nullish().meta({
      description: 'Id of an upload session from an earlier call. Not together with `presentationId`.',
      example: example.sessionId,
    }),
  })
  .refine((input) => !(input.presentationId && input.sessionId), {
    ...always,
    path: ['sessionId'],
    error: 'Send presentationId or sessionId, not both.',
  })
  .meta(notBothOf('presentationId', 'sessionId'));

export const Answer = z.object({
  missing: z.array(sha256).meta({ description: 'The hashes whose files must be uploaded to this deck, each once.' }),
  sessionId: z
    .uuidv7()
    .meta({
      description: 'Id of the new upload session. Only when the call had neither `presentationId` nor `sessionId`.',
      example: example.sessionId,
    })
    .optional(),
  presentationId: deckId
    .meta({
      description: 'Id that the new deck will get. Only when the call had neither `presentationId` nor `sessionId`.',
    })
    .optional(),
});

export const precheckAssets = endpoint({
  name: 'precheckAssets',
  about:
    'Tells which files must be uploaded before a commit. Only files that were uploaded to this deck count. ' +
    'Without presentationId and sessionId the call opens an upload session for a new deck. A session expires ' +
    'after 1 hour, and only the user who opened it may use it.',
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
