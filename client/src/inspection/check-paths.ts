import { HEADERS, readHeaders, readRedirects, REDIRECTS } from '../../../functions/src/values/host-rules';
import { shorten } from '../format';
import type { TypedFile } from '../pushed-file';
import type { Warning } from './warning';

/** Files at the top of a folder in which other hosts look for headers and redirects, and of which this one reads none. */
const FOREIGN = /^(netlify\.toml|vercel\.json|staticwebapp\.config\.json)$/;

/** The files with rules of which the service takes some, and which ones those are. */
const TAKEN: Record<string, string> = {
  [HEADERS]:
    'for /*, `Cross-Origin-Opener-Policy: same-origin` with `Cross-Origin-Embedder-Policy: require-corp` or ' +
    '`credentialless`',
  [REDIRECTS]: '`/* /index.html 200`, for the entry',
};

export const hasRules = ({ path }: TypedFile): boolean => Object.hasOwn(TAKEN, path);

/** One warning for each rule without effect: for each rule, when the service has no origins for decks. */
export function checkRules(
  path: string,
  text: string,
  { entryPath, hasOrigins }: { entryPath: string; hasOrigins: boolean },
): Warning[] {
  const { rules, unused } = path === HEADERS ? readHeaders(text) : readRedirects(text, entryPath);
  const taken = hasOrigins ? `Of ${path} the service takes ${TAKEN[path]}.` : 'Without deck origins it applies none.';
  return (hasOrigins ? unused : rules).map(({ line, text: rule }) => ({
    code: 'unused-rules',
    path,
    message: `The service does not apply ${shorten(rule)} (${path}:${line}).`,
    nextAction: `Remove the rule. ${taken}`,
    address: shorten(rule),
    source: `${path}:${line}`,
  }));
}

/** One warning for each file with rules of another host of which the service takes none. */
export const checkForeignRules = (files: readonly TypedFile[]): Warning[] =>
  files
    .filter(({ path }) => FOREIGN.test(path))
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
