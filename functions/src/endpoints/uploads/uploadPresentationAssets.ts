import { z } from 'zod';
import { storeBlobs } from '../../blobs/blobs';
import { config } from '../../config';
import { example } from '../../contract/example';
import { sha256 } from '../../contract/fields';
import {
  filePart,
  hasOneTarget,
  oneTarget,
  oneTargetMeta,
  partsNamed,
  targetFields,
} from '../../contract/upload-fields';
import { assertRoom, failEnded, findUploadTarget } from '../../decks/upload-target';
import type { CutOff } from '../../http/body';
import { endpoint } from '../../http/endpoint';
import { readTypedForm, type TypedFile } from '../../http/multipart';
import { planCaps, type Plan } from '../../policy/plans';
import { requestLimits } from '../../policy/request-limits';
import { recordBlobs } from '../../records/new-blobs';
import { isContentType, isPage } from '../../values/content-types';
import { MB } from '../../values/units';

const MAX_FILES = requestLimits.uploadFiles;
/** The limit of a form. The platform refuses forms above 32 MB. The local service has that limit only on request. */
const MAX_BYTES = requestLimits.uploadBytes;
/** The answer cuts a part name that is not a hash to this length. */
const MAX_NAME_LENGTH = 128;

/** The files that arrived whole, and why the form ended before its end. */
interface Received {
  whole: TypedFile[];
  cutOff: CutOff | undefined;
}

export const Input = z
  .object({
    ...targetFields,
    files: z
      .custom<Received>(
        (received) => (received as Received).whole.length > 0,
        'The form must hold at least one file: a part named by its hash, with a filename.',
      )
      .meta({ override: filePart }),
  })
  .refine(hasOneTarget, oneTarget)
  .meta({
    ...oneTargetMeta,
    ...partsNamed('files', '^[0-9a-f]{64}$', {
      ...filePart,
      description:
        'The bytes of one file, 1 to 200 parts. The name of the part is the SHA-256 hash of the bytes. The ' +
        'Content-Type of the part is the MIME type of the file. The part needs a filename.',
    }),
    example: { sessionId: example.sessionId, [example.hash]: '@index.html;type=text/html' },
  });

const Result = z
  .object({
    sha256: z.string().meta({ description: 'Name of the part, cut to 128 characters.', example: example.hash }),
    size: z
      .int()
      .nonnegative()
      .meta({ description: 'Size of the stored file in bytes. 0 for the status exists or failed.', example: 1834 }),
    status: z
      .enum(['stored', 'exists', 'failed'])
      .meta({ description: 'stored: the file is new. exists: the deck already has the file. failed: see `code`.' }),
    code: z
      .enum(['hash-mismatch', 'payload-too-large', 'invalid-argument'])
      .meta({
        description:
          'Why the file failed. hash-mismatch: the bytes have another hash. payload-too-large: the file exceeds ' +
          'the limit of the plan or of the platform. invalid-argument: the name is not a hash, or the Content-Type is not a MIME type.',
      })
      .optional(),
  })
  .meta({ id: 'UploadResult', description: 'The outcome for one file.' });
type Failure = NonNullable<z.output<typeof Result>['code']>;

export const Answer = z.object({
  results: z.array(Result).meta({ description: 'The outcomes, in the order of the parts.' }),
});

export const uploadPresentationAssets = endpoint({
  name: 'uploadPresentationAssets',
  about:
    'Uploads up to 200 files of a deck in one form. When a file has a wrong hash, type or size, only this file ' +
    'fails and the answer is still 200. When the connection breaks, the files that had arrived whole are stored: ' +
    'precheckAssets tells which ones are missing. The platform limits a request to 32 MB.',
  command: 'deck push talk',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  limit: MAX_BYTES + MB,
  async read(request, limit, onEnd) {
    const limits = { files: MAX_FILES, fileBytes: MAX_BYTES, bodyBytes: limit };
    const { fields, files, cutOff } = await readTypedForm(request, limits, onEnd);
    return { ...fields, files: { whole: files, cutOff } satisfies Received };
  },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict', 'payload-too-large', 'rate-limited'],
  runtime: { class: 'transfer' },
  cost: { roundTrips: 5, reads: 10, writes: 3, bucketCalls: 1 },

  async handle({ input: { files: received, ...input }, ...call }) {
    const { whole: files, cutOff } = received;
    const hashes = [...new Set(files.map(({ name }) => name).filter((name) => sha256.safeParse(name).success))];
    const target = await findUploadTarget(input, hashes, call);
    const failures = files.map((file) => whatIsWrong(file, target.plan));
    const good = files.filter((_, i) => failures[i] === undefined);
    const missing = new Map(good.filter(({ name }) => !target.sizes.has(name)).map((file) => [file.name, file]));

    if (missing.size > 0) await assertRoom(target, [...missing.values()], call.now);

    // The bytes are stored before the records, because a record guarantees that the bytes exist.
    const created = await storeBlobs(target.deckId, [...missing.values()]);
    const blobs = new Map([...missing].map(([hash, file]) => [hash, { ...file, isNew: created.has(hash) }]));
    if (missing.size > 0 && !(await recordBlobs(target, blobs))) failEnded();
    if (cutOff) throw cutOff;
    return {
      results: files.map(({ name, sizeBytes }, i) => {
        const code = failures[i];
        if (code) return { sha256: name.slice(0, MAX_NAME_LENGTH), size: 0, status: 'failed' as const, code };
        // When several parts have the same bytes, only the first has the status stored.
        return created.delete(name)
          ? { sha256: name, size: sizeBytes, status: 'stored' as const }
          : { sha256: name, size: 0, status: 'exists' as const };
      }),
    };
  },
});

function whatIsWrong(file: TypedFile, plan: Plan): Failure | undefined {
  if (!sha256.safeParse(file.name).success || !isContentType(file.contentType)) return 'invalid-argument';
  const isTooLarge = file.sizeBytes > planCaps[plan].assetBytes;
  if (isTooLarge || (isPage(file.contentType) && file.sizeBytes > config.maxPageBytes())) return 'payload-too-large';
  return file.sha256 === file.name ? undefined : 'hash-mismatch';
}
