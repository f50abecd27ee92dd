import { Failure } from '../failure';
import { fileChanged } from '../file-failure';
import type { HashedFile } from '../folder/hash';

/** Why the service did not take a file. */
export function refusal({ path, absolutePath, relativePath }: HashedFile, code = 'internal'): Failure {
  if (code === 'hash-mismatch' || code === 'size-mismatch') return fileChanged(absolutePath);
  const details = { path };
  if (code === 'payload-too-large') {
    return new Failure(`${relativePath} is larger than the plan allows.`, {
      code,
      nextAction: 'Make it smaller, leave it out with .deckignore, or change the plan.',
      details,
    });
  }
  return new Failure(`The service did not take ${relativePath} (${code}).`, {
    code,
    nextAction: 'Run the same command again: what has been uploaded is not sent a second time.',
    details,
  });
}
