import { z } from 'zod';
import { LRUCache } from 'lru-cache';
import { currentContext, type Context } from '../context';
import { fail } from '../errors';
import { logWarning } from '../log';
import { shardOf, type Manifest, type ManifestFile, type ManifestPointer } from '../policy/manifest';
import { anyFields, collection, documentOf, paths, type Ref } from './collections';
import { readFor, type Transaction } from './database';
import { db } from './sdk';

const file = z.object({ path: z.string(), sha256: z.string(), size: z.number().int(), contentType: z.string() });

/**
 * A shard of a manifest. The files are JSON text, which is smaller and faster to read than a list of maps.
 */
export const manifestShard = z.object({
  files: z.string().transform((text) => z.array(file).parse(JSON.parse(text))),
});
type Shard = Map<string, ManifestFile>;

const shardRef = (presentationId: string, manifestId: string, shard: number) =>
  collection(paths.manifestShards(presentationId), manifestShard).doc(`${manifestId}-${shard}`);

/**
 * Shards that the instance has read. Shards are immutable, so the cache cannot be stale. Its size is an estimate: at
 * most 32 MiB.
 */
const cache = new LRUCache<string, Shard>({
  maxSize: 32 * 1024 * 1024,
  sizeCalculation: (shard) => 1024 + shard.size * 512,
});

/** The shards with these numbers. Cached shards cost no read; the others are read in one round trip. */
async function loadShards(
  context: Context | undefined,
  presentationId: string,
  manifest: ShardedManifest,
  numbers: readonly number[],
): Promise<Shard[]> {
  const refs = numbers.map((number) => shardRef(presentationId, manifest.manifestId, number));
  const unknown = refs.filter(({ path }) => !cache.has(path));
  const records = unknown.length > 0 ? await readFor(context, ...unknown) : [];
  const loaded = new Map(
    unknown.map(({ path }, i) => {
      const record = records[i];
      if (!record) return failMissing(context, path);
      const shard: Shard = new Map(record.files.map((entry) => [entry.path, entry]));
      cache.set(path, shard);
      return [path, shard];
    }),
  );
  // A cached shard may be evicted while the others are read; it is then read again.
  return Promise.all(
    refs.map(
      async ({ path }, i) =>
        loaded.get(path) ?? cache.get(path) ?? (await loadShards(context, presentationId, manifest, [numbers[i]!]))[0]!,
    ),
  );
}

/** A call that found the deck just before its deletion finds no shards. No other cause is expected. */
function failMissing(context: Context | undefined, path: string): never {
  const cause = new Error(`Manifest shard ${path} is missing.`);
  logWarning('A manifest shard is missing. Its deck was just deleted, or is damaged.', cause, {}, context);
  return fail('not-found', undefined, { cause });
}

type ShardedManifest = Pick<ManifestPointer, 'manifestId' | 'shardCount'>;

/** The file at a path of a version, or undefined. One read, or none when the shard is cached. */
export async function findFile(
  context: Context,
  presentationId: string,
  manifest: ShardedManifest,
  path: string,
): Promise<ManifestFile | undefined> {
  const number = shardOf(path, manifest.shardCount);
  const known = cache.get(shardRef(presentationId, manifest.manifestId, number).path);
  const [shard] = known ? [known] : await loadShards(context, presentationId, manifest, [number]);
  return shard?.get(path);
}

/**
 * The files at these paths of a version, by path. The paths that the version does not have are missing. One round trip,
 * or none when the shards are cached.
 */
export async function findFiles(
  context: Context,
  presentationId: string,
  manifest: ShardedManifest,
  sought: readonly string[],
): Promise<Map<string, ManifestFile>> {
  const numbers = sought.map((path) => shardOf(path, manifest.shardCount));
  const distinct = [...new Set(numbers)];
  const shards = await loadShards(context, presentationId, manifest, distinct);
  const found = sought.map((path, i) => shards[distinct.indexOf(numbers[i]!)]!.get(path));
  return new Map(found.flatMap((file) => (file ? [[file.path, file] as const] : [])));
}

/** All files of a version, in no defined order. One round trip, or none when all shards are cached. */
export async function listFiles(presentationId: string, manifest: ShardedManifest): Promise<ManifestFile[]> {
  const shards = await loadShards(
    currentContext(),
    presentationId,
    manifest,
    Array.from({ length: manifest.shardCount }, (_, i) => i),
  );
  return shards.flatMap((shard) => [...shard.values()]);
}

const READ_AT_ONCE = 8;

/**
 * All files of a version, in no defined order, without the cache: for work that reads each version once. Eight shards
 * are read at a time.
 */
export async function readFiles(presentationId: string, manifest: ShardedManifest): Promise<ManifestFile[]> {
  const files: ManifestFile[] = [];
  for (let first = 0; first < manifest.shardCount; first += READ_AT_ONCE) {
    const count = Math.min(READ_AT_ONCE, manifest.shardCount - first);
    const refs = Array.from({ length: count }, (_, i) => shardRef(presentationId, manifest.manifestId, first + i));
    const records = await readFor(currentContext(), ...refs);
    records.forEach((record, i) => {
      if (!record) failMissing(currentContext(), refs[i]!.path);
      files.push(...record.files);
    });
  }
  return files;
}

/**
 * The files of one shard, in no defined order: all files of a version with fewer than about 500 files, and a sample of
 * those of a larger one. One read, or none when the shard is cached.
 */
export async function listFilesOfOneShard(presentationId: string, manifest: ShardedManifest): Promise<ManifestFile[]> {
  const [shard] = await loadShards(currentContext(), presentationId, manifest, [0]);
  return [...shard!.values()];
}

/**
 * The largest manifest in bytes that a transaction writes besides its other documents. Firestore limits a commit to 10
 * MiB.
 */
const MAX_TRANSACTION_BYTES = 8 * 1024 * 1024;

function shardWrites(
  presentationId: string,
  manifest: Manifest,
): { bytes: number; ref: Ref<FirebaseFirestore.DocumentData>; record: { files: string } }[] {
  return manifest.shards.map((files, i) => {
    const text = JSON.stringify(files);
    const ref = anyFields(shardRef(presentationId, manifest.manifestId, i));
    return { bytes: Buffer.byteLength(text), ref, record: { files: text } };
  });
}

/**
 * Returns the function that writes the manifest in the transaction of the commit. A manifest above 8 MiB is written
 * here, before the transaction, and the returned function does nothing. Its document ids are hashes of its content, so
 * the documents of a failed commit cannot conflict with a later one. `beforeWrite` runs before the manifest is written
 * here, and only then: it refuses a commit that the transaction would refuse.
 */
export async function prepareManifest(
  presentationId: string,
  manifest: Manifest,
  beforeWrite?: () => Promise<void>,
): Promise<(tx: Transaction) => void> {
  const writes = shardWrites(presentationId, manifest);
  if (writes.reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_TRANSACTION_BYTES) {
    return (tx) => writes.forEach(({ ref, record }) => tx.set(ref, record));
  }
  await beforeWrite?.();
  await writeAll(writes);
  return () => {};
}

/** Writes a manifest before the transaction that names it. Its documents cannot conflict with others. */
export async function storeManifest(presentationId: string, manifest: Manifest): Promise<Manifest> {
  await writeAll(shardWrites(presentationId, manifest));
  return manifest;
}

async function writeAll(writes: ReturnType<typeof shardWrites>): Promise<void> {
  for (let batch = db().batch(), bytes = 0, rest = writes; rest.length > 0; batch = db().batch(), bytes = 0) {
    const fitting = rest.findIndex((next) => (bytes += next.bytes) > MAX_TRANSACTION_BYTES);
    const group = fitting < 0 ? rest : rest.slice(0, fitting);
    group.forEach(({ ref, record }) => batch.set(documentOf(ref), record));
    await batch.commit();
    rest = rest.slice(group.length);
  }
}
