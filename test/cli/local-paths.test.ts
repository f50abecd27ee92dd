import { localPaths } from '../../cli/src/download/local-paths';
import { failureOf } from './failure-of';

const refusal = (paths: string[], platform: NodeJS.Platform = 'linux') => failureOf(() => localPaths(paths, platform));

describe("the paths of a stranger's deck", () => {
  test('are kept as they are where they are plain', () => {
    const paths = ['index.html', 'a/b/c.js', 'größe & 100%.txt', 'a:b?.png', 'con.txt', 'README', '日本/語.css'];
    expect(localPaths(paths, 'linux')).toEqual({ kept: paths, leftOut: [] });
  });

  test.each([
    '../x',
    'a/../../x',
    'a/..',
    '..',
    '.',
    './x',
    '/etc/passwd',
    '//host/share',
    'a//b',
    'a/',
    '',
    '..\\x',
    'C:\\x',
    'a\u0000b',
    'a\nb',
    'x\u001b[2J',
    'x'.repeat(513),
  ])('are refused, all of them, for %j', (path) => {
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      expect(refusal(['index.html', path], platform)).toMatchObject({ code: 'bad-path', details: { path } });
  });

  test.each([
    'C:/x',
    'C:x',
    'a.txt:stream',
    'con',
    'CON.txt',
    'a/nul.tar.gz',
    'aux .x',
    'com1',
    'LPT¹.x',
    'a.',
    'a ',
    'a. /b',
    'w?',
    'a|b',
  ])('are refused on Windows, where they mean another file, for %j', (path) => {
    expect(refusal([path], 'win32')).toMatchObject({ code: 'bad-path' });
    expect(localPaths([path], 'linux').kept).toEqual([path]);
  });

  test('leave out what a push would leave at home: hidden files, and what may run programs', () => {
    const hidden = [
      '.deck.json',
      '.git/config',
      'a/.git/hooks/post-checkout',
      '.GIT/config',
      '.\u200cgit/config',
      '\u200c.git/config',
      '.npmrc',
      '.vscode/tasks.json',
      '.deck-download/unfinished.json',
      'node_modules/x/index.js',
    ];
    expect(localPaths(['index.html', ...hidden], 'linux')).toEqual({ kept: ['index.html'], leftOut: hidden });
  });

  test('are refused where one takes the place of another', () => {
    expect(refusal(['a', 'a/b'])).toMatchObject({ details: { path: 'a/b' } });
    expect(refusal(['a/b/c', 'a/b'])).toMatchObject({ details: { path: 'a/b/c' } });
    for (const platform of ['win32', 'darwin'] as const) {
      expect(refusal(['a.js', 'A.js'], platform)).toMatchObject({ details: { path: 'A.js' } });
      expect(refusal(['LIB', 'lib/a.js'], platform)).toMatchObject({ details: { path: 'lib/a.js' } });
    }
    expect(localPaths(['a.js', 'A.js'], 'linux').kept).toHaveLength(2);
  });
});
