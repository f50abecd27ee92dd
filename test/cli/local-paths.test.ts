import { localPaths } from '../../client/src/download/local-paths';
import { ignoreRules } from '../../client/src/folder/paths';
import { failureOf } from './failure-of';

const refusal = (paths: string[], platform: NodeJS.Platform = 'linux') => failureOf(() => localPaths(paths, platform));

describe("the paths of another person's deck", () => {
  test('are kept unchanged when they are valid', () => {
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
  ])('are all refused on every platform when one of them is %j', (path) => {
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
    'GIT~1/hooks/x',
    'DECK~1.JSO',
    'a|b',
  ])('are refused on Windows, and only there, for %j', (path) => {
    expect(refusal([path], 'win32')).toMatchObject({ code: 'bad-path' });
    expect(localPaths([path], 'linux').kept).toEqual([path]);
  });

  test('leave out what a push ignores: hidden files, and files that can run programs', () => {
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

  test('leave out the files of the client and of git in any case, whatever .deckignore includes', () => {
    const hidden = ['.GIT/config', '.Git', '.DECK.json', '.Deck-Download/x', '.DeckIgnore'];
    const paths = ['index.html', '.well-known/x', ...hidden];
    const included = ignoreRules('!.*');
    expect(localPaths(paths, 'linux', included)).toEqual({ kept: paths.slice(0, 2), leftOut: hidden });
  });

  test('are refused when one file would overwrite another, or the folder of another', () => {
    expect(refusal(['a', 'a/b'])).toMatchObject({ details: { path: 'a/b' } });
    expect(refusal(['a/b/c', 'a/b'])).toMatchObject({ details: { path: 'a/b/c' } });
    for (const platform of ['win32', 'darwin'] as const) {
      expect(refusal(['a.js', 'A.js'], platform)).toMatchObject({ details: { path: 'A.js' } });
      expect(refusal(['LIB', 'lib/a.js'], platform)).toMatchObject({ details: { path: 'lib/a.js' } });
    }
    expect(localPaths(['a.js', 'A.js'], 'linux').kept).toHaveLength(2);
  });
});
