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
const file = (path: string, changes: Partial<ManifestFile> = {}): ManifestFile => ({
  path,
  sha256: 'a'.repeat(64),
  size: 1,
  contentType: 'text/css',
  ...changes,
});

describe('a manifest', () => {
  test('of any size is split into shards under the limit, each file in the shard of its path', () => {
    const longPaths = Array.from({ length: 10_000 }, (_, i) =>
      file(`${String(i).padStart(6, '0')}-${'語'.repeat(505)}`),
    );
    for (const files of [[file('index.html')], longPaths]) {
      const { shards, fileCount } = buildManifest(files);
      expect(fileCount).toBe(files.length);
      expect(shards.flat()).toHaveLength(files.length);
      shards.forEach((shard, i) => {
        expect(Buffer.byteLength(JSON.stringify(shard))).toBeLessThanOrEqual(SHARD_MAX_BYTES);
        for (const { path } of shard) expect(shardOf(path, shards.length)).toBe(i);
      });
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
    expect(exceededCap(many(501), 'free')).toEqual({
      code: 'too-many-files',
      details: { limit: 500, actual: 501, plan: 'free' },
    });
    expect(exceededCap([file('v', { size: 50 * MB })], 'free')).toBeUndefined();
    expect(exceededCap([file('v', { size: 50 * MB + 1 })], 'free')).toEqual({
      code: 'payload-too-large',
      details: { limit: 50 * MB, actual: 50 * MB + 1, plan: 'free', path: 'v' },
    });
    for (const html of [file('a', { contentType: 'Text/HTML; charset=utf-8' }), file('a.HTM')]) {
      expect(exceededCap([{ ...html, size: 10 * MB }], 'free')).toBeUndefined();
      expect(exceededCap([{ ...html, size: 10 * MB + 1 }], 'free')?.details.limit).toBe(10 * MB);
    }
    const five = many(5).map((each) => ({ ...each, size: 50 * MB }));
    expect(exceededCap(five, 'free')).toBeUndefined();
    expect(exceededCap([...five, file('one more')], 'free')?.details).toEqual({
      limit: 250 * MB,
      actual: 250 * MB + 1,
      plan: 'free',
    });
  });
});

test('changes are counted by path', () => {
  const before = [file('same'), file('other'), file('gone'), file('type')];
  const after = [
    file('same'),
    file('other', { sha256: 'b'.repeat(64) }),
    file('type', { contentType: 'x/y' }),
    file('new'),
  ];
  expect(countChanges(before, after)).toEqual({ added: 1, changed: 2, removed: 1, unchanged: 1 });
});
