import { hasOneTarget, oneTarget, targetFields } from '../../contract/upload-fields';
import { z } from 'zod';
import { openQuarantine } from '../../blobs/quarantine';
import { endpoint } from '../../http/endpoint';
import { contentType, sha256, timestamp } from '../../contract/fields';
import { assertAssetSize, assertRoom, findUploadTarget } from '../../decks/upload-target';
import { fail } from '../../errors';
import { totalsOf, exceededGrant } from '../../policy/upload-caps';
import { countGrants } from '../../records/upload-counters';

/**
 * Grants addresses of the bucket to which large files are sent with `PUT`, whole or in pieces (resumable-upload sessions of Cloud Storage).
 * What is sent there counts only after completeAssetUploads has looked at it, and only while the grant lasts.
 */

const MAX_ASSETS = 500;

const asset = z.object({ sha256, size: z.int().nonnegative(), contentType });

export const Input = z
  .object({
    ...targetFields,
    assets: z
      .array(z.unknown())
      .min(1, 'At least one file is needed.')
      .max(MAX_ASSETS, `At most ${MAX_ASSETS} files in one call.`)
      .pipe(z.array(asset)),
  })
  .refine(hasOneTarget, oneTarget);

const Existing = z.object({ sha256, status: z.literal('exists') });
const Granted = z.object({
  sha256,
  status: z.literal('upload'),
  method: z.literal('PUT'),
  url: z.url(),
  /** To be sent with each PUT. */
  headers: z.record(z.string(), z.string()),
  expiresAt: timestamp,
});

export const Answer = z.object({ uploads: z.array(z.discriminatedUnion('status', [Existing, Granted])) });

export const createAssetUploads = endpoint({
  name: 'createAssetUploads',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'payload-too-large', 'rate-limited'],
  runtime: { timeoutSeconds: 120 },

  async handle({ input, ...call }) {
    const assets = [...new Map(input.assets.map((each) => [each.sha256, each])).values()];
    const hashes = assets.map((each) => each.sha256);
    const target = await findUploadTarget(input, hashes, call);
    const { deckId, plan, sizes, expiresAt } = target;
    for (const { size } of assets) assertAssetSize(plan, size);

    const missing = assets.flatMap(({ size, ...rest }) => (sizes.has(rest.sha256) ? [] : { ...rest, sizeBytes: size }));
    await assertRoom(target, missing);
    const wanted = totalsOf(missing);
    const exceeded = exceededGrant(wanted, plan);
    if (exceeded) fail('payload-too-large', { ...exceeded }, { nextAction: 'Ask for fewer files in one call.' });
    // Counted before they are opened: of a grant that nobody got it is forgotten when it would have ended.
    if (wanted.files > 0) await countGrants(deckId, plan, { ...wanted, until: expiresAt }, call.now);
    const urls = await openQuarantine(deckId, missing, expiresAt);
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
