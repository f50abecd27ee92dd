import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import { withinCall, withinOwnTime } from '../deadlines';
import { fail } from '../errors';
import { logWarning } from '../log';
import type { ManifestFile } from '../policy/manifest';
import { MB } from '../values/units';
import { bucket, isNoSuchObject, isPreconditionFailed, objectPaths, storageCall } from './bucket';
import { mapConcurrently } from './concurrent';
import { readObject } from './reading';

/** The largest file in bytes that the instance caches. */
const CACHEABLE_BYTES = 1 * MB;
const CACHE_BYTES = 64 * MB;
/** How long a signed URL is valid, in seconds. */
export const SIGNED_URL_SECONDS = 300;

/**
 * Bytes that the instance has read, by their SHA-256. The bytes of a hash never change, so the cache cannot be stale.
 * The authorization is not cached: every request is checked before this cache is used.
 */
const cache = new LRUCache<string, Buffer, { presentationId: string; sizeBytes: number }>({
  maxSize: CACHE_BYTES,
  sizeCalculation: (bytes) => bytes.length + 128,
  // Concurrent misses of one hash share one download. The deadline of the first request must not fail the others.
  fetchMethod: (sha256, _stale, { context }) =>
    withinOwnTime(() => download(context.presentationId, sha256, context.sizeBytes)),
});

async function download(presentationId: string, sha256: string, sizeBytes: number): Promise<Buffer> {
  if (sizeBytes === 0) return Buffer.alloc(0);
  const object = (await bucket()).file(objectPaths.blob(presentationId, sha256));
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of readObject(object, sizeBytes)) chunks.push(chunk);
  } catch (cause) {
    if (!isNoSuchObject(cause)) throw cause;
    logWarning('A file of a deck is missing. Its deck was just deleted, or is damaged.', cause);
    fail('not-found', undefined, { cause });
  }
  return Buffer.concat(chunks);
}

/** Bytes of a file. The caller must call `close`, or the request to the bucket stays open. Closing twice is safe. */
export interface OpenBlob {
  bytes: Iterable<Buffer> | AsyncIterable<Buffer>;
  close: () => Promise<unknown>;
}

/** Bytes that need no request to the bucket. */
export const openBytes = (...bytes: Buffer[]): OpenBlob => ({ bytes, close: () => Promise.resolve() });

/**
 * Bytes `start` to `end` (inclusive) of a file. A file of at most 1 MiB is read whole and cached, and is not-found when
 * its object is missing. A larger file is streamed, and its first bytes have arrived when this returns.
 */
export async function openBlob(
  presentationId: string,
  file: ManifestFile,
  start: number,
  end: number,
): Promise<OpenBlob> {
  if (file.size <= CACHEABLE_BYTES) {
    const context = { presentationId, sizeBytes: file.size };
    const bytes = await withinCall('Storage', () => cache.fetch(file.sha256, { context }));
    if (bytes?.length !== file.size) throw new Error(`Blob ${file.sha256} does not have the size in its manifest.`);
    return openBytes(bytes.subarray(start, end + 1));
  }
  const object = (await bucket()).file(objectPaths.blob(presentationId, file.sha256));
  const chunks = readObject(object, file.size, { span: { start, end }, isSentOn: true });
  const first = await chunks.next();
  if (first.done) return openBytes();
  return { bytes: prepend(first.value, chunks), close: () => chunks.return(undefined) };
}

async function* prepend(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/**
 * Stores bytes whose hash was checked. Idempotent, also for concurrent calls: one call creates the object, which is
 * visible only when it is complete. Returns whether this call created it. `open` is called once for each attempt.
 */
export async function storeBlob(
  presentationId: string,
  sha256: string,
  contentType: string,
  open: () => Readable,
): Promise<boolean> {
  const object = (await bucket()).file(objectPaths.blob(presentationId, sha256));
  return storageCall(async ({ number, signal, progress }) => {
    const target = object.createWriteStream({
      // A single request, so that the bucket checks the precondition with the bytes.
      resumable: false,
      validation: false,
      preconditionOpts: { ifGenerationMatch: 0 },
      metadata: { contentType },
    });
    try {
      await pipeline(open(), (bytes) => reporting(bytes as AsyncIterable<Buffer>, progress), target, { signal });
      return true;
    } catch (error) {
      if (!isPreconditionFailed(error)) throw error;
      // The answer to an earlier attempt may have been lost. Another call may have created the object, too: it then
      // counts twice for the deck, but never not at all.
      return number > 1;
    }
  });
}

async function* reporting(bytes: AsyncIterable<Buffer>, progress: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    progress();
    yield chunk;
  }
  progress();
}

const STORED_AT_ONCE = 16;

/**
 * Stores files, at most 16 at a time. Returns the hashes of the objects that this call created. After a failure, the
 * objects that were created before it stay.
 */
export async function storeBlobs(
  presentationId: string,
  files: readonly { sha256: string; contentType: string; open: () => Readable }[],
): Promise<Set<string>> {
  const created = await mapConcurrently(files, STORED_AT_ONCE, async ({ sha256, contentType, open }) =>
    (await storeBlob(presentationId, sha256, contentType, open)) ? [sha256] : [],
  );
  return new Set(created.flat());
}

/**
 * A URL of the bucket that is valid for five minutes, for a file that is larger than the response limit of the
 * platform.
 */
export async function signedBlobUrl(presentationId: string, file: ManifestFile): Promise<string> {
  const object = (await bucket()).file(objectPaths.blob(presentationId, file.sha256));
  // A service account without a key file lets a service of the platform sign.
  const [url] = await storageCall(() =>
    object.getSignedUrl({
      version: 'v4',
      action: 'read',
      expires: Date.now() + SIGNED_URL_SECONDS * 1000,
      responseType: file.contentType,
    }),
  );
  return url;
}
