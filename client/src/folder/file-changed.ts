import { Failure } from '../failure';

/** The failure for a file whose content differs from its hash. */
export function fileChanged(path: string): Failure {
  return new Failure(`${path} changed while it was being pushed.`, { code: 'file-changed', details: { path } });
}
