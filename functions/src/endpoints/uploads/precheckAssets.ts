import { z } from 'zod';
import { example } from '../../contract/example';
import { always, boundedArray, deckId, notBothOf, presentationId, sessionId, sha256 } from '../../contract/fields';
import { assertSession } from '../../decks/preconditions';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { requestLimits } from '../../policy/request-limits';
import { blobIndexRef, findMissing } from '../../records/blobs';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { openSession } from '../../records/new-session';
import { uploadSessionRef } from '../../records/upload-sessions';
import { MB } from '../../values/units';

const MAX_HASHES = requestLimits.precheckHashes;

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
    'Returns the hashes of the files that must be uploaded to this deck before a commit. Without presentationId ' +
    'and sessionId the call opens an upload session for a new deck. An organization may open twice as many sessions ' +
    'an hour as new decks. A session expires after 1 hour, and only the user who opened the session may use it.',
  command: 'deck push talk --dry-run',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  limit: MB,
  input: Input,
  answer: Answer,
  errors: ['not-found', 'rate-limited'],
  runtime: { class: 'transfer' },
  cost: { roundTrips: 3, reads: 4, writes: 3 },

  async handle({ input: { presentationId: id, sessionId, ...input }, caller, authorize, now }) {
    const hashes = [...new Set(input.hashes)];
    if (id) {
      const [deck, index] = await read(presentationRef(id), blobIndexRef(id));
      authorize(deck);
      return { missing: await findMissing(id, hashes, index?.packed) };
    }
    if (sessionId) {
      const [found] = await read(uploadSessionRef(sessionId));
      const session = assertSession(caller, found, now);
      return { missing: await findMissing(session.presentationId, hashes, undefined) };
    }
    return { missing: hashes, ...(await openSession(asMember(caller), now)) };
  },
});
