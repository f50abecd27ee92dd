import fc from 'fast-check';
import { normalizePath, pathOfLink, pathProblems } from '../../../functions/src/values/paths';
import { words } from '../../support/words';

describe('paths of a manifest', () => {
  test('of files are accepted, also with spaces, dots and letters of any language', () => {
    const paths = words('index.html a/b/c.css … ü/ß.png .well-known/x a..b ... a/%2e%2e/b');
    expect([...paths, 'a b', 'x'.repeat(512)].flatMap(pathProblems)).toEqual([]);
  });

  test.each([
    ['', 'empty'],
    ['../x', '".."'],
    ['a/../b', '".."'],
    ['a/..', '".."'],
    ['./a', '"."'],
    ['a//b', 'empty segment'],
    ['/a', 'slash'],
    ['a/', 'slash'],
    ['/', 'slash'],
    ['a\\b', 'forward slashes'],
    ['a\0b', 'control'],
    ['a\nb', 'control'],
    ['a\u0085b', 'control'],
    ['\ud800', 'Unicode'],
    ['..\u200b/evil.txt', 'invisible'],
    ['a/\u202e.', 'invisible'],
    ['a/.\ufe0f.', 'invisible'],
    ['\u200b\u3164/b', 'invisible'],
    ['x'.repeat(513), '512'],
  ])('%j is refused: %s', (path, reason) => expect(pathProblems(path).join(' ')).toContain(reason));

  test('all problems are reported together', () => {
    expect(pathProblems('/a//../\\')).toHaveLength(4);
  });

  test('two Unicode spellings of one path are one path', () => {
    expect(normalizePath('caf\u0065\u0301.png')).toBe(normalizePath('caf\u00e9.png'));
    const isSettled = (path: string) => normalizePath(normalizePath(path)) === normalizePath(path);
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), isSettled));
  });

  test('an accepted path stays below the deck in a URL', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('..', '.', '', 'a', 'b', '\\', '/', '%2e'), { maxLength: 6 }), (pieces) => {
        const path = pieces.join('/');
        fc.pre(pathProblems(path).length === 0);
        expect(new URL(path.replaceAll('%', '%25'), 'http://host/deck/').pathname).toMatch(/^\/deck\//);
      }),
    );
  });
});

describe('the path that a link in a file of a deck names', () => {
  test.each([
    ['a/b%20c.png', 'talk/a/b c.png'],
    ['cafe\u0301.png', 'talk/caf\u00e9.png'],
    ['/a.gif?v=2#x', 'a.gif'],
    ['../a.gif', 'a.gif'],
    ['../../../a.gif', 'a.gif'],
    // Not a path of a manifest, so no file has it.
    ['..%2f..%2fa.gif', 'talk/../../a.gif'],
  ])('%s is that of a file', (link, path) => expect(pathOfLink(link, 'talk/index.html')).toBe(path));

  test.each(['//x.org/a.gif', 'https://x.org/', 'data:image/png,a', '/%ff%'])('%s names none', (link) =>
    expect(pathOfLink(link, 'talk/index.html')).toBeUndefined(),
  );
});
