import fc from 'fast-check';
import { localPaths } from '../../client/src/download/local-paths';
import { deckPath, ignoreRules } from '../../client/src/folder/paths';
import { compareThreeWays, type Preference } from '../../functions/src/values/three-way';
import { pathProblems } from '../../functions/src/values/paths';
import { each } from '../support/each';
import { failureOf } from './failure-of';

const refusal = (paths: string[], platform: NodeJS.Platform = 'linux') => failureOf(() => localPaths(paths, platform));

describe("the paths of another person's deck", () => {
  test('are kept unchanged when they are valid', () => {
    const paths = ['index.html', 'a/b/c.js', 'größe & 100%.txt', 'a:b?.png', 'con.txt', 'README', '日本/語.css'];
    expect(localPaths(paths, 'linux')).toEqual({ kept: paths, leftOut: [] });
  });

  const climbing = String.raw`../x a/../../x a/.. .. . ./x /etc/passwd //host/share a//b a/ ..\x C:\x`.split(' ');
  test.each([...climbing, '', 'a\u0000b', 'a\nb', 'x\u001b[2J', 'x'.repeat(513)])(
    'are all refused on every platform when one of them is %j',
    (path) => {
      for (const platform of ['linux', 'darwin', 'win32'] as const)
        expect(refusal(['index.html', path], platform)).toMatchObject({ code: 'bad-path', details: { path } });
    },
  );

  const reserved = 'C:/x C:x a.txt:stream con CON.txt a/nul.tar.gz com1 LPT¹.x a. w? GIT~1/hooks/x DECK~1.JSO a|b';
  test.each([...reserved.split(' '), 'aux .x', 'a ', 'a. /b'])(
    'are refused on Windows, and only there, for %j',
    (path) => {
      expect(refusal([path], 'win32')).toMatchObject({ code: 'bad-path' });
      expect(localPaths([path], 'linux').kept).toEqual([path]);
    },
  );

  test('leave out what a push ignores: hidden files, and files that can run programs', () => {
    const hidden = [
      '.deck.json .git/config a/.git/hooks/post-checkout .GIT/config .\u200cgit/config \u200c.git/config',
      '.npmrc .vscode/tasks.json .deck-download/unfinished.json node_modules/x/index.js',
    ].flatMap((line) => line.split(' '));
    expect(localPaths(['index.html', ...hidden], 'linux')).toEqual({ kept: ['index.html'], leftOut: hidden });
  });

  test('leave out names that are dots without their invisible characters, which a push refuses as the service does', () => {
    const hidden = ['..\u200b/evil.txt', 'a/\u2060../b', '.\ufe0f', '\u3164/b'];
    expect(localPaths(['index.html', ...hidden], 'linux')).toEqual({ kept: ['index.html'], leftOut: hidden });
    for (const path of each(hidden)) {
      expect(failureOf(() => deckPath(path, '/'))).toMatchObject({ code: 'bad-path' });
      expect(pathProblems(path)).toHaveLength(1);
    }
  });

  test('leave out what the rules of the folder ignore, and the files of the client and of git whatever they include', () => {
    const isPrivate = (path: string) => path.startsWith('private/');
    expect(localPaths(['a', 'private/b', '.c'], 'linux', isPrivate)).toEqual({
      kept: ['a', '.c'],
      leftOut: ['private/b'],
    });
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

const hashes = fc.dictionary(fc.constantFrom('a', 'b', 'c/d', 'c/e'), fc.constantFrom('1', '2', '3'));
const toMap = (files: Record<string, string>) => new Map(Object.entries(files));

/** The folder after a pull. */
function after(base: object, here: object, there: object, prefer?: Preference): Map<string, string> {
  const [before, mine, theirs] = [base, here, there].map((files) => toMap(files as Record<string, string>));
  const result = new Map(mine);
  for (const { path, action } of compareThreeWays(before!, mine!, theirs!, prefer)) {
    if (action !== 'take') continue;
    const taken = theirs!.get(path);
    if (taken === undefined) result.delete(path);
    else result.set(path, taken);
  }
  return result;
}

describe('a comparison of three states', () => {
  test.each(
    `- - 1 take, - 1 - keep, - 1 1 same, - 1 2 conflict, 1 - - same, 1 - 1 keep, 1 - 2 conflict, 1 1 - take,
     1 1 1 none, 1 1 2 take, 1 2 - conflict, 1 2 1 keep, 1 2 2 same, 1 2 3 conflict`
      .split(/,\s*/)
      .map((row) => row.split(' ')),
  )('of a file that is %s in the base, %s here and %s there: %s', (base = '', here = '', there = '', action = '') => {
    const [before, mine, theirs] = [base, here, there].map((state) => toMap(state === '-' ? {} : { a: state }));
    const found = compareThreeWays(before!, mine!, theirs!);
    expect(found).toMatchObject(action === 'none' ? [] : [{ path: 'a', action }]);
  });

  test('never loses a change of one side, and gives a conflict to the side that wins', () => {
    fc.assert(
      fc.property(hashes, hashes, hashes, fc.boolean(), (base, here, there, isMine) => {
        const result = after(base, here, there, isMine ? 'mine' : 'theirs');
        for (const path of ['a', 'b', 'c/d', 'c/e']) {
          const [before, mine, theirs] = [base[path], here[path], there[path]];
          const winner = mine === before ? theirs : theirs === before || isMine ? mine : theirs;
          expect(result.get(path)).toBe(winner);
        }
      }),
    );
  });

  test('finds nothing to take or to decide after a pull: a second pull of the same version changes nothing', () => {
    fc.assert(
      fc.property(hashes, hashes, hashes, (base, here, there) => {
        const result = after(base, here, there, 'theirs');
        const again = compareThreeWays(toMap(there), result, toMap(there));
        expect(again.every(({ action }) => action === 'keep')).toBe(true);
        const resumed = compareThreeWays(toMap(base), result, toMap(there), 'theirs');
        expect(resumed.some(({ action }) => action === 'take')).toBe(false);
      }),
    );
  });
});
