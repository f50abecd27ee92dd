import fc from 'fast-check';
import { answerOf, pathsFor, readAddress } from '../../../functions/src/policy/deck-addresses';
import type { ManifestFile } from '../../../functions/src/policy/manifest';
import { pathProblems } from '../../../functions/src/values/paths';
import { each } from '../../support/each';
import { words } from '../../support/words';

const fileAt = (path: string): ManifestFile => ({ path, sha256: 'a'.repeat(64), size: 1, contentType: 'text/html' });

interface Asked {
  entryPath?: string;
  isNavigation?: boolean;
  /** The text of `_redirects`. */
  rules?: string;
}

/**
 * The answer of a deck of these files to a target, in short: the file, with ` 404` or ` entry` after it, or `→
 * /address`.
 */
function ask(target: string, paths: string[], { entryPath = 'index.html', isNavigation = true, rules }: Asked = {}) {
  const asked = { path: readAddress(target).path, isNavigation, entryPath };
  const sought = new Set(pathsFor(asked));
  const files = new Map(paths.filter((path) => sought.has(path)).map((path) => [path, fileAt(path)]));
  let answer = answerOf(asked, files);
  if (answer && 'readRules' in answer) answer = answerOf(asked, files, rules ?? '');
  if (!answer) return 'nothing';
  if ('readRules' in answer) throw new Error('The rules were asked for again.');
  if ('redirect' in answer) return `→ ${answer.redirect}`;
  return [answer.file.path, answer.status, answer.isEntry && 'entry'].filter(Boolean).join(' ');
}

const names = 'index.html about.html app.js a/index.html a/b.html both.html both/index.html 100%.txt';
const plain = [...words(names), 'ä ü.css'];

describe('a deck without fallbacks', () => {
  test.each([
    ['index.html entry', '/ /?a=/b /#/slide /index.html /index'],
    ['about.html', '/about /about.html /about?x'],
    ['app.js', '/app.js /%61pp.js'],
    ['a/index.html', '/a/ /a/index.html'],
    ['→ /a/', '/a'],
    ['a/b.html', '/a/b'],
    // The page for itself comes before the folder.
    ['both.html', '/both'],
    ['both/index.html', '/both/'],
    // The second address has the other Unicode form.
    ['ä ü.css', '/%C3%A4%20%C3%BC.css /a%CC%88%20u%CC%88.css'],
    ['100%.txt', '/100%25.txt'],
  ])('has %s at %s', (answer, targets) => {
    for (const target of each(words(targets))) expect([target, ask(target, plain)]).toEqual([target, answer]);
  });

  const nowhere = words(`
    /about/ /App.js /a// // /// //app.js //evil.example/ //evil.example/%2e%2e /\\evil.example /%5Cevil.example
    /a/../app.js /../app.js /./app.js /%2e%2e/app.js /a%2Findex.html /a%2f /%2F%2Fevil.example /a\\index.html
    /app.js%00 /% /%zz /%C3 /%ff /app.js%20 /app.js/ app.js http://evil.example/app.js *`);
  test.each(['', ...nowhere])('%j is nothing', (target) => {
    expect([ask(target, plain), ask(target, plain, { isNavigation: false })]).toEqual(['nothing', 'nothing']);
  });

  test('a file wins over a page and a folder of the same name', () => {
    expect(ask('/x', ['index.html', 'x', 'x.html', 'x/index.html'])).toBe('x');
    expect(ask('/x', ['index.html', 'x.html', 'x/index.html'])).toBe('x.html');
    expect(ask('/x', ['index.html', 'x/index.html'])).toBe('→ /x/');
  });
});

describe('the entry', () => {
  test.each([
    ['index.html', '/', 'index.html entry'],
    ['deck.html', '/', 'deck.html entry'],
    ['deck.html', '/index.html', 'index.html'],
    ['slides/index.html', '/', '→ /slides/'],
    ['slides/index.html', '/slides/', 'slides/index.html entry'],
    ['slides/index.html', '/slides', '→ /slides/'],
    ['slides/index.html', '/index.html', 'index.html'],
    ['slides/deck.html', '/', '→ /slides/deck.html'],
    ['slides/deck.html', '/slides/deck', 'slides/deck.html entry'],
    ['slides/deck.html', '/slides/', 'nothing'],
    ['ä b/index.html', '/', '→ /%C3%A4%20b/'],
    ['a?b/c#d/index.html', '/', '→ /a%3Fb/c%23d/'],
  ])('%s: %s is %s', (entryPath, target, expected) => {
    expect(ask(target, [...new Set([entryPath, 'index.html'])], { entryPath })).toBe(expected);
  });
});

describe('an address without a file', () => {
  const app = '/* /index.html 200';
  test.each<[string, string[], Asked, string]>([
    ['200.html', ['index.html', '200.html', '404.html', '_redirects'], { rules: app }, '200.html entry'],
    ['rules with a catch-all', ['index.html', '404.html', '_redirects'], { rules: app }, 'index.html entry'],
    ['other rules', ['index.html', '404.html', '_redirects'], { rules: '/old /new 301' }, '404.html 404'],
    ['other rules alone', ['index.html', '_redirects'], { rules: '/old /new 301' }, 'nothing'],
    ['empty rules', ['index.html', '_redirects'], { rules: '' }, 'nothing'],
    ['404.html', ['index.html', '404.html'], {}, '404.html 404'],
    ['nothing', ['index.html'], {}, 'nothing'],
  ])('is answered with %s to a navigation, and to nothing else', (_what, paths, asked, expected) => {
    for (const target of ['/some/route', '/some/route/', '/%2F', '/%', '//evil.example/', '/a/../b']) {
      expect(ask(target, paths, asked)).toBe(expected);
      expect(ask(target, paths, { ...asked, isNavigation: false })).toBe('nothing');
    }
  });

  test('does not take the place of a file', () => {
    expect(ask('/about', ['index.html', '200.html', 'about.html'])).toBe('about.html');
    expect(ask('/a', ['index.html', '200.html', 'a/index.html'])).toBe('→ /a/');
  });
});

/** Texts of these parts. */
const textOf = (parts: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength }).map((chosen) => chosen.join(''));
const pieces = words('/ / \\ . .. %2F %5C %2e % %25 %00 %C3%A4 a .html index.html ? # @ : é');
const target = textOf(pieces, 8).map((text) => `/${text}`);
const name = textOf(['a', 'b', 'ä', '%', '?', '#', '@', ':', ';', '&', '.x', ' ', '.html', '\u0308'], 4);
const deckPath = fc
  .array(fc.oneof(name, fc.constant('a'), fc.constant('index.html')), { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('/').normalize('NFC'))
  .filter((path) => pathProblems(path).length === 0);
const deck = fc.uniqueArray(deckPath, { minLength: 1, maxLength: 12 });
const encoded = (path: string) => `/${path.split('/').map(encodeURIComponent).join('/')}`;

describe('for any deck and target', () => {
  test('a redirect leads to a page of the same origin, which answers without a redirect', () => {
    let redirects = 0;
    const check = (paths: string[], asked: string) => {
      const entryPath = paths[0]!;
      const answer = ask(asked, paths, { entryPath });
      if (!answer.startsWith('→ ')) return;
      redirects++;
      const location = answer.slice(2);
      expect(location).toMatch(/^\/[^/\\]/);
      const { host, pathname } = new URL(location, 'https://deck.example');
      expect([host, pathname]).toEqual(['deck.example', location]);
      expect(ask(location, paths, { entryPath })).not.toMatch(/^→|^nothing/);
    };
    const pagesAndFolders = (path: string) => [encoded(path), encoded(path).replace(/\/[^/]*$/, '')];
    fc.assert(
      fc.property(deck, target, (paths, asked) => {
        for (const at of [asked, ...paths.flatMap(pagesAndFolders)]) check(paths, at);
      }),
    );
    expect(redirects).toBeGreaterThan(0);
  });

  test("every file is at its own encoded path, and at no other file's", () => {
    fc.assert(
      fc.property(deck, fc.boolean(), (paths, isNavigation) => {
        const answers = paths.map((path) => ask(encoded(path), paths, { isNavigation, entryPath: paths[0]! }));
        expect(answers).toEqual([`${paths[0]} entry`, ...paths.slice(1)]);
      }),
    );
  });

  test('at most seven files are looked up', () => {
    fc.assert(
      fc.property(target, (asked) => {
        const { path } = readAddress(asked);
        expect(pathsFor({ path, isNavigation: true, entryPath: 'index.html' }).length).toBeLessThanOrEqual(7);
        expect(pathsFor({ path, isNavigation: false, entryPath: 'index.html' }).length).toBeLessThanOrEqual(3);
      }),
    );
  });
});

describe('the query', () => {
  test.each([
    ['/', ''],
    ['/?', '?'],
    ['/a?b=c&d#e?f', '?b=c&d'],
    ['/?a=%0d%0aSet-Cookie:x', '?a=%0d%0aSet-Cookie:x'],
    ['/?//evil.example/', '?//evil.example/'],
    ['/?\u00e4 \u0000', '?%E4%20%00'],
    ['//evil.example/?x', '?x'],
    ['nothing?x', ''],
  ])('of %j is %j', (target, query) => expect(readAddress(target).query).toBe(query));
});
