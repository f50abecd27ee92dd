import { eachOf } from '../each-of';
import { Failure, isFailure } from '../failure';
import { fileChanged } from '../file-failure';
import type { HashedFile } from '../folder/hash';
import { fileForm } from '../service/multipart';
import type { Service } from '../service/service';
import type { Target } from './target';
import { targetField } from './target';

const parallelUploads = 6;

/**
 * Uploads the files, a few at a time, each streamed from disk. A file that is not any more what was hashed ends it with
 * `file-changed`; what was sent until then stays and is not sent again.
 */
export async function uploadFiles(
  service: Service,
  target: Target,
  files: readonly HashedFile[],
  onBytes: (bytes: number) => void,
): Promise<void> {
  await eachOf(files, parallelUploads, (file, signal) => uploadFile(service, target, file, onBytes, signal));
}

async function uploadFile(
  service: Service,
  target: Target,
  file: HashedFile,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { absolutePath, relativePath, sizeBytes, sha256, contentType } = file;
  let sentBytes = 0;
  const count = (bytes: number) => {
    sentBytes += bytes;
    onBytes(bytes);
  };
  const form = fileForm(
    { ...targetField(target), sha256, contentType },
    { absolutePath, size: sizeBytes, onBytes: count },
  );
  try {
    await service.postFile('uploadPresentationAsset', form, () => count(-sentBytes), signal);
  } catch (error) {
    if (isFailure(error, 'hash-mismatch')) throw fileChanged(absolutePath);
    if (isFailure(error, 'payload-too-large')) throw error.with({ details: { ...error.details, path: file.path } });
    if (isFailure(error, 'invalid-argument')) throw error.with({ message: `${relativePath}: ${error.message}` });
    if (isFailure(error, 'not-found') && target.kind === 'session')
      throw new Failure('The upload session has ended: a new deck has an hour to be pushed.', {
        code: 'session-expired',
        nextAction: 'Run the same command again to start afresh.',
        requestId: error.requestId,
      });
    throw error;
  }
}
