/** The files of rules of Netlify and Cloudflare Pages, at the top of a deck. */
export const HEADERS = '_headers';
export const REDIRECTS = '_redirects';

/** The largest number of bytes of such a file that are read. */
export const MAX_RULES_BYTES = 64 * 1024;

/** The values of `Cross-Origin-Embedder-Policy` with which browsers isolate a page from other origins. */
export const isolations = ['require-corp', 'credentialless'] as const;
export type Isolation = (typeof isolations)[number];

/** A rule as it is written: `/a /b 301`, or `/* X-Frame-Options: DENY`. Lines are counted from 1. */
export interface HostRule {
  line: number;
  text: string;
}

interface HeaderRule extends HostRule {
  path: string;
  /** In lower case. */
  name: string;
  value: string;
}

const OPENER = 'cross-origin-opener-policy';
const EMBEDDER = 'cross-origin-embedder-policy';

/**
 * What `_headers` asks for. A deck is isolated when the rules for `/*` have `Cross-Origin-Opener-Policy: same-origin`
 * and one of `isolations`, each once: browsers take no header with two values. `unused` are the rules without effect.
 */
export function readHeaders(text: string): { isolation: Isolation | null; rules: HostRule[]; unused: HostRule[] } {
  const rules = headerRules(text);
  const pair = rules.filter(({ path, name }) => path === '/*' && (name === OPENER || name === EMBEDDER));
  const valueOf = (wanted: string) => pair.find(({ name }) => name === wanted)?.value;
  const isAsked = pair.length === 2 && valueOf(OPENER) === 'same-origin';
  const isolation = (isAsked && isolations.find((each) => each === valueOf(EMBEDDER))) || null;
  return { isolation, rules, unused: isolation ? rules.filter((rule) => !pair.includes(rule)) : rules };
}

/** A path, or a whole address, begins the rules of its headers, one a line. */
function headerRules(text: string): HeaderRule[] {
  let path = '';
  return linesOf(text).flatMap(({ line, text: written }) => {
    if (written.startsWith('#')) return [];
    if (/^(\/|[a-z][a-z\d+.-]*:\/\/)/i.test(written)) {
      path = written;
      return [];
    }
    const [name = '', ...value] = written.split(':');
    const rule = { path, name: name.trim().toLowerCase(), value: value.join(':').trim() };
    return [{ line, text: `${path} ${written}`.trim(), ...rule }];
  });
}

/**
 * What `_redirects` asks for. A deck is a single-page app when a rule sends every address without a file to its entry:
 * `/* /index.html 200`, with `200!` in place of `200`, and with `/`, `/index` or the folder of the entry in place of
 * its path. `./` counts as `/`: Slidev writes `./*    ./index.html   200` for the base `./`. A rule with conditions
 * does not count. `unused` are the rules without effect.
 */
export function readRedirects(text: string, entryPath: string) {
  const rules = redirectRules(text);
  const unused = rules.filter((rule) => !leadsToEntry(rule, entryPath));
  return { isSinglePageApp: unused.length < rules.length, rules, unused };
}

const redirectRules = (text: string): HostRule[] =>
  linesOf(text)
    .map(({ line, text: written }) => ({ line, text: written.split(/(?:^|\s)#/, 1)[0]!.trim() }))
    .filter((rule) => rule.text !== '');

function leadsToEntry({ text }: HostRule, entryPath: string): boolean {
  const bare = `/${entryPath}`;
  const targets = [
    '/',
    bare,
    bare.replace(/\.html$/, ''),
    bare.replace(/index\.html$/, ''),
    bare.replace(/\/index\.html$/, ''),
  ];
  const [from, to, status, ...conditions] = text.split(/\s+/).map((part) => part.replace(/^\.\//, '/'));
  const isRule = from === '/*' && /^200!?$/.test(status ?? '') && conditions.length === 0;
  return isRule && to !== undefined && targets.includes(to);
}

/** The lines that are not empty. */
const linesOf = (text: string): HostRule[] =>
  text
    .split(/\r\n|\r|\n/)
    .map((line, index) => ({ line: index + 1, text: line.trim() }))
    .filter((line) => line.text !== '');
