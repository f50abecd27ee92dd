import fc from 'fast-check';
import { localPaths } from '../../client/src/download/local-paths';
import { compareThreeWays, type Preference } from '../../client/src/pull/three-way';

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
  test('never loses a change of one side, and gives a conflict to the side that wins', () => {
    fc.assert(
      fc.property(
        hashes,
        hashes,
        hashes,
        fc.constantFrom('mine' as const, 'theirs' as const),
        (base, here, there, prefer) => {
          const result = after(base, here, there, prefer);
          for (const path of ['a', 'b', 'c/d', 'c/e']) {
            const [before, mine, theirs] = [base[path], here[path], there[path]];
            const winner = mine === before ? theirs : theirs === before ? mine : prefer === 'mine' ? mine : theirs;
            expect(result.get(path)).toBe(winner);
          }
        },
      ),
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

test('the rules of a folder decide which paths of a version take part, and two names for one file are refused', () => {
  const isIgnored = (path: string) => path.startsWith('private/');
  expect(localPaths(['a', 'private/b', '.c'], 'linux', isIgnored)).toEqual({
    kept: ['a', '.c'],
    leftOut: ['private/b'],
  });
  expect(() => localPaths(['A.png', 'a.png'], 'darwin', isIgnored)).toThrow('differs from it only in case');
  expect(localPaths(['A.png', 'a.png'], 'linux', isIgnored).kept).toHaveLength(2);
});
