import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import { logWarning } from '../log';
import { fail } from '../errors';
import type { ManifestFile } from '../policy/manifest';
import { bucket, isNoSuchObject, isPreconditionFailed, objectPaths } from './bucket';
import { mapConcurrently } from './concurrent';

const MB = 1024 * 1024;
/** The instance caches files up to this size. */
const CACHEABLE_BYTES = 1 * MB;
const CACHE_BYTES = 64 * MB;
/** How long a signed URL is valid. */
export const SIGNED_URL_SECONDS = 300;

/**
 * Bytes by their hash. Bytes of one hash never change, so entries do not expire. Every request checks the caller's
 * access before it reads the cache.
 */
const cache = new LRUCache<string, Buffer, { presentationId: string }>({
  maxSize: CACHE_BYTES,
  sizeCalculation: (bytes) => bytes.length + 128,
  // Concurrent requests for one file share one download.
  fetchMethod: (sha256, _stale, { context }) => download(context.presentationId, sha256),
});

async function download(presentationId: string, sha256: string): Promise<Buffer> {
  const object = (await bucket()).file(objectPaths.blob(presentationId, sha256));
  const [bytes] = await object.download({ decompress: false }).catch((cause: unknown) => {
    if (!isNoSuchObject(cause)) throw cause;
    logWarning('A file of a deck is gone: unless the deck was just deleted, it is damaged.', cause);
    return fail('not-found', undefined, { cause });
  });
  return bytes;
}

/** Bytes `start` to `end` (inclusive) of a file: a small file comes from the cache, a larger one is streamed. */
export async function openBlob(
  presentationId: string,
  file: ManifestFile,
  start: number,
  end: number,
): Promise<Buffer[] | Readable> {
  if (file.size <= CACHEABLE_BYTES) {
    const bytes = await cache.fetch(file.sha256, { context: { presentationId } });
    if (bytes?.length !== file.size) throw new Error(`Blob ${file.sha256} has another size than its manifest says.`);
    return [bytes.subarray(start, end + 1)];
  }
  const object = (await bucket()).file(objectPaths.blob(presentationId, file.sha256));
  return object.createReadStream({ start, end, validation: false, decompress: false });
}

/**
 * Stores bytes; the caller has checked their hash. It is idempotent: of concurrent calls one creates the object, and
 * the object appears only when it is complete. Returns whether this call created it.
 */
export async function storeBlob(
  presentationId: string,
  sha256: string,
  contentType: string,
  bytes: Readable,
): Promise<boolean> {
  const object = (await bucket()).file(objectPaths.blob(presentationId, sha256));
  const target = object.createWriteStream({
    // A single request carries the precondition and the bytes.
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

/** Stores several files like `storeBlob`. Returns the hashes of the files that this call created. */
export async function storeBlobs(
  presentationId: string,
  files: readonly { sha256: string; contentType: string; open: () => Readable }[],
): Promise<Set<string>> {
  const created = await mapConcurrently(files, STORED_AT_ONCE, async ({ sha256, contentType, open }) =>
    (await storeBlob(presentationId, sha256, contentType, open())) ? [sha256] : [],
  );
  return new Set(created.flat());
}

/** A signed URL of the bucket, valid for five minutes, for files that are larger than the platform's largest answer. */
export async function signedBlobUrl(presentationId: string, file: ManifestFile): Promise<string> {
  const [url] = await (await bucket()).file(objectPaths.blob(presentationId, file.sha256)).getSignedUrl({
    version: 'v4',
    action: 'read',
    expires: Date.now() + SIGNED_URL_SECONDS * 1000,
    responseType: file.contentType,
  });
  return url;
}
