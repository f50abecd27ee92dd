import { inspectDeck } from '../../client/src/inspection/inspect-deck';

/** What the inspection of a folder finds that the viewers of the deck will miss. */

type Files = Record<string, string>;

/** The warnings about these files, of which `ignored` are in the folder and not in the deck. */
async function warningsOf(files: Files, deckOrigins: boolean | undefined, ignored: readonly string[] = []) {
  const deck = Object.entries(files).map(([path, text]) => ({ path, sizeBytes: text.length, contentType: 'x' }));
  const entryPath = files['index.html'] === undefined ? 'talk/index.html' : 'index.html';
  const reading = {
    text: ({ path }: { path: string }) => Promise.resolve(files[path]),
    isIgnored: (path: string) => Promise.resolve(ignored.includes(path)),
  };
  const info = { deckOrigins, plans: {}, limits: {} } as never;
  const asked = { info: Promise.resolve(deckOrigins === undefined ? undefined : info), usage: neverAsked };
  return inspectDeck({ files: deck, entryPath }, reading, asked);
}
const neverAsked = () => Promise.reject(new Error('All files are small.'));

/** What Vite builds without options. */
const viteBuild = {
  'index.html': `<!doctype html>
<link rel="icon" href="/vite.svg">
<script type="module" crossorigin src="/assets/index-1a2b.js"></script>
<link rel="stylesheet" href="/assets/index-3c4d.css"><div id="app"></div>`,
  'vite.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'assets/index-1a2b.js': 'export {}',
  'assets/index-3c4d.css': '@font-face { src: url(/assets/a.woff2) } a { background: url(./b.png) }',
  'assets/a.woff2': 'a',
  'assets/b.png': 'b',
};

/** Files that a page and its stylesheet ask for; the folder has `node_modules/c.js`. */
const asking = {
  'talk/index.html': `<link rel=stylesheet href="../css/a.css">
  <img src="https://example.com/a.png"><img srcset="small.png 1x, big.png 2x"><iframe src="demo/"></iframe>
  <script type="importmap">{ "imports": { "b/": "../b/", "c": "../node_modules/c.js" } }</script>`,
  'css/a.css': '\n@import "missing.css";\na { background: url(/img/a%20b.png#c) }',
  'b/c.js': '',
  'img/a b.png': '',
  'talk/small.png': '',
  'talk/demo/index.html': '',
};
const rules = {
  _headers: '/*\n  Cross-Origin-Opener-Policy: same-origin\n  Cross-Origin-Embedder-Policy: credentialless\n  X-A: b\n',
  _redirects: '/old /new 301\n/* /index.html 200\n',
};
const reserved = { '_deck/a.js': '', '_open/b/c.css': '' };

test.each<[string, boolean | undefined, Files, unknown[][]]>([
  [
    'addresses that lead out of the deck',
    false,
    viteBuild,
    [
      ['leaves-deck', 'vite.svg', 'index.html:2'],
      ['leaves-deck', 'assets/index-1a2b.js', 'index.html:3'],
      ['leaves-deck', 'assets/index-3c4d.css', 'index.html:4'],
      ['leaves-deck', 'assets/a.woff2', 'assets/index-3c4d.css:1'],
    ],
  ],
  ['nothing of a service that does not tell its settings', undefined, viteBuild, []],
  ['nothing of a deck that is built as its tool builds it', true, viteBuild, []],
  [
    'files that the deck lacks, and those that a push ignores',
    true,
    asking,
    [
      ['missing-file', 'talk/big.png', 'talk/index.html:2'],
      ['ignored-file', 'node_modules/c.js', 'talk/index.html:3'],
      ['missing-file', 'css/missing.css', 'css/a.css:2'],
    ],
  ],
  [
    'files at addresses of the service, and with rules of another host',
    true,
    { 'index.html': '', ...reserved, '_opened/e.js': '', 'talk/_headers': '', 'netlify.toml': '' },
    [
      ['reserved-path', '_deck/a.js', undefined],
      ['reserved-path', '_open/b/c.css', undefined],
      ['unused-rules', 'netlify.toml', undefined],
    ],
  ],
  [
    'the rules that the service does not apply',
    true,
    { 'index.html': '', ...rules },
    [
      ['unused-rules', '_headers', '_headers:4'],
      ['unused-rules', '_redirects', '_redirects:1'],
    ],
  ],
  [
    'every rule where decks have no origin',
    false,
    { 'index.html': '', ...rules },
    [
      ['unused-rules', '_headers', '_headers:2'],
      ['unused-rules', '_headers', '_headers:3'],
      ['unused-rules', '_headers', '_headers:4'],
      ['unused-rules', '_redirects', '_redirects:1'],
      ['unused-rules', '_redirects', '_redirects:2'],
    ],
  ],
  ['no such files where decks have no origin', false, { 'index.html': '', ...reserved }, []],
])('the inspection names %s', async (_what, deckOrigins, files, expected) => {
  const warnings = await warningsOf(files, deckOrigins, ['node_modules/c.js']);
  expect(warnings.map(({ code, path, source }) => [code, path, source])).toEqual(expected);
});

const slidev = '<meta property="slidev:version" content="52.0.0"><script type=module src=./a.js></script>';

test.each<[string, Files, string[]]>([
  ['reveal.js', { 'index.html': '<div class="reveal"><div class="slides"></div></div>' }, ['no-speaker-view']],
  ['impress.js', { 'index.html': '<div id="impress">' }, ['no-speaker-view']],
  ['Marp', { 'index.html': '<button data-bespoke-marp-osc="presenter">' }, ['no-speaker-view']],
  ['Spectacle', { 'index.html': '<script src="a.js"></script>', 'a.js': 'q.presenterMode' }, ['no-speaker-view']],
  ['Slidev', { 'index.html': slidev, 'a.js': 'location.host?a:b' }, ['no-speaker-view']],
  ['Slidev', { 'index.html': slidev, 'a.js': '' }, ['blank-router', 'no-speaker-view']],
  ['a PDF', { 'index.html': '<embed src="a.pdf"><iframe src="b.html">', 'a.pdf': '', 'b.html': '' }, ['blank-pdf']],
  ['none of them', { 'index.html': '<p class="reveal">a</p><a href="a.pdf">b</a>', 'a.pdf': '' }, []],
])('on a service without deck origins it names what a deck of %s loses', async (tool, files, codes) => {
  const warnings = await warningsOf(files, false);
  expect(warnings.map(({ code }) => code)).toEqual(codes);
  if (codes.includes('no-speaker-view')) expect(warnings.at(-1)!.message).toContain(`speaker view of ${tool}`);
});
