import { z } from 'zod';
import { serviceSecret } from '../../config';
import { assertBase } from '../../decks/preconditions';
import { endpoint } from '../../http/endpoint';
import { presentationId } from '../../contract/fields';
import { fail } from '../../errors';
import { read, readIn } from '../../records/database';
import { transact } from '../../records/transact';
import { listFiles } from '../../records/manifests';
import { assertWithinPlan, organizationRef } from '../../records/organizations';
import { presentationRef } from '../../records/presentations';
import { shareUrlOf } from '../../records/share-tokens';
import { appendVersion, versionRef } from '../../records/versions';

/** Makes an old version the current one again, as a new version of its own: nothing that was in between is lost. No file moves, and the plan's caps count as for a commit. */

export const Input = z.object({
  presentationId,
  version: z.int().positive(),
  expectedBaseVersion: z.int().positive().nullish(),
});

export const Answer = z.object({
  presentationId: z.uuidv7(),
  version: z.int().positive(),
  restoredFrom: z.int().positive(),
  shareUrl: z.url().nullable(),
  fileCount: z.int(),
  totalBytes: z.int(),
});

export const restorePresentationVersion = endpoint({
  name: 'restorePresentationVersion',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict', 'too-many-files', 'payload-too-large'],
  runtime: { secrets: [serviceSecret] },

  async handle({ input, caller, authorize, now }) {
    const id = input.presentationId;
    const [found, old] = await read(presentationRef(id), versionRef(id, input.version));
    const { organizationId } = authorize(found);
    if (!old) return fail('not-found', undefined, { message: `The deck has no version ${input.version}.` });
    const files = await listFiles(id, old);
    return transact(async (tx) => {
      const [present, organization] = await readIn(tx, presentationRef(id), organizationRef(organizationId));
      const deck = authorize(present);
      assertWithinPlan(files, organization);
      assertBase(input, deck);
      const { title, entryPath, fileCount, totalBytes } = old;
      const stamp = { createdBy: caller.userId ?? caller.keyId, createdAt: now };
      const restored = { title, entryPath, message: null, restoredFrom: old.version, manifest: old, ...stamp };
      const version = appendVersion(tx, deck, restored, files);
      return {
        presentationId: id,
        version,
        restoredFrom: old.version,
        shareUrl: shareUrlOf(id, deck.latestToken),
        fileCount,
        totalBytes,
      };
    });
  },
});
