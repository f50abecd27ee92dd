import { Failure } from '../failure';
import { fileChanged } from '../folder/file-changed';
import type { PushedFile } from '../pushed-file';
import type { Reporter } from '../reporter';
import type { DeckService } from '../service/service';
import type { FileSource } from './source';
import type { UploadTarget } from './upload-target';

/** Where files are sent, and who is told. */
export interface Upload<F extends PushedFile> {
  service: DeckService;
  target: UploadTarget;
  source: Pick<FileSource<F>, 'open'>;
  reporter: Reporter;
}

/**
 * Tells how many bytes of the file are sent. A smaller number than before takes back a failed attempt. `stored` tells
 * that the service has the file.
 */
export function progressOf({ path, sizeBytes }: PushedFile, { reporter }: Pick<Upload<never>, 'reporter'>) {
  let told = 0;
  const sent = (bytes: number) => {
    if (bytes === told) return;
    reporter.onBytes?.(bytes - told);
    reporter.onFile?.(path, bytes);
    told = bytes;
  };
  const stored = () => {
    sent(sizeBytes);
    reporter.onStored?.(path);
  };
  return { sent, stored };
}

export type Progress = ReturnType<typeof progressOf>;

/** The failure for a file that the service refused. */
export function refusal({ path }: PushedFile, code = 'internal'): Failure {
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
