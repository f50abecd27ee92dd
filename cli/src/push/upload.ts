import { Failure, isFailure } from '../failure';
import type { HashedFile } from '../folder/hash';
import { inParallel } from '../parallel';
import { filesForm } from '../service/multipart';
import type { Service } from '../service/service';
import { uploadLargeFiles } from './large-files';
import { refusal } from './refusal';
import type { Target } from './target';
import { targetField } from './target';

const MB = 1024 * 1024;
/** A form above the 32 MB that the platform takes would be refused: a larger file goes to the bucket. */
const largestInFormBytes = 24 * MB;
/** A form with several files is smaller than it might be: when it breaks off, it is sent again whole. */
const formBytes = 8 * MB;
const formFiles = 200;
const parallelForms = 3;

/**
 * Uploads the files, each streamed from disk: small ones many at a time, large ones straight to the bucket. A file that is not any more
 * what was hashed ends it with `file-changed`; what was sent until then stays and is not sent again.
 */
export async function uploadFiles(
  service: Service,
  target: Target,
  files: readonly HashedFile[],
  onBytes: (bytes: number) => void,
): Promise<void> {
  const isLarge = ({ sizeBytes }: HashedFile) => sizeBytes > largestInFormBytes;
  const forms = inForms(files.filter((file) => !isLarge(file)));
  try {
    await inParallel(forms, parallelForms, (form, signal) => uploadForm(service, target, form, onBytes, signal));
    await uploadLargeFiles(service, target, files.filter(isLarge), onBytes);
  } catch (error) {
    if (!isFailure(error, 'not-found') || target.kind !== 'session') throw error;
    throw new Failure('The upload session has ended: a new deck has an hour to be pushed.', {
      code: 'session-expired',
      nextAction: 'Run the same command again to start afresh.',
      requestId: error.requestId,
    });
  }
}

/** Splits the files into forms of at most 200 files and, where there is more than one, 8 MB. */
export function inForms<F extends { sizeBytes: number }>(files: readonly F[]): F[][] {
  const forms: F[][] = [];
  let bytes = Infinity;
  for (const file of files) {
    const form = forms.at(-1);
    bytes += file.sizeBytes;
    if (form && form.length < formFiles && bytes <= formBytes) form.push(file);
    else {
      forms.push([file]);
      bytes = file.sizeBytes;
    }
  }
  return forms;
}

async function uploadForm(
  service: Service,
  target: Target,
  files: readonly HashedFile[],
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let sentBytes = 0;
  const count = (bytes: number) => {
    sentBytes += bytes;
    onBytes(bytes);
  };
  const parts = files.map(({ sha256, contentType, absolutePath, sizeBytes }) => ({
    name: sha256,
    contentType,
    absolutePath,
    size: sizeBytes,
  }));
  const form = filesForm(targetField(target), parts, count);
  const { results } = await service.postFiles('uploadPresentationAssets', form, () => count(-sentBytes), signal);
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  for (const { sha256, status, code } of results) {
    const file = byHash.get(sha256);
    if (file && status === 'failed') throw refusal(file, code);
  }
}
