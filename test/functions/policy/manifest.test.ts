import {
  buildManifest,
  exceededCap,
  SHARD_MAX_BYTES,
  shardOf,
  type ManifestFile,
} from '../../../functions/src/policy/manifest';
import { countChanges } from '../../../functions/src/policy/manifest-diff';
import { planCaps } from '../../../functions/src/policy/plans';

const MB = 1024 * 1024;
const file = (path: string, changes: Partial<ManifestFile> = {}): ManifestFile => {
  return { path, sha256: 'a'.repeat(64), size: 1, contentType: 'text/css', ...changes };
};

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

describe('plan caps', () => {
  test('are exact to one file and one byte', () => {
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
});

test('changes are counted by path', () => {
  const before = [file('same'), file('other'), file('gone'), file('type')];
  const changed = [file('other', { sha256: 'b'.repeat(64) }), file('type', { contentType: 'x/y' })];
  const after = [file('same'), ...changed, file('new')];
  expect(countChanges(before, after)).toEqual({ added: 1, changed: 2, removed: 1, unchanged: 1 });
});
