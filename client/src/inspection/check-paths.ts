import type { TypedFile } from '../pushed-file';
import type { Warning } from './warning';

/** One warning for each file whose address on the deck's own origin is one of the service's. */
export const checkPaths = (files: readonly TypedFile[]): Warning[] =>
  files
    .filter(({ path }) => /^_(open|deck)\//.test(path))
    .map(({ path }) => ({
      code: 'reserved-path',
      path,
      message: `The service does not serve ${path}: it keeps /_open/ and /_deck/ for itself.`,
      nextAction: 'Rename the folder, and the addresses that lead to it.',
    }));
