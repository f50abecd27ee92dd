import { isFailure, type Failure } from '../failure';
import { inParallel } from '../parallel';
import type { PushedFile } from '../pushed-file';
import { filesForm } from '../service/multipart';
import { MAX_ATTEMPTS } from '../service/retries';
import { progressOf, refusal, type Progress, type Upload } from './file-upload';
import { findMissing, targetField } from './upload-target';

const MB = 1024 * 1024;
const FORM_FILES = 200;
const PARALLEL_FORMS = 3;

/** Uploads the files in forms, three at a time. */
export async function uploadInForms<F extends PushedFile>(upload: Upload<F>, files: readonly F[]): Promise<void> {
  const pace = new Pace();
  await inParallel(inForms(files, pace), PARALLEL_FORMS, (form, signal) => uploadForm(upload, form, pace, signal));
}

/** How many bytes a form has: what the line sends in a few seconds, because a broken connection loses a part of it. */
export class Pace {
  /** Between 64 KB and 8 MB. */
  formBytes = MB;

  /** A form of the present size arrived in so many milliseconds. */
  arrived(milliseconds: number): void {
    if (milliseconds < 2_000) this.formBytes = Math.min(8 * MB, 2 * this.formBytes);
    else if (milliseconds > 8_000) this.broke();
  }

  /** A form did not arrive. */
  broke(): void {
    this.formBytes = Math.max(MB / 16, this.formBytes / 2);
  }
}

/**
 * Splits the files into forms of at most 200 files and of the bytes that the pace allows when the form is asked for. A
 * larger file gets a form for itself.
 */
export function* inForms<F extends { sizeBytes: number }>(
  files: readonly F[],
  pace: Readonly<Pick<Pace, 'formBytes'>>,
): Generator<F[]> {
  let form: F[] = [];
  let bytes = 0;
  for (const file of files) {
    if (form.length === FORM_FILES || (form.length > 0 && bytes + file.sizeBytes > pace.formBytes)) {
      yield form;
      [form, bytes] = [[], 0];
    }
    form.push(file);
    bytes += file.sizeBytes;
  }
  if (form.length > 0) yield form;
}

/**
 * Sends the files in one form. When the connection breaks, the service keeps the files that had arrived whole: only the
 * others are sent again, in smaller forms. Throws after 8 attempts in a row in which no file arrived.
 */
async function uploadForm<F extends PushedFile>(
  upload: Upload<F>,
  files: readonly F[],
  pace: Pace,
  signal: AbortSignal,
): Promise<void> {
  const { service, target } = upload;
  let left = files;
  for (let attempt = 1; left.length > 0;) {
    const [form = []] = inForms(left, pace);
    const progress = new Map(form.map((file) => [file.sha256, progressOf(file, upload)]));
    try {
      const begunAt = performance.now();
      await sendForm(upload, form, progress, signal);
      pace.arrived(performance.now() - begunAt);
      left = left.slice(form.length);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isCutOff(error)) throw error;
      pace.broke();
      for (const { sent } of progress.values()) sent(0);
      await service.pauseAfter(error, attempt, signal);
      const missing = await findMissing(service, target, [...progress.keys()], signal);
      for (const [sha256, { stored }] of progress) if (!missing.has(sha256)) stored();
      attempt = missing.size < progress.size ? 1 : attempt + 1;
      left = left.filter(({ sha256 }) => !progress.has(sha256) || missing.has(sha256));
    }
  }
}

/**
 * Whether a form did not arrive whole: the connection broke, or the service stopped waiting for a slow line. A
 * connection without traffic for 2 minutes ends the push.
 */
function isCutOff(error: unknown): error is Failure {
  if (!isFailure(error, 'unreachable', 'invalid-argument')) return false;
  const { reason, errors = [] } = (error.details ?? {}) as Partial<CutOffDetails>;
  return error.code === 'unreachable' ? reason !== 'ETIMEDOUT' : errors.some(({ location }) => location === 'body');
}

/** `reason` is the code of the connection's error. */
interface CutOffDetails {
  reason: string;
  errors: { location: string }[];
}

async function sendForm<F extends PushedFile>(
  { service, target, source }: Upload<F>,
  files: readonly F[],
  progress: ReadonlyMap<string, Progress>,
  signal: AbortSignal,
): Promise<void> {
  const parts = files.map((file) => ({
    name: file.sha256,
    contentType: file.contentType,
    size: file.sizeBytes,
    open: () => source.open(file, 0, file.sizeBytes),
    onSent: (bytes: number) => progress.get(file.sha256)?.sent(bytes),
  }));
  const form = filesForm(targetField(target), parts);
  const { results } = await service.postFiles('uploadPresentationAssets', form, signal);
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  for (const { sha256, status, code } of results) {
    const file = byHash.get(sha256);
    if (file && status === 'failed') throw refusal(file, code);
    progress.get(sha256)?.stored();
  }
}
