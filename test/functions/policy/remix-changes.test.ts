import type { ManifestFile } from '../../../functions/src/policy/manifest';
import { remixChanges, updatedRemix } from '../../../functions/src/policy/remix-changes';

/** `a1 b2`: the file a with the content 1, and the file b with the content 2. */
const files = (text: string): ManifestFile[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map(([path, content]) => ({ path: path!, sha256: content!, size: 1, contentType: 'text/plain' }));
const textOf = (found: readonly ManifestFile[]) => found.map(({ path, sha256 }) => path + sha256).join(' ');
const statesOf = ([base, here, source]: readonly [string, string, string]) => ({
  base: files(base),
  here: files(here),
  source: files(source),
});

/**
 * [base, remix, source], what the comparison says, and the remix and its base after an update with all that it takes.
 */
const table: [states: [string, string, string], said: string, after: [here: string, base: string]][] = [
  [['a1', 'a1', 'a1'], '', ['a1', 'a1']],
  [['a1', 'a1', 'a2'], 'changed a1 a2', ['a2', 'a2']],
  [['a1', 'a1', 'a1 b1'], 'added b1', ['a1 b1', 'a1 b1']],
  [['a1 b1', 'a1 b1', 'a1'], 'removed b1', ['a1', 'a1']],
  [['a1', 'a2', 'a1'], '', ['a2', 'a1']],
  [['a1', 'a1 b1', 'a1'], '', ['a1 b1', 'a1']],
  [['a1 b1', 'a1', 'a1 b1'], '', ['a1', 'a1 b1']],
  [['a1', 'a2', 'a2'], '', ['a2', 'a2']],
  [['a1', 'a1 b1', 'a1 b1'], '', ['a1 b1', 'a1 b1']],
  [['a1 b1', 'a1', 'a1'], '', ['a1', 'a1']],
  [['a1', 'a2', 'a3'], 'both a: 1 2 3', ['a2', 'a1']],
  [['a1', 'a1 b1', 'a1 b2'], 'both b: - 1 2', ['a1 b1', 'a1']],
  [['a1 b1', 'a1', 'a1 b2'], 'both b: 1 - 2', ['a1', 'a1 b1']],
  [['a1 b1', 'a1 b2', 'a1'], 'both b: 1 2 -', ['a1 b2', 'a1 b1']],
  [
    ['a1 b1 c1 d1', 'a1 b2 c1 d1', 'a2 b3 c1 e1'],
    'added e1; changed a1 a2; removed d1; both b: 1 2 3',
    ['a2 b2 c1 e1', 'a2 b1 c1 e1'],
  ],
];

test.each(table)('of %j the source changed “%s”, and an update makes %j', (given, said, [here, base]) => {
  const states = statesOf(given);
  const { added, changed, removed, both } = remixChanges(states);
  const state = (file: ManifestFile | null) => file?.sha256 ?? '-';
  expect(
    [
      ...added.map((file) => `added ${textOf([file])}`),
      ...changed.map(({ path, from, to }) => `changed ${path}${from.sha256} ${path}${to.sha256}`),
      ...removed.map((file) => `removed ${textOf([file])}`),
      ...both.map((each) => `both ${each.path}: ${[each.base, each.here, each.source].map(state).join(' ')}`),
    ].join('; '),
  ).toBe(said);
  const taken = new Set([...added, ...changed, ...removed].map(({ path }) => path));
  const after = updatedRemix(states, { taken, merged: new Set() });
  expect([textOf(after.here), textOf(after.base)]).toEqual([here, base]);
  // After it, the source has nothing more to take, and the same files are in both.
  expect({ ...remixChanges({ ...states, ...after }), both: [] }).toEqual({
    added: [],
    changed: [],
    removed: [],
    both: [],
  });
});

test.each([
  [['a1', 'a2', 'a3'], 'a2', 'a3'],
  [['a1 b1', 'a1 b2', 'a1'], 'a1 b2', 'a1'],
] as const)(
  'a file of %j that was merged stays as the remix has it, and is no conflict any more',
  (given, here, base) => {
    const states = statesOf(given);
    const merged = new Set(remixChanges(states).both.map(({ path }) => path));
    expect(merged.size).toBe(1);
    const after = updatedRemix(states, { taken: new Set(), merged });
    expect([textOf(after.here), textOf(after.base)]).toEqual([here, base]);
    expect(remixChanges({ ...states, ...after }).both).toEqual([]);
  },
);
