import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import { fail } from '../errors';
import { logWarning } from '../log';
import type { ManifestFile } from '../policy/manifest';
import { bucket, isNoSuchObject, isPreconditionFailed, objectPaths } from './bucket';
import { mapConcurrently } from './concurrent';

const MB = 1024 * 1024;
/** The largest file in bytes that the instance caches. */
const CACHEABLE_BYTES = 1 * MB;
const CACHE_BYTES = 64 * MB;
/** How long a signed URL is valid, in seconds. */
export const SIGNED_URL_SECONDS = 300;

/**
 * Bytes that the instance has read, by their SHA-256. The bytes of a hash never change, so the cache cannot be stale.
 * The authorization is not cached: every request is checked before this cache is used.
 */
const cache = new LRUCache<string, Buffer, { presentationId: string }>({
  maxSize: CACHE_BYTES,
  sizeCalculation: (bytes) => bytes.length + 128,
  // Concurrent misses of one hash share one download.
  fetchMethod: (sha256, _stale, { context }) => download(context.presentationId, sha256),
});

async function download(presentationId: string, sha256: string): Promise<Buffer> {
  const object = (await bucket()).file(objectPaths.blob(presentationId, sha256));
  const [bytes] = await object.download({ decompress: false }).catch((cause: unknown) => {
    if (!isNoSuchObject(cause)) throw cause;
    logWarning('A file of a deck is missing. Its deck was just deleted, or is damaged.', cause);
    return fail('not-found', undefined, { cause });
  });
  return bytes;
}

/**
 * Bytes `start` to `end` (inclusive) of a file. A file of at most 1 MiB is read whole and cached, and is not-found when
 * its object is missing. A larger file is streamed.
 */
export async function openBlob(
  presentationId: string,
  file: ManifestFile,
  start: number,
  end: number,
): Promise<Buffer[] | Readable> {
  if (file.size <= CACHEABLE_BYTES) {
    const bytes = await cache.fetch(file.sha256, { context: { presentationId } });
    if (bytes?.length !== file.size) throw new Error(`Blob ${file.sha256} does not have the size in its manifest.`);
    return [bytes.subarray(start, end + 1)];
  }
  const object = (await bucket()).file(objectPaths.blob(presentationId, file.sha256));
  return object.createReadStream({ start, end, validation: false, decompress: false });
}

/**
 * Stores bytes whose hash was checked. Idempotent, also for concurrent calls: one call creates the object, which is
 * visible only when it is complete. Returns whether this call created it.
 */
export async function storeBlob(
  presentationId: string,
  sha256: string,
  contentType: string,
  bytes: Readable,
): Promise<boolean> {
  const object = (await bucket()).file(objectPaths.blob(presentationId, sha256));
  const target = object.createWriteStream({
    // A single request, so that the bucket checks the precondition with the bytes.
    resumable: false,
    validation: false,
    preconditionOpts: { ifGenerationMatch: 0 },
    metadata: { contentType },
  });
  try {
    await pipeline(bytes, target);
    return true;
  } catch (error) {
    if (!isPreconditionFailed(error)) throw error;
    return false;
  }
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
    (await storeBlob(presentationId, sha256, contentType, open())) ? [sha256] : [],
  );
  return new Set(created.flat());
}

/**
 * A URL of the bucket that is valid for five minutes, for a file that is larger than the response limit of the
 * platform.
 */
export async function signedBlobUrl(presentationId: string, file: ManifestFile): Promise<string> {
  const [url] = await (await bucket()).file(objectPaths.blob(presentationId, file.sha256)).getSignedUrl({
    version: 'v4',
    action: 'read',
    expires: Date.now() + SIGNED_URL_SECONDS * 1000,
    responseType: file.contentType,
  });
  return url;
}
