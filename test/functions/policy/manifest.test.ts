import {
  buildManifest,
  exceededCap,
  SHARD_MAX_BYTES,
  shardOf,
  type ManifestFile,
} from '../../../functions/src/policy/manifest';
import { countChanges } from '../../../functions/src/policy/manifest-diff';
import { words } from '../../support/words';
import { MB } from '../../../functions/src/values/units';
import { planCaps } from '../../../functions/src/policy/plans';
import { remixChanges, updatedRemix } from '../../../functions/src/policy/remix-changes';

const file = (path: string, changes: Partial<ManifestFile> = {}): ManifestFile => {
  return { path, sha256: 'a'.repeat(64), size: 1, contentType: 'text/css', ...changes };
};

test('the plans have the limits that the contract names', () => {
  const GB = 1024 * MB;
  const limits = {
    filesPerManifest: [500, 1_000, 2_500, 5_000, 10_000],
    deckBytes: [250 * MB, GB, 5 * GB, 10 * GB, 20 * GB],
    htmlBytes: [10, 15, 20, 30, 50].map((megabytes) => megabytes * MB),
    assetBytes: [50 * MB, 100 * MB, 250 * MB, 500 * MB, GB],
    collaborators: [10, 20, 50, 75, 100],
    decks: [100, 500, 2_000, 10_000, 50_000],
    storedBytes: [5, 25, 100, 500, 2_000].map((gigabytes) => gigabytes * GB),
    grantedBytes: [500 * MB, 2 * GB, 10 * GB, 20 * GB, 40 * GB],
    newDecksPerHour: [60, 120, 300, 600, 1_200],
    deliveriesPerDay: [1_000, 10_000, 50_000, 200_000, 1_000_000],
    liveFollowers: [100, 5_000, 5_000, 5_000, 5_000],
  };
  const plans = words('free starter pro business enterprise').map((plan, i) => {
    const caps = Object.entries(limits).map(([cap, ofPlans]) => [cap, ofPlans[i]]);
    return [plan, Object.fromEntries(caps) as unknown];
  });
  expect(planCaps).toEqual(Object.fromEntries(plans));
});

describe('a manifest', () => {
  test('of any size is split into shards under the limit, each file in the shard of its path', () => {
    const long = '語'.repeat(505);
    const longPaths = Array.from({ length: 10_000 }, (_, i) => file(`${String(i).padStart(6, '0')}-${long}`));
    for (const files of [[file('index.html')], longPaths]) {
      const { shards, fileCount } = buildManifest(files);
      expect([fileCount, shards.flat().length]).toEqual([files.length, files.length]);
      const sizes = shards.map((shard) => Buffer.byteLength(JSON.stringify(shard)));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(SHARD_MAX_BYTES);
      const places = shards.map((shard) => new Set(shard.map(({ path }) => shardOf(path, shards.length))));
      expect(places).toEqual(shards.map((_shard, i) => new Set([i])));
    }
  });

  test('has an id that depends on its files and not on their order', () => {
    const files = [file('a'), file('b'), file('c')];
    const { manifestId } = buildManifest(files);
    expect(buildManifest([...files].reverse()).manifestId).toBe(manifestId);
    expect(buildManifest([file('a'), file('b'), file('c', { size: 2 })]).manifestId).not.toBe(manifestId);
    expect(buildManifest([file('a'), file('b'), file('c', { contentType: 'x/y' })]).manifestId).not.toBe(manifestId);
  });
});

test('plan caps are exact to one file and one byte', () => {
  const { filesPerManifest, deckBytes, htmlBytes, assetBytes } = planCaps.free;
  expect([filesPerManifest, deckBytes, htmlBytes, assetBytes]).toEqual([500, 250 * MB, 10 * MB, 50 * MB]);
  const many = (n: number) => Array.from({ length: n }, (_, i) => file(`f${i}`));
  expect(exceededCap(many(500), 'free')).toBeUndefined();
  const excess = (limit: number) => ({ limit, actual: limit + 1, plan: 'free' });
  expect(exceededCap(many(501), 'free')).toEqual({ code: 'too-many-files', details: excess(500) });
  expect(exceededCap([file('v', { size: 50 * MB })], 'free')).toBeUndefined();
  const large = { code: 'payload-too-large', details: { ...excess(50 * MB), path: 'v' } };
  expect(exceededCap([file('v', { size: 50 * MB + 1 })], 'free')).toEqual(large);
  for (const html of [file('a', { contentType: 'Text/HTML; charset=utf-8' }), file('a.HTM')]) {
    expect(exceededCap([{ ...html, size: 10 * MB }], 'free')).toBeUndefined();
    expect(exceededCap([{ ...html, size: 10 * MB + 1 }], 'free')?.details.limit).toBe(10 * MB);
  }
  const five = many(5).map((each) => ({ ...each, size: 50 * MB }));
  expect(exceededCap(five, 'free')).toBeUndefined();
  expect(exceededCap([...five, file('one more')], 'free')?.details).toEqual(excess(250 * MB));
});

test('changes are counted by path', () => {
  const before = [file('same'), file('other'), file('gone'), file('type')];
  const changed = [file('other', { sha256: 'b'.repeat(64) }), file('type', { contentType: 'x/y' })];
  const after = [file('same'), ...changed, file('new')];
  expect(countChanges(before, after)).toEqual({ added: 1, changed: 2, removed: 1, unchanged: 1 });
});

/** `a1 b2`: the file a with the content 1, and the file b with the content 2. */
const files = (text: string) => words(text).map(([path, content]) => file(path!, { sha256: content! }));
const textOf = (found: readonly ManifestFile[]) => found.map(({ path, sha256 }) => path + sha256).join(' ');
const statesOf = ([base, here, source]: readonly [string, string, string]) => {
  return { base: files(base), here: files(here), source: files(source) };
};

/** [base, remix, source], what the comparison says, and the remix and its base after an update with all of it. */
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
  const nothing = { added: [], changed: [], removed: [] };
  expect(remixChanges({ ...states, ...after })).toMatchObject(nothing);
});

test.each([
  [['a1', 'a2', 'a3'], 'a2', 'a3'],
  [['a1 b1', 'a1 b2', 'a1'], 'a1 b2', 'a1'],
] as const)('a merged file of %j stays as the remix has it, and is not a conflict any more', (given, here, base) => {
  const states = statesOf(given);
  const merged = new Set(remixChanges(states).both.map(({ path }) => path));
  expect(merged.size).toBe(1);
  const after = updatedRemix(states, { taken: new Set(), merged });
  expect([textOf(after.here), textOf(after.base)]).toEqual([here, base]);
  expect(remixChanges({ ...states, ...after }).both).toEqual([]);
});
