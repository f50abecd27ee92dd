import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { fail } from '../errors';
import { logWarning } from '../log';
import { shardOf, type Manifest, type ManifestFile, type ManifestPointer } from '../policy/manifest';
import { collection, paths } from './collections';
import { db, read, type Transaction } from './database';

const file = z.object({ path: z.string(), sha256: z.string(), size: z.number().int(), contentType: z.string() });

/** A part of a manifest. JSON text takes a fraction of the bytes and of the time that a list of maps does. */
export const manifestShard = z.object({
  files: z.string().transform((text) => z.array(file).parse(JSON.parse(text))),
});
type Shard = Map<string, ManifestFile>;

const shardRef = (presentationId: string, manifestId: string, shard: number) =>
  collection(paths.manifestShards(presentationId), manifestShard).doc(`${manifestId}-${shard}`);

/** Manifests are immutable, so what an instance has read once stays right; at most some 32 MB of them. */
const cache = new LRUCache<string, Shard>({
  maxSize: 32 * 1024 * 1024,
  sizeCalculation: (shard) => 1024 + shard.size * 512,
});

/** The shards with those numbers: from the instance where it knows them, the others in one round trip. */
async function loadShards(presentationId: string, ref: Shards, numbers: readonly number[]): Promise<Shard[]> {
  const refs = numbers.map((number) => shardRef(presentationId, ref.manifestId, number));
  const unknown = refs.filter(({ path }) => !cache.has(path));
  const records = unknown.length > 0 ? await read(...unknown) : [];
  const loaded = new Map(
    unknown.map(({ path }, i) => {
      const record = records[i];
      if (!record) return failVanished(path);
      const shard: Shard = new Map(record.files.map((entry) => [entry.path, entry]));
      cache.set(path, shard);
      return [path, shard];
    }),
  );
  // What was known a moment ago may have made room for what was just read.
  return Promise.all(
    refs.map(
      async ({ path }, i) =>
        loaded.get(path) ?? cache.get(path) ?? (await loadShards(presentationId, ref, [numbers[i]!]))[0]!,
    ),
  );
}

/** A deck goes from one moment to the next, and whoever was let in a moment before finds no files. Nothing else may make one vanish. */
function failVanished(path: string): never {
  const cause = new Error(`Manifest shard ${path} is missing.`);
  logWarning('A part of a manifest is gone: unless its deck was just deleted, it is damaged.', cause);
  return fail('not-found', undefined, { cause });
}

type Shards = Pick<ManifestPointer, 'manifestId' | 'shardCount'>;

/** The file at a path of a version, or undefined. One read of one shard, or none when the instance knows the shard. */
export async function findFile(presentationId: string, ref: Shards, path: string): Promise<ManifestFile | undefined> {
  const [shard] = await loadShards(presentationId, ref, [shardOf(path, ref.shardCount)]);
  return shard?.get(path);
}

/** All files of a version, in no particular order. At most one round trip. */
export async function listFiles(presentationId: string, ref: Shards): Promise<ManifestFile[]> {
  const shards = await loadShards(
    presentationId,
    ref,
    Array.from({ length: ref.shardCount }, (_, i) => i),
  );
  return shards.flatMap((shard) => [...shard.values()]);
}

/** What one transaction may carry besides its other writes; Firestore's own limit is 10 MiB. */
const MAX_TRANSACTION_BYTES = 8 * 1024 * 1024;

interface Writable {
  set: Transaction['set'];
}

function shardWrites(
  presentationId: string,
  manifest: Manifest,
): { bytes: number; write: (batch: Writable) => void }[] {
  return manifest.shards.map((files, i) => {
    const text = JSON.stringify(files);
    const ref = shardRef(presentationId, manifest.manifestId, i).withConverter(null);
    return { bytes: Buffer.byteLength(text), write: (batch) => batch.set(ref, { files: text }) };
  });
}

/**
 * Returns what writes the manifest in the transaction of the commit. One that is too large for a transaction is written here,
 * ahead of it: its documents are named by their content, so a commit that fails leaves nothing that a later one would trip over.
 */
export async function prepareManifest(presentationId: string, manifest: Manifest): Promise<(tx: Transaction) => void> {
  const writes = shardWrites(presentationId, manifest);
  if (writes.reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_TRANSACTION_BYTES) {
    return (tx) => writes.forEach(({ write }) => write(tx));
  }
  for (let batch = db().batch(), bytes = 0, rest = writes; rest.length > 0; batch = db().batch(), bytes = 0) {
    const fitting = rest.findIndex((next) => (bytes += next.bytes) > MAX_TRANSACTION_BYTES);
    const part = fitting < 0 ? rest : rest.slice(0, fitting);
    part.forEach(({ write }) => write(batch as unknown as Writable));
    await batch.commit();
    rest = rest.slice(part.length);
  }
  return () => {};
}
