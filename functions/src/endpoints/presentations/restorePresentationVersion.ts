import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import {
  deckId,
  fileCount,
  presentationId,
  shareUrlIsPersonal,
  shareUrlOrNull,
  totalBytes,
  version,
} from '../../contract/fields';
import { assertBase } from '../../decks/preconditions';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { read, readIn } from '../../records/database';
import { listFiles } from '../../records/manifests';
import { assertWithinPlan, organizationRef } from '../../records/organizations';
import { presentationRef } from '../../records/presentations';
import { linkFields } from '../../records/share-tokens';
import { copySlidePictures, slidePicturesRef } from '../../records/slide-pictures';
import { appendVersion, versionRef } from '../../records/versions';

export const Input = z.object({
  presentationId,
  version: z.int().positive().meta({ description: 'Number of the version to restore.', example: 2 }),
  expectedBaseVersion: z.int().positive().nullish().meta({
    description: 'Version that the caller believes to be current. When it is not, the call answers 409 `conflict`.',
    example: 5,
  }),
});

export const Answer = z.object({
  presentationId: deckId,
  version: version.meta({ description: 'Number of the new version.', example: 6 }),
  restoredFrom: version.meta({ description: 'Number of the restored version.', example: 2 }),
  shareUrl: shareUrlOrNull(
    'Address that opens the latest version in a browser. Null when the deck has no active link to the latest version.',
  ),
  shareUrlIsPersonal,
  fileCount,
  totalBytes,
});

export const restorePresentationVersion = endpoint({
  name: 'restorePresentationVersion',
  about:
    "Commits the files of an old version again, as the next version. The call deletes no version. The plan's " +
    'limits apply as for a commit.',
  command: `deck restore 2 --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'conflict', 'too-many-files', 'payload-too-large'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 5, reads: 7, writes: 6 },

  async handle({ input, caller, authorize, now, idempotency }) {
    const id = input.presentationId;
    const [found, old] = await read(presentationRef(id), versionRef(id, input.version));
    const { organizationId } = authorize(found);
    if (!old) return fail('not-found', undefined, { message: `The deck has no version ${input.version}.` });
    const files = await listFiles(id, old);
    const answer = await idempotency.run(
      async (tx) => {
        const [present, organization, pictures] = await readIn(
          tx,
          presentationRef(id),
          organizationRef(organizationId),
          slidePicturesRef(id, old.version),
        );
        const deck = authorize(present);
        assertWithinPlan(files, organization);
        assertBase(input, deck);
        const { title, entryPath, isolation, fileCount, totalBytes } = old;
        const stamp = { createdBy: caller.userId ?? caller.keyId, createdAt: now };
        const restored = {
          title,
          entryPath,
          isolation,
          message: null,
          restoredFrom: old.version,
          manifest: old,
          picture: old.picture,
          ...stamp,
        };
        const version = appendVersion(tx, deck, restored, files);
        if (pictures) copySlidePictures(tx, id, version, pictures);
        const link = linkFields(id, deck.latestTokens, now);
        return { presentationId: id, version, restoredFrom: old.version, ...link, fileCount, totalBytes };
      },
      ({ shareUrl: _secret, shareUrlIsPersonal: _mark, ...stored }) => stored,
    );
    if (!idempotency.isReplay) return answer;
    // The link may have been revoked since the first call.
    const [present] = await read(presentationRef(id));
    return { ...answer, ...linkFields(id, authorize(present).latestTokens, now) };
  },
});
