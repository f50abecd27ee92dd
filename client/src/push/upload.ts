import { Failure, isFailure } from '../failure';
import { inParallel } from '../parallel';
import { sumFiles, type PushedFile } from '../pushed-file';
import type { Contract } from '../service/contract';
import { progressOf, refusal, type Upload } from './file-upload';
import { uploadInForms } from './upload-forms';
import { targetField } from './upload-target';

/** The platform refuses a request above 32 MB. A file above this size is sent to the bucket instead. */
const MAX_FORM_FILE_BYTES = 24 * 1024 * 1024;
const LARGE_FILES_PER_CALL = 500;
const PARALLEL_LARGE_FILES = 2;

/**
 * Uploads the files, as streams: small files in forms, large files to the bucket. Throws `file-changed` when a
 * file differs from its hash. The service keeps the files that it received before a failure.
 */
export async function uploadFiles<F extends PushedFile>(upload: Upload<F>, files: readonly F[]): Promise<void> {
  if (files.length === 0) return;
  const { reporter, target } = upload;
  const amount = sumFiles(files);
  reporter.onStart?.('upload', amount);
  const isLarge = ({ sizeBytes }: F) => sizeBytes > MAX_FORM_FILE_BYTES;
  try {
    await uploadInForms(
      upload,
      files.filter((file) => !isLarge(file)),
    );
    await uploadLargeFiles(upload, files.filter(isLarge));
  } catch (error) {
    if (!isFailure(error, 'not-found') || target.kind !== 'session') throw error;
    throw new Failure('The upload session has expired: a new deck has to be pushed within an hour.', {
      code: 'session-expired',
      nextAction: 'Push again to start a new session.',
      requestId: error.requestId,
    });
  }
  reporter.onEnd?.('upload', amount);
}

/** Sends files to the bucket. The service verifies and records each when its upload is complete. */
async function uploadLargeFiles<F extends PushedFile>(upload: Upload<F>, files: readonly F[]): Promise<void> {
  const { service, target } = upload;
  for (let start = 0; start < files.length; start += LARGE_FILES_PER_CALL) {
    const chunk = files.slice(start, start + LARGE_FILES_PER_CALL);
    const byHash = new Map(chunk.map((file) => [file.sha256, file]));
    const assets = [...byHash.values()].map(({ sha256, sizeBytes, contentType }) => ({
      sha256,
      size: sizeBytes,
      contentType,
    }));
    const { uploads } = await service.post('createAssetUploads', { ...targetField(target), assets });
    await inParallel(uploads, PARALLEL_LARGE_FILES, async (granted, signal) => {
      const file = byHash.get(granted.sha256);
      if (!file) return;
      if (granted.status === 'exists') progressOf(file, upload).stored();
      else await uploadLargeFile(upload, file, granted, signal);
    });
  }
}

/** A signed address of the bucket for one file. */
type Grant = Extract<Contract['createAssetUploads']['answer']['uploads'][number], { status: 'upload' }>;

async function uploadLargeFile<F extends PushedFile>(
  upload: Upload<F>,
  file: F,
  { url, headers }: Grant,
  signal: AbortSignal,
): Promise<void> {
  const { service, target, source } = upload;
  const { sizeBytes: size, sha256 } = file;
  const open = (from: number, to: number) => source.open(file, from, to);
  const { sent, stored } = progressOf(file, upload);
  await service.putFile({ url, headers, size, open, onSent: sent }, signal);
  const { failed } = await service.post('completeAssetUploads', { ...targetField(target), sha256s: [sha256] });
  const [failure] = failed;
  if (failure) throw refusal(file, failure.code);
  stored();
}
