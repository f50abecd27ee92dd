import { z } from 'zod';
import { placeQuarantined, type Placed } from '../../blobs/quarantine';
import { example } from '../../contract/example';
import { boundedArray, sha256 } from '../../contract/fields';
import { hasOneTarget, oneTarget, oneTargetMeta, targetFields } from '../../contract/upload-fields';
import { assertRoom, failEnded, findUploadTarget } from '../../decks/upload-target';
import { endpoint } from '../../http/endpoint';
import { planCaps } from '../../policy/plans';
import { requestLimits } from '../../policy/request-limits';
import { recordBlobs } from '../../records/new-blobs';

const MAX_HASHES = requestLimits.directUploads;

export const Input = z
  .object({
    ...targetFields,
    sha256s: boundedArray(sha256, {
      max: MAX_HASHES,
      tooMany: `At most ${MAX_HASHES} hashes in one call.`,
      min: 1,
      tooFew: 'At least one hash is needed.',
    }).meta({ description: 'Hashes of the files that were sent to addresses of createAssetUploads.' }),
  })
  .refine(hasOneTarget, oneTarget)
  .meta({ ...oneTargetMeta, example: { presentationId: example.deckId, sha256s: [example.filmHash] } });

const Failed = z
  .object({
    sha256,
    code: z.enum(['not-uploaded', 'hash-mismatch', 'size-mismatch', 'payload-too-large']).meta({
      description:
        'not-uploaded: no bytes arrived. hash-mismatch: the bytes have another hash. size-mismatch: the number of ' +
        'bytes differs from the `size` sent to createAssetUploads. payload-too-large: the file exceeds the limit ' +
        'of the plan.',
    }),
  })
  .meta({ id: 'FailedUpload', description: 'A file that the service did not accept.' });

export const Answer = z.object({
  verified: z.array(sha256).meta({ description: 'Hashes of the files that the deck has now.' }),
  failed: z.array(Failed).meta({
    description:
      'The files that the service did not accept. The service deleted their bytes. Request new addresses for them.',
    example: [],
  }),
});

export const completeAssetUploads = endpoint({
  name: 'completeAssetUploads',
  about:
    'Checks files that were sent to addresses of createAssetUploads. The service reads each file, compares its ' +
    'size and hash, and adds it to the deck. A second call with the same hashes returns the same answer.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict'],
  runtime: { class: 'work' },
  cost: { roundTrips: 2, reads: 7, writes: 0, bucketCalls: 2 },

  async handle({ input, ...call }) {
    const hashes = [...new Set(input.sha256s)];
    const target = await findUploadTarget(input, hashes, call);
    const open = hashes.filter((hash) => !target.sizes.has(hash));
    if (open.length === 0) return { verified: hashes, failed: [] };

    // The sizes were checked when the uploads were granted. Files that arrived since then count here.
    await assertRoom(target, [], call.now);
    const outcomes = await placeQuarantined(target.deckId, open, planCaps[target.plan].assetBytes, call.now);
    const placed = new Map<string, Placed>();
    const failed: z.output<typeof Answer>['failed'] = [];
    outcomes.forEach((outcome, i) => {
      if (typeof outcome === 'string') failed.push({ sha256: open[i]!, code: outcome });
      else placed.set(open[i]!, outcome);
    });
    if (placed.size > 0 && !(await recordBlobs(target, placed))) failEnded();
    return { verified: hashes.filter((hash) => target.sizes.has(hash) || placed.has(hash)), failed };
  },
});
