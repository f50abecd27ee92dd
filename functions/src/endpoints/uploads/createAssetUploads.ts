import { z } from 'zod';
import { openQuarantine } from '../../blobs/quarantine';
import { example } from '../../contract/example';
import { boundedArray, contentType, sha256, size, time } from '../../contract/fields';
import { hasOneTarget, oneTarget, oneTargetMeta, targetFields } from '../../contract/upload-fields';
import { assertAssetSize, assertRoom, findUploadTarget, grantUploads } from '../../decks/upload-target';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { requestLimits } from '../../policy/request-limits';
import { totalsOf, exceededGrant } from '../../policy/upload-caps';
import { MB } from '../../values/units';

const MAX_ASSETS = requestLimits.directUploads;

const asset = z
  .object({
    sha256,
    size,
    contentType: contentType.meta({ description: 'MIME type of the file.' }),
  })
  .meta({ id: 'Asset', description: 'A file to upload.' });

export const Input = z
  .object({
    ...targetFields,
    assets: boundedArray(asset, {
      max: MAX_ASSETS,
      tooMany: `At most ${MAX_ASSETS} files in one call.`,
      min: 1,
      tooFew: 'At least one file is needed.',
    }).meta({ description: 'The files to upload.' }),
  })
  .refine(hasOneTarget, oneTarget)
  .meta({
    ...oneTargetMeta,
    example: {
      presentationId: example.deckId,
      assets: [{ sha256: example.filmHash, size: 73400320, contentType: 'video/mp4' }],
    },
  });

const Existing = z
  .object({
    sha256,
    status: z.literal('exists').meta({ description: 'exists: the deck already has the file.' }),
  })
  .meta({ id: 'ExistingUpload', description: 'A file that the deck already has.' });
const Granted = z
  .object({
    sha256,
    status: z.literal('upload').meta({ description: 'upload: send the bytes to `url`.' }),
    method: z.literal('PUT').meta({ description: 'HTTP method of the upload. Only with the status upload.' }),
    url: z.url().meta({
      description:
        'Address for the bytes: a resumable-upload session of Cloud Storage. Send the file whole or in chunks. ' +
        'Only with the status upload.',
      example: 'https://storage.googleapis.com/upload/storage/v1/b/decks/o?uploadType=resumable&upload_id=AHmUCY2',
    }),
    headers: z.record(z.string(), z.string().meta({ description: 'Value of the header.', example: 'video/mp4' })).meta({
      description: 'Headers to send with each PUT. Only with the status upload.',
      example: { 'Content-Type': 'video/mp4' },
    }),
    expiresAt: time(
      'When the address expires: within 1 hour, and not after the upload session. Only with the status upload.',
    ),
  })
  .meta({ id: 'GrantedUpload', description: 'A file to send to the bucket.' });

export const Answer = z.object({
  uploads: z
    .array(
      z
        .discriminatedUnion('status', [Existing, Granted])
        .meta({ id: 'Upload', description: 'The next step for one file.' }),
    )
    .meta({ description: 'One entry for each different hash, in the order of the request.' }),
});

export const createAssetUploads = endpoint({
  name: 'createAssetUploads',
  about:
    'Returns addresses of the bucket to which a client sends large files with PUT. The files belong to the deck ' +
    'only after a call of completeAssetUploads.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  limit: MB,
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict', 'payload-too-large', 'rate-limited'],
  runtime: { class: 'work' },
  cost: { roundTrips: 4, reads: 11, writes: 3, bucketCalls: 1 },

  async handle({ input, ...call }) {
    const assets = [...new Map(input.assets.map((each) => [each.sha256, each])).values()];
    const hashes = assets.map((each) => each.sha256);
    const target = await findUploadTarget(input, hashes, call);
    const { deckId, plan, sizes, expiresAt } = target;
    for (const { size, contentType: type } of assets) assertAssetSize(plan, { sizeBytes: size, contentType: type });

    const missing = assets.flatMap(({ size, ...rest }) => (sizes.has(rest.sha256) ? [] : { ...rest, sizeBytes: size }));
    if (missing.length > 0) await assertRoom(target, missing, call.now);
    const wanted = totalsOf(missing);
    const exceeded = exceededGrant(wanted, plan);
    if (exceeded) fail('payload-too-large', { ...exceeded }, { nextAction: 'Ask for fewer files in one call.' });
    // The grants are counted before the upload addresses are created. When the creation fails, the counts expire at the
    // time at which the grants would expire.
    if (wanted.files > 0) await grantUploads(target, { ...wanted, until: expiresAt }, call.now);
    const urls = await openQuarantine(deckId, missing, { expiresAt, origin: call.header('origin') });
    const granted = new Map(
      missing.map((each, i) => [
        each.sha256,
        {
          sha256: each.sha256,
          status: 'upload' as const,
          method: 'PUT' as const,
          url: urls[i]!,
          headers: { 'Content-Type': each.contentType },
          expiresAt: expiresAt.toISOString(),
        },
      ]),
    );
    return { uploads: hashes.map((hash) => granted.get(hash) ?? { sha256: hash, status: 'exists' as const }) };
  },
});
