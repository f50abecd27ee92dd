import { LRUCache } from 'lru-cache';
import { config } from '../config';
import { fail } from '../errors';
import { logWarning } from '../log';
import type { ManifestFile } from '../policy/manifest';
import { MB } from '../values/units';
import { isNoSuchObject, objectPaths } from './bucket';
import { readObject } from './reading';

/** Files are read and cached in blocks of this size. The last block of a file is shorter. */
const BLOCK_BYTES = 1 * MB;
const CACHE_BYTES = 64 * MB;

/**
 * Blocks that the instance has read, by the SHA-256 of their file and their position. The bytes of a hash never change,
 * so the cache cannot be stale. The authorization is not cached: every request is checked before this cache is used.
 */
const cache = new LRUCache<string, Buffer>({
  maxSize: CACHE_BYTES,
  sizeCalculation: (bytes) => bytes.length + 128,
});

/** The blocks that are being read. Requests that need the same block of a deck share its read. */
const reads = new Map<string, Promise<Buffer>>();

/**
 * The bytes of a file from `at` to `end` (inclusive), or to the end of their block when `end` is in a later block.
 * Undefined when the instance has not cached the block.
 */
export function cachedBytes(file: ManifestFile, at: number, end: number): Buffer | undefined {
  const index = indexOf(at);
  const block = cache.get(keyOf(file, index));
  return block && cut(block, index, at, end);
}

/**
 * The same bytes, which are read and cached if necessary. The read has the time of a call, whatever time the request
 * has left. Throws not-found when the object of the file is missing.
 */
export async function readBytes(presentationId: string, file: ManifestFile, at: number, end: number): Promise<Buffer> {
  const index = indexOf(at);
  return cachedBytes(file, at, end) ?? cut(await readBlock(presentationId, file, index), index, at, end);
}

/** Starts to read the block of the byte `at` if the instance has not cached it. A failure has no effect. */
export function readAhead(presentationId: string, file: ManifestFile, at: number): void {
  const index = indexOf(at);
  if (!cache.has(keyOf(file, index))) readBlock(presentationId, file, index).catch(() => {});
}

const indexOf = (at: number) => Math.floor(at / BLOCK_BYTES);
const cut = (block: Buffer, index: number, at: number, end: number) =>
  block.subarray(at - index * BLOCK_BYTES, end + 1 - index * BLOCK_BYTES);
const keyOf = ({ sha256 }: ManifestFile, index: number) => `${sha256}/${index}`;

/** Reads a block and caches it. A read that fails is not cached. */
function readBlock(presentationId: string, file: ManifestFile, index: number): Promise<Buffer> {
  const key = keyOf(file, index);
  // The object of another deck may be missing. This request must not fail for it.
  const readKey = `${presentationId}/${key}`;
  const running = reads.get(readKey);
  if (running) return running;
  const started = download(presentationId, file, index)
    .then((block) => {
      cache.set(key, block);
      return block;
    })
    .finally(() => reads.delete(readKey));
  reads.set(readKey, started);
  return started;
}

async function download(presentationId: string, { sha256, size }: ManifestFile, index: number): Promise<Buffer> {
  const start = index * BLOCK_BYTES;
  const end = Math.min(start + BLOCK_BYTES, size) - 1;
  const block = Buffer.allocUnsafeSlow(end + 1 - start);
  let filled = 0;
  const span = { name: objectPaths.blob(presentationId, sha256), start, end, isWhole: size <= BLOCK_BYTES };
  try {
    await readObject(span, config.callTimeoutMs(), (bytes) => {
      filled += bytes.copy(block, filled);
    });
  } catch (cause) {
    if (!isNoSuchObject(cause)) throw cause;
    logWarning('A file of a deck is missing. Its deck was just deleted, or is damaged.', cause, { presentationId });
    fail('not-found', undefined, { cause });
  }
  return block;
}
