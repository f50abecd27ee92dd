import { hasOneTarget, oneTarget, targetFields } from '../../contract/upload-fields';
import { z } from 'zod';
import { storeBlobs } from '../../blobs/blobs';
import { endpoint } from '../../http/endpoint';
import { sha256 } from '../../contract/fields';
import { readTypedForm, type TypedFile } from '../../http/multipart';
import { assertRoom, failEnded, findUploadTarget } from '../../decks/upload-target';
import { isContentType } from '../../values/content-types';
import { planCaps, type Plan } from '../../policy/plans';
import { recordBlobs } from '../../records/blobs';

/**
 * Takes many small files of a deck in one form: each part is named by the hash of its bytes, and its Content-Type is the file's. A file that is
 * wrong fails alone; a form that cannot be read, or is for no deck of the caller's, fails whole.
 */

const MB = 1024 * 1024;
const MAX_FILES = 200;
/** What is larger belongs to createAssetUploads. The platform itself takes less. */
const MAX_BYTES = 256 * MB;
/** Of a name that is no hash, that much is repeated. */
const MAX_NAME = 128;

export const Input = z
  .object({
    ...targetFields,
    files: z
      .array(z.custom<TypedFile>())
      .min(1, 'The form must hold at least one file: a part named by its hash, with a filename.'),
  })
  .refine(hasOneTarget, oneTarget);

const Result = z.object({
  /** The name of the part. */
  sha256: z.string(),
  /** In bytes; 0 for a file that was there before, or failed. */
  size: z.int().nonnegative(),
  status: z.enum(['stored', 'exists', 'failed']),
  code: z.enum(['hash-mismatch', 'payload-too-large', 'invalid-argument']).optional(),
});
type Failure = NonNullable<z.output<typeof Result>['code']>;

export const Answer = z.object({ results: z.array(Result) });

export const uploadPresentationAssets = endpoint({
  name: 'uploadPresentationAssets',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  limit: MAX_BYTES + MB,
  async read(request, _limit, onEnd) {
    const { fields, files } = await readTypedForm(request, { files: MAX_FILES, fileBytes: MAX_BYTES }, onEnd);
    return { ...fields, files };
  },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'payload-too-large'],
  runtime: { timeoutSeconds: 300, memory: '1GiB', concurrency: 8 },

  async handle({ input: { files, ...input }, ...call }) {
    const hashes = [...new Set(files.map(({ name }) => name).filter((name) => sha256.safeParse(name).success))];
    const target = await findUploadTarget(input, hashes, call);
    const failures = files.map((file) => whatIsWrong(file, target.plan));
    const good = files.filter((_, i) => failures[i] === undefined);
    const missing = new Map(good.filter(({ name }) => !target.sizes.has(name)).map((file) => [file.name, file]));

    await assertRoom(target, [...missing.values()]);

    // Bytes first: a record says that they are there.
    const created = await storeBlobs(target.deckId, [...missing.values()]);
    const blobs = new Map([...missing].map(([hash, file]) => [hash, { ...file, isNew: created.has(hash) }]));
    if (missing.size > 0 && !(await recordBlobs(target, blobs))) failEnded();
    return {
      results: files.map(({ name, sizeBytes }, i) => {
        const code = failures[i];
        if (code) return { sha256: name.slice(0, MAX_NAME), size: 0, status: 'failed' as const, code };
        // Of two parts with the same bytes the first is the one that is stored.
        return created.delete(name)
          ? { sha256: name, size: sizeBytes, status: 'stored' as const }
          : { sha256: name, size: 0, status: 'exists' as const };
      }),
    };
  },
});

function whatIsWrong(file: TypedFile, plan: Plan): Failure | undefined {
  if (!sha256.safeParse(file.name).success || !isContentType(file.contentType)) return 'invalid-argument';
  if (file.sizeBytes > planCaps[plan].assetBytes) return 'payload-too-large';
  return file.sha256 === file.name ? undefined : 'hash-mismatch';
}
