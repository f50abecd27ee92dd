import { z } from 'zod';
import { storeBlob } from '../../blobs/blobs';
import { example } from '../../contract/example';
import { contentType, sha256, size } from '../../contract/fields';
import { filePart, hasOneTarget, oneTarget, oneTargetMeta, targetFields } from '../../contract/upload-fields';
import { assertAssetSize, assertRoom, failEnded, findUploadTarget } from '../../decks/upload-target';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { readForm, type ReceivedFile } from '../../http/multipart';
import { largestCap } from '../../policy/plans';
import { requestLimits } from '../../policy/request-limits';
import { recordBlobs } from '../../records/new-blobs';

export const Input = z
  .object({
    ...targetFields,
    sha256: sha256.meta({ description: 'Hash that the bytes must have: 64 lowercase hex characters.' }),
    contentType: contentType.meta({ description: 'MIME type of the file.' }),
    file: z
      .custom<ReceivedFile>((file) => file !== undefined, 'The form must hold one file.')
      .meta({
        description: 'The bytes of the file. The part may have any name and needs a filename.',
        override: filePart,
      }),
  })
  .refine(hasOneTarget, oneTarget)
  .meta({
    ...oneTargetMeta,
    example: {
      sessionId: example.sessionId,
      sha256: example.hash,
      contentType: 'text/html; charset=utf-8',
      file: '@index.html',
    },
  });

export const Answer = z.object({
  sha256,
  size: size.meta({ description: 'Size of the file in bytes. 0 when the deck already has the file.' }),
});

export const uploadPresentationAsset = endpoint({
  name: 'uploadPresentationAsset',
  about:
    'Uploads one file of a deck as a form. The fields and the file may come in any order. The platform limits a ' +
    'request to 32 MB: send larger files with createAssetUploads. A file that the deck already has is not stored ' +
    'again.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  limit: requestLimits.formBytes,
  async read(request, limit, onEnd) {
    const limits = { files: 1, fileBytes: largestCap('assetBytes'), bodyBytes: limit };
    const { fields, files } = await readForm(request, limits, onEnd);
    return { ...fields, file: files[0] };
  },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'hash-mismatch', 'conflict', 'payload-too-large', 'rate-limited'],
  runtime: { class: 'transfer' },
  cost: { roundTrips: 5, reads: 10, writes: 3, bucketCalls: 1 },

  async handle({ input: { file, ...input }, ...call }) {
    // The service hashes the bytes before it stores them, so an object under a hash always has that hash.
    if (file.sha256 !== input.sha256) fail('hash-mismatch', { declared: input.sha256, actual: file.sha256 });
    const { sha256: hash, contentType: type } = input;
    const target = await findUploadTarget(input, [hash], call);
    assertAssetSize(target.plan, { sizeBytes: file.sizeBytes, contentType: type });
    if (target.sizes.has(hash)) return { sha256: hash, size: 0 };
    await assertRoom(target, [file], call.now);
    // The bytes are stored before the record, because the record guarantees that the bytes exist.
    const isNew = await storeBlob(target.deckId, { ...file, contentType: type });
    const blobs = new Map([[hash, { sizeBytes: file.sizeBytes, contentType: type, isNew }]]);
    if (!(await recordBlobs(target, blobs))) failEnded();
    return { sha256: hash, size: isNew ? file.sizeBytes : 0 };
  },
});
