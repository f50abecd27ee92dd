import { z } from 'zod';
import { always, presentationId, sessionId, sha256 } from '../../contract/fields';
import { assertSession } from '../../decks/preconditions';
import { asMember } from '../../http/authorize';
import { endpoint } from '../../http/endpoint';
import { blobIndexRef, findMissing } from '../../records/blobs';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { openSession, uploadSessionRef } from '../../records/upload-sessions';

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
