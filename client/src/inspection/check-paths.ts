import type { TypedFile } from '../pushed-file';
import type { Warning } from './warning';

/** Files at the top of a folder in which other hosts look for headers and redirects. */
const RULES = /^(_headers|_redirects|netlify\.toml|vercel\.json|staticwebapp\.config\.json)$/;

/** One warning for each file with rules of another host: this service applies none of them. */
export const checkRules = (files: readonly TypedFile[]): Warning[] =>
  files
    .filter(({ path }) => RULES.test(path))
    .map(({ path }) => ({
      code: 'unused-rules',
      path,
      message: `The service does not apply the rules in ${path}: it sends its own headers, and does not redirect.`,
      nextAction: 'Link to the files themselves, and name the file with the rules in .deckignore.',
    }));

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
