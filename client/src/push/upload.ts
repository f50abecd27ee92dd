import { Failure, isFailure } from '../failure';
import { fileChanged } from '../folder/file-changed';
import { inParallel } from '../parallel';
import { sumFiles, type PushedFile } from '../pushed-file';
import type { Contract } from '../service/contract';
import { filesForm } from '../service/multipart';
import type { DeckService } from '../service/service';
import type { Reporter } from '../reporter';
import type { FileSource } from './source';
import { targetField, type UploadTarget } from './upload-target';

const MB = 1024 * 1024;
/** The platform refuses a request above 32 MB. A file above this size is sent to the bucket instead. */
const MAX_FORM_FILE_BYTES = 24 * MB;
/** The limit of a form with several files. It is low because a broken connection sends the whole form again. */
const FORM_BYTES = 8 * MB;
const FORM_FILES = 200;
const PARALLEL_FORMS = 3;
const LARGE_FILES_PER_CALL = 500;
const PARALLEL_LARGE_FILES = 2;

export interface Upload<F extends PushedFile> {
  service: DeckService;
  target: UploadTarget;
  source: Pick<FileSource<F>, 'open'>;
  reporter: Reporter;
}

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
  const forms = inForms(files.filter((file) => !isLarge(file)));
  try {
    await inParallel(forms, PARALLEL_FORMS, (form, signal) => uploadForm(upload, form, signal));
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

/** Splits the files into forms of at most 200 files and 8 MB. A file above 8 MB gets a form for itself. */
export function inForms<F extends { sizeBytes: number }>(files: readonly F[]): F[][] {
  const forms: F[][] = [];
  let bytes = Infinity;
  for (const file of files) {
    const form = forms.at(-1);
    bytes += file.sizeBytes;
    if (form && form.length < FORM_FILES && bytes <= FORM_BYTES) form.push(file);
    else {
      forms.push([file]);
      bytes = file.sizeBytes;
    }
  }
  return forms;
}

/** Tells how many bytes of the file are sent. A smaller number than before takes back a failed attempt. */
function progressOf({ path }: PushedFile, { reporter }: Pick<Upload<never>, 'reporter'>): (sent: number) => void {
  let told = 0;
  return (sent) => {
    if (sent === told) return;
    reporter.onBytes?.(sent - told);
    reporter.onFile?.(path, sent);
    told = sent;
  };
}

async function uploadForm<F extends PushedFile>(
  upload: Upload<F>,
  files: readonly F[],
  signal: AbortSignal,
): Promise<void> {
  const { service, target, source } = upload;
  const parts = files.map((file) => ({
    name: file.sha256,
    contentType: file.contentType,
    size: file.sizeBytes,
    open: () => source.open(file, 0, file.sizeBytes),
    onSent: progressOf(file, upload),
  }));
  const form = filesForm(targetField(target), parts);
  const { results } = await service.postFiles('uploadPresentationAssets', form, signal);
  for (const { size, onSent } of parts) onSent(size);
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  for (const { sha256, status, code } of results) {
    const file = byHash.get(sha256);
    if (file && status === 'failed') throw refusal(file, code);
  }
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
      if (granted.status === 'exists') progressOf(file, upload)(file.sizeBytes);
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
  await service.putFile({ url, headers, size, open, onSent: progressOf(file, upload) }, signal);
  const { failed } = await service.post('completeAssetUploads', { ...targetField(target), sha256s: [sha256] });
  const [failure] = failed;
  if (failure) throw refusal(file, failure.code);
}

/** The failure for a file that the service refused. */
function refusal({ path }: PushedFile, code = 'internal'): Failure {
  if (code === 'hash-mismatch' || code === 'size-mismatch') return fileChanged(path);
  const details = { path };
  if (code === 'payload-too-large') {
    return new Failure(`${path} is larger than the plan allows.`, {
      code,
      nextAction: 'Make it smaller, exclude it with .deckignore, or change the plan.',
      details,
    });
  }
  return new Failure(`The service refused ${path} (${code}).`, {
    code,
    nextAction: 'Push again. That does not send uploaded files a second time.',
    details,
  });
}
