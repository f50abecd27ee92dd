import { hasOneTarget, oneTarget, targetFields } from '../../contract/upload-fields';
import { z } from 'zod';
import { placeQuarantined, type Placed } from '../../blobs/quarantine';
import { endpoint } from '../../http/endpoint';
import { sha256 } from '../../contract/fields';
import { failEnded, findUploadTarget } from '../../decks/upload-target';
import { planCaps } from '../../policy/plans';
import { recordBlobs } from '../../records/blobs';

/**
 * Looks at files that were sent to addresses of createAssetUploads: reads each whole, and makes it one of the deck's when its size, its hash and
 * the plan's cap are right. A wrong one is deleted and needs a new address. Asking again answers the same.
 */

const MAX_HASHES = 500;

export const Input = z
  .object({
    ...targetFields,
    sha256s: z
      .array(z.unknown())
      .min(1, 'At least one hash is needed.')
      .max(MAX_HASHES, `At most ${MAX_HASHES} hashes in one call.`)
      .pipe(z.array(sha256)),
  })
  .refine(hasOneTarget, oneTarget);

export const Answer = z.object({
  verified: z.array(sha256),
  failed: z.array(
    z.object({ sha256, code: z.enum(['not-uploaded', 'hash-mismatch', 'size-mismatch', 'payload-too-large']) }),
  ),
});

export const completeAssetUploads = endpoint({
  name: 'completeAssetUploads',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { timeoutSeconds: 540, concurrency: 8 },

  async handle({ input, ...call }) {
    const hashes = [...new Set(input.sha256s)];
    const target = await findUploadTarget(input, hashes, call);
    const open = hashes.filter((hash) => !target.sizes.has(hash));
    if (open.length === 0) return { verified: hashes, failed: [] };

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
