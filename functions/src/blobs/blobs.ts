import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import { fail } from '../errors';
import { logWarning } from '../log';
import type { ManifestFile } from '../policy/manifest';
import { eachOf } from '../values/each-of';
import { bucket, isNoSuchObject, isPreconditionFailed, objectPaths } from './bucket';

const MB = 1024 * 1024;
/** Files up to this size in bytes are kept in the instance once they are read. */
const CACHEABLE_BYTES = 1 * MB;
const CACHE_BYTES = 64 * MB;
/** How long a signed address opens its file. */
export const SIGNED_URL_SECONDS = 300;

/**
 * Bytes that the instance has read, by their hash. They are immutable, so they may be kept; whether somebody may see them is
 * decided anew with every request.
 */
const cache = new LRUCache<string, Buffer, { presentationId: string }>({
  maxSize: CACHE_BYTES,
  sizeCalculation: (bytes) => bytes.length + 128,
  // Requests that miss together share one download.
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

/** Bytes `start` to `end` (inclusive) of a file: from the instance when it is small, streamed when it is not. */
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
 * Stores bytes whose hash was checked. Storing them again, even at the same moment, changes nothing: the object is created once and
 * appears only when it is whole. Answers whether this call created it.
 */
export async function storeBlob(
  presentationId: string,
  sha256: string,
  contentType: string,
  bytes: Readable,
): Promise<boolean> {
  const object = (await bucket()).file(objectPaths.blob(presentationId, sha256));
  const target = object.createWriteStream({
    // One request, so that the precondition is checked by it.
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

/** Stores many, and answers the hashes of those that this call created. */
export async function storeBlobs(
  presentationId: string,
  files: readonly { sha256: string; contentType: string; open: () => Readable }[],
): Promise<Set<string>> {
  const created = await eachOf(files, STORED_AT_ONCE, async ({ sha256, contentType, open }) =>
    (await storeBlob(presentationId, sha256, contentType, open())) ? [sha256] : [],
  );
  return new Set(created.flat());
}

/** An address of the bucket itself, good for five minutes, for files that the platform cannot carry in one answer. */
export async function signedBlobUrl(presentationId: string, file: ManifestFile): Promise<string> {
  const [url] = await (await bucket()).file(objectPaths.blob(presentationId, file.sha256)).getSignedUrl({
    version: 'v4',
    action: 'read',
    expires: Date.now() + SIGNED_URL_SECONDS * 1000,
    responseType: file.contentType,
  });
  return url;
}
