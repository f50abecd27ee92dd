import { LRUCache } from 'lru-cache';
import { config } from '../config';
import type { Context } from '../context';
import { withinCall } from '../deadlines';
import { fail } from '../errors';
import { logWarning } from '../log';
import type { ManifestFile } from '../policy/manifest';
import { MB } from '../values/units';
import { isNoSuchObject, objectPaths, type Place } from './bucket';
import { Slots } from './concurrent';
import { readObject } from './reading';

/** Files are read and cached in blocks of this size. The last block of a file is shorter. */
const BLOCK_BYTES = 1 * MB;
const CACHE_BYTES = 64 * MB;
/**
 * As many reads as an instance serves requests: a reader needs one at a time. A read goes on when its readers have
 * left, so without this limit such reads could fill the memory while the bucket is slow.
 */
const READS_AT_ONCE = 80;

/** A file of a deck, and the request that needs it. */
interface Source {
  context: Context;
  presentationId: string;
  file: ManifestFile;
  /** Where the object of the file is: among the files of the deck when absent. */
  place?: Place | undefined;
}

/**
 * Blocks that the instance has read, by the SHA-256 of their file and their position. The bytes of a hash never change,
 * so the cache cannot be stale. The authorization is not cached: every request is checked before this cache is used.
 */
const cache = new LRUCache<string, Buffer>({
  maxSize: CACHE_BYTES,
  sizeCalculation: (bytes) => bytes.length + 128,
});

/**
 * The blocks that are being read. Requests that need the same block of a deck share its read. They also share its
 * error, which no request may change.
 */
const reads = new Map<string, Promise<Buffer>>();
const slots = new Slots(READS_AT_ONCE);
/** The time of a call, whatever time the request has left: a slow client is not a fault. */
const ownTime: Context = { trail: undefined, endsAt: Infinity };

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
export async function readBytes(source: Source, at: number, end: number): Promise<Buffer> {
  const index = indexOf(at);
  return cachedBytes(source.file, at, end) ?? cut(await readBlock(source, index), index, at, end);
}

/** All bytes of a file, block after block. The caller bounds the size. */
export async function readWhole(source: Source): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for (let at = 0; at < source.file.size; at += BLOCK_BYTES) {
    blocks.push(await readBytes(source, at, Math.min(at + BLOCK_BYTES, source.file.size) - 1));
  }
  return Buffer.concat(blocks);
}

/** The text at the start of a file, at most `maxBytes` of it. It must be in its first block. */
export async function readText(source: Source, maxBytes: number): Promise<string> {
  const end = Math.min(source.file.size, maxBytes) - 1;
  if (end < 0) return '';
  return (await withinCall('Storage', () => readBytes(source, 0, end), source.context)).toString('utf8');
}

/**
 * Starts to read the same bytes. The result gets them when the instance has them, and keeps them when the cache drops
 * them. A failure has no effect.
 */
export function readAhead(source: Source, at: number, end: number): { bytes?: Buffer } {
  const bytes = cachedBytes(source.file, at, end);
  if (bytes) return { bytes };
  const ahead: { bytes?: Buffer } = {};
  readBytes(source, at, end).then(
    (read) => (ahead.bytes = read),
    () => {},
  );
  return ahead;
}

const indexOf = (at: number) => Math.floor(at / BLOCK_BYTES);

/** Never empty: the caller would ask for the next bytes at the same position for ever. */
function cut(block: Buffer, index: number, at: number, end: number): Buffer {
  const bytes = block.subarray(at - index * BLOCK_BYTES, end + 1 - index * BLOCK_BYTES);
  if (bytes.length === 0) throw new Error(`The file has no bytes from ${at} to ${end}.`);
  return bytes;
}

/** Damaged manifests may have different sizes for one hash. The size decides where the last block ends. */
const keyOf = ({ sha256, size }: ManifestFile, index: number) => `${sha256}/${size}/${index}`;

/** Reads a block and caches it. A read that fails is not cached. Its log lines have the request that asked first. */
function readBlock(source: Source, index: number): Promise<Buffer> {
  const { presentationId, file, place = 'blobs' } = source;
  const key = keyOf(file, index);
  // The object of another deck, or in another place, may be missing. This request must not fail for it.
  const readKey = `${presentationId}/${place}/${key}`;
  const running = reads.get(readKey);
  if (running) return running;
  const endsAt = performance.now() + config.callTimeoutMs();
  const started = withinCall('Storage', () => slots.run(() => download(source, index, endsAt)), ownTime)
    .then((block) => {
      cache.set(key, block);
      return block;
    })
    .finally(() => reads.delete(readKey));
  reads.set(readKey, started);
  return started;
}

async function download(
  { context, presentationId, file, place = 'blobs' }: Source,
  index: number,
  endsAt: number,
): Promise<Buffer> {
  const { sha256, size } = file;
  const start = index * BLOCK_BYTES;
  const end = Math.min(start + BLOCK_BYTES, size) - 1;
  const block = Buffer.allocUnsafeSlow(end + 1 - start);
  let filled = 0;
  const span = { name: objectPaths.stored(presentationId, place, sha256), start, end, isWhole: size <= BLOCK_BYTES };
  try {
    await readObject(span, endsAt - performance.now(), (bytes) => {
      filled += bytes.copy(block, filled);
    });
  } catch (cause) {
    if (!isNoSuchObject(cause)) throw cause;
    const message = 'A file of a deck is missing. Its deck was just deleted, or is damaged.';
    logWarning(message, cause, { presentationId }, context);
    fail('not-found', undefined, { cause });
  }
  return block;
}
