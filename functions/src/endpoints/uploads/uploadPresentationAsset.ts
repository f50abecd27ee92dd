import { hasOneTarget, oneTarget, targetFields } from '../../contract/upload-fields';
import { z } from 'zod';
import { storeBlob } from '../../blobs/blobs';
import { endpoint } from '../../http/endpoint';
import { fail } from '../../errors';
import { contentType, sha256 } from '../../contract/fields';
import { readForm, type ReceivedFile } from '../../http/multipart';
import { assertAssetSize, assertRoom, failEnded, findUploadTarget } from '../../decks/upload-target';
import { largestCap } from '../../policy/plans';
import { recordBlobs } from '../../records/blobs';

/**
 * Takes one file of a deck. Its bytes are hashed before they go to the bucket, so what is stored under a hash has that hash; a
 * file that the deck has already is not stored again and answers `size` 0.
 */

const FORM_OVERHEAD_BYTES = 1024 * 1024;

export const Input = z
  .object({
    ...targetFields,
    sha256,
    contentType,
    file: z.custom<ReceivedFile>((file) => file !== undefined, 'The form must hold one file.'),
  })
  .refine(hasOneTarget, oneTarget);

export const Answer = z.object({ sha256, size: z.int().nonnegative() });

export const uploadPresentationAsset = endpoint({
  name: 'uploadPresentationAsset',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  limit: largestCap('assetBytes') + FORM_OVERHEAD_BYTES,
  async read(request, _limit, onEnd) {
    const { fields, files } = await readForm(request, { files: 1, fileBytes: largestCap('assetBytes') }, onEnd);
    return { ...fields, file: files[0] };
  },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'hash-mismatch', 'payload-too-large'],
  runtime: { timeoutSeconds: 300, memory: '1GiB', concurrency: 8 },

  async handle({ input: { file, ...input }, ...call }) {
    if (file.sha256 !== input.sha256) fail('hash-mismatch', { declared: input.sha256, actual: file.sha256 });
    const { sha256: hash, contentType: type } = input;
    const target = await findUploadTarget(input, [hash], call);
    assertAssetSize(target.plan, file.sizeBytes);
    if (target.sizes.has(hash)) return { sha256: hash, size: 0 };
    await assertRoom(target, [file]);
    // Bytes first: a record says that they are there.
    const isNew = await storeBlob(target.deckId, hash, type, file.open());
    const blobs = new Map([[hash, { sizeBytes: file.sizeBytes, contentType: type, isNew }]]);
    if (!(await recordBlobs(target, blobs))) failEnded();
    return { sha256: hash, size: isNew ? file.sizeBytes : 0 };
  },
});
