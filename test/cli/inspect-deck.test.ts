import { basesOf, targetOf } from '../../client/src/inspection/addresses';
import { checkReferences } from '../../client/src/inspection/check-references';
import { cssReferences } from '../../client/src/inspection/css-references';
import { DeckPaths } from '../../client/src/inspection/deck-paths';
import { htmlReferences } from '../../client/src/inspection/html-references';
import { inspectDeck } from '../../client/src/inspection/inspect-deck';

/**
 * What the inspection of a folder finds that the viewers of the deck will miss, and the addresses that its pages and
 * stylesheets ask for.
 */

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

const inHtml = (html: string) => htmlReferences(html).references.map(({ address }) => address);
const inCss = (css: string) => cssReferences(css).map(({ address }) => address);

describe('the addresses that a page asks for', () => {
  const importMap = '<script type="importmap">';
  test.each<[string, string, string[]]>([
    ['a script', '<script type="module" crossorigin src="/a.js"></script>', ['/a.js']],
    ['a stylesheet', '<link rel="preload stylesheet" href=a.css>', ['a.css']],
    ['icons', '<LINK REL="shortcut icon" HREF="a.ico"><link rel=apple-touch-icon href=b.png>', ['a.ico', 'b.png']],
    ['a module preload', '<link rel="modulepreload" href="a.js">', ['a.js']],
    ['a web manifest', '<link rel="manifest" href="a.webmanifest">', ['a.webmanifest']],
    ['links that are not fetched', '<link rel=canonical href=/a><link rel="alternate" href="b"><link href=c>', []],
    ['links to other pages', '<a href="b.html">b</a><area href="c.html"><form action="d"></form>', []],
    ['a picture', '<img src="a.png" alt="b.png">', ['a.png']],
    ['entities', '<img src="a&amp;b.png">', ['a&b.png']],
    ['srcset', '<img srcset="a.png, b,c.png 2x,d.png 3x , e" src=f>', ['f', 'a.png', 'b,c.png', 'd.png', 'e']],
    ['srcset with data', '<img srcset="data:x;base64,AA== 1x, a.png 2x">', ['data:x;base64,AA==', 'a.png']],
    ['an empty srcset', '<img srcset=""><img srcset=" , ,, ">', []],
    ['a preloaded srcset', '<link rel=preload as=image imagesrcset="a.png 1x" href="b.png">', ['b.png', 'a.png']],
    ['a picture with sources', '<picture><source srcset="a.avif 1x"><img src="b.png"></picture>', ['a.avif', 'b.png']],
    ['a film', '<video src=a.mp4 poster=b.png><track src=c.vtt></video>', ['a.mp4', 'b.png', 'c.vtt']],
    ['sound', '<audio><source src="a.mp3"></audio>', ['a.mp3']],
    ['frames', '<iframe src=a/></iframe><object data=b.pdf></object><embed src=c.pdf>', ['a/', 'b.pdf', 'c.pdf']],
    ['an input with a picture', '<input type=image src=a.png><input src=b.png>', ['a.png']],
    ['SVG', '<svg><image href="a.png"/><use xlink:href="b.svg#c"/></svg>', ['a.png', 'b.svg#c']],
    ['an inline style', '<p style="background: url(&quot;a.png&quot;)">', ['a.png']],
    ['a style element', '<style>p { background: url("</p>.png") }</style><img src=b>', ['</p>.png', 'b']],
    ['an import map', `${importMap}{"imports":{"a":"./a","b":"b","c/":"/c/"}}</script>`, ['./a', '/c/']],
    ['scopes of an import map', `${importMap}{"scopes":{"/":{"d":"../d.js"}}}</script>`, ['../d.js']],
    ['broken import maps', `${importMap}{"imports":</script>${importMap}null</script><img src=a>`, ['a']],
    ['a comment', '<!-- <img src="a.png"> --><!--[if IE]><script src="b.js"></script><![endif]-->', []],
    ['text of scripts', '<script>document.write("<img src=a.png>")</script>', []],
    ['what is not loaded', '<template><img src=a></template><noscript><img src=b></noscript><img src=c>', ['c']],
    ['a page without an end', '<p><img src="a.png"><style>@import "b.css"', ['a.png', 'b.css']],
    ['a tag without an end', '<img src="a.png', []],
  ])('%s', (_name, html, addresses) => {
    expect(inHtml(html)).toEqual(addresses);
  });

  test('have the lines of the page', () => {
    const html =
      '<!doctype html>\n<img\n  src=a>\n<style>\n\np {\n background: url(b) }</style><img src=c>\r\n<p style="\nmask:url(d)">';
    const lines = htmlReferences(html).references.map(({ address, line }) => `${address} ${line}`);
    expect(lines).toEqual(['a 2', 'b 7', 'c 7', 'd 8']);
  });

  test('are relative to the first base of the page', () => {
    expect(htmlReferences('<base target=x><base href="/a/"><base href="/b/">').base).toBe('/a/');
  });
});

describe('the addresses that a stylesheet asks for', () => {
  test.each<[string, string, string[]]>([
    ['url()', 'a { background: url(a.png), url( "b.png" ), URL(\'c(1).png\') }', ['a.png', 'b.png', 'c(1).png']],
    ['an escape', 'a { background: url(a\\20 b.png) }', ['a b.png']],
    ['@import', '@import "a.css" layer(b); @import url(c) screen; @import url("d.css");', ['a.css', 'c', 'd.css']],
    ['other strings', '@charset "utf-8"; a::before { content: "a.png" } @layer b; [href="c"] {}', []],
    ['image-set()', 'a { background: image-set("a.avif" type("image/avif"), url(b.png) 2x) }', ['a.avif', 'b.png']],
    ['a comment', '/* url(a.png) */', []],
    ['a nested rule', '@media print { a { mask: url(a.svg#b) } }', ['a.svg#b']],
    ['alternative fonts', '@font-face { src: url(a.eot); src: url(a.woff2?1) format("x"), url(b) }', ['a.woff2?1']],
    ['a font without WOFF2', '@font-face { src: url(a.woff), url(a.ttf) }', ['a.woff', 'a.ttf']],
    ['the rule after a font', '@font-face { src: url(a.woff2) } b { background: url(b.png) }', ['a.woff2', 'b.png']],
    ['broken text', '} ) @import; url( a { url(b c) "', []],
  ])('%s', (_name, css, addresses) => {
    expect(inCss(css)).toEqual(addresses);
  });
});

describe('an address leads', () => {
  const target = (address: string, path = 'index.html', base?: string) => targetOf(address, basesOf(path, base));

  test.each<[string, string, string, boolean]>([
    ['a.png', 'index.html', 'a.png', false],
    [' ./a%20b.png?v=1#c ', 'index.html', 'a b.png', false],
    ['a.png', 'talk/index.html', 'talk/a.png', false],
    ['../a.png', 'talk/index.html', 'a.png', false],
    ['../../a.png', 'talk/index.html', 'a.png', true],
    ['/assets/a.js', 'index.html', 'assets/a.js', true],
    ['img\\a.png', 'index.html', 'img/a.png', false],
    ['cafe\u0301.png', 'index.html', 'caf\u00e9.png', false],
    ['b.png', '100% größe/a?.html', '100% größe/b.png', false],
    ['_deck.js', 'index.html', '_deck.js', false],
  ])('%s of %s to %s', (address, file, path, leavesFolder) => {
    expect(target(address, file)).toEqual({ path, leavesFolder });
  });

  test.each<[string, string, string, boolean]>([
    ['a.js', '/', 'a.js', true],
    ['a.js', './b/', 'b/a.js', false],
    ['a.js', '/b/', 'b/a.js', true],
    ['a.js', 'http://:bad', 'a.js', false],
  ])('%s with the base %s to %s', (address, base, path, leavesFolder) => {
    expect(target(address, 'index.html', base)).toEqual({ path, leavesFolder });
    expect(target(address, 'index.html', 'https://cdn.example.com/')).toBeUndefined();
  });

  const elsewhere = `https://example.com/a.js //example.com/a.js data:text/css,a blob:x mailto:a@example.com about:blank
    #a ?a / /_deck/runtime.js \${logo}.png %PUBLIC_URL%/a.png a%2Fb.png a\uFFFD.png http://[ [[logo]]`;
  const templates = ['{{ logo }}', '<%= logo %>', "{% static 'a' %}"];
  test.each(['', ' ', 'javascript:void 0', ...templates, ...elsewhere.split(/\s+/)])('%j to no file', (address) => {
    expect([undefined, 'index.html']).toContain(target(address)?.path);
  });
});

const warningsOfPage = (page: string, paths: string[] = [], deckOrigins = true) => {
  const { base, references } = htmlReferences(page);
  const asking = { path: 'index.html', bases: basesOf('index.html', base), references };
  return checkReferences(asking, new DeckPaths(paths), deckOrigins).map(({ code, path }) => [code, path]);
};

test.each<[string, string, string[], boolean, [string, string][]]>([
  ['a base element', '<base href="/"><script src="a.js"></script>', ['a.js'], false, [['leaves-deck', 'a.js']]],
  ['another case', '<img src="Img/Logo.PNG">', ['img/logo.png'], true, [['case-differs', 'img/logo.png']]],
  ['another address', '<script src="/talk/js/a.js"></script>', ['js/a.js'], true, [['other-base', 'js/a.js']]],
  ['no such file', '<script src="/other.js"></script>', ['js/a.js'], true, [['missing-file', 'other.js']]],
  ['a frame of a single-page app', '<iframe src="/slides/3"></iframe>', ['200.html'], true, []],
])('a page with %s is warned about what its viewers miss', (_what, page, paths, deckOrigins, expected) => {
  expect(warningsOfPage(page, paths, deckOrigins)).toEqual(expected);
});

describe('a page that was not built', () => {
  const sources = 'main.jsx main.tsx main.ts main.mts App.vue App.svelte MAIN.TS'.split(' ');
  test.each(sources)('asks for %s as a module, whether the folder holds it or not', (name) => {
    const page = `<link rel=icon href=/vite.svg><script type=" Module" src="/src/${name}?t=1"></script>`;
    for (const args of [[], [[`src/${name}`], false]] as [string[]?, boolean?][])
      expect(warningsOfPage(page, ...args)).toEqual([['not-built', `src/${name}`]]);
  });

  test.each([
    '<script type="text/babel" src="a.jsx"></script>',
    '<script type="text/babel" data-type="module" src="a.tsx"></script>',
    '<script type="module" src="a.js"></script><script type="module" src="https://example.com/a.ts"></script>',
    '<script type="module">import "./a.ts"</script><video src="a.ts"></video>',
  ])('is not one with %s', (page) => {
    expect(warningsOfPage(page, ['a.js', 'a.jsx', 'a.ts', 'a.tsx'])).toEqual([]);
  });
});
