import { HEADERS, readHeaders, readRedirects, REDIRECTS } from '../../../functions/src/values/host-rules';
import { shorten } from '../format';
import type { TypedFile } from '../pushed-file';
import type { Warning } from './warning';

/** Files at the top of a folder in which other hosts look for rules, and of which this service takes none. */
const FOREIGN = /^(netlify\.toml|vercel\.json|staticwebapp\.config\.json)$/;

/** What to do about a rule of a file of which the service takes some rules. */
const UNUSED =
  'Remove the rule. The service takes `/* /index.html 200` of _redirects, and of _headers for /* both ' +
  '`Cross-Origin-Opener-Policy: same-origin` and `Cross-Origin-Embedder-Policy: require-corp` or `credentialless`.';
const UNUSED_WITHOUT_ORIGINS = 'Remove the rule. A service without deck origins applies none.';

/** Whether the service takes rules of this file. */
export const hasRules = ({ path }: TypedFile): boolean => path === HEADERS || path === REDIRECTS;

/** One warning for each rule without effect: for each rule, when the service has no origins for decks. */
export function checkRules(
  path: string,
  text: string,
  { entryPath, hasOrigins }: { entryPath: string; hasOrigins: boolean },
): Warning[] {
  const { rules, unused } = path === HEADERS ? readHeaders(text) : readRedirects(text, entryPath);
  return (hasOrigins ? unused : rules).map(({ line, text: rule }) => ({
    code: 'unused-rules',
    path,
    message: `The service does not apply ${shorten(rule)} (${path}:${line}).`,
    nextAction: hasOrigins ? UNUSED : UNUSED_WITHOUT_ORIGINS,
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
