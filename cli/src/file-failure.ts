import { Failure, systemCode } from './failure';

/** The file is not what it was when it was hashed. */
export function fileChanged(path: string): Failure {
  return new Failure(`${path} changed while it was being pushed.`, { code: 'file-changed', details: { path } });
}

/** What a system error on a file means here: gone is a change, anything else cannot be read. */
export function fileFailure(path: string, cause: unknown): Failure {
  const code = systemCode(cause);
  if (code === 'ENOENT') return fileChanged(path);
  return new Failure(`${path} cannot be read (${code ?? String(cause)}).`, {
    code: 'unreadable-file',
    nextAction: 'Make it readable, or name it in .deckignore.',
    details: { path },
    cause,
  });
}
