import type { Readable } from 'node:stream';
import type { Context } from '../context';
import type { ManifestFile } from '../policy/manifest';
import { bucket, isPreconditionFailed, objectPaths, storageCall, type Place } from './bucket';
import { mapConcurrently } from './concurrent';
import { createObject } from './object-upload';

/** How long a signed URL is valid, in seconds. */
export const SIGNED_URL_SECONDS = 300;

/** A file whose hash was checked. */
export interface FileToStore {
  sha256: string;
  sizeBytes: number;
  contentType: string;
  /** Called once for each attempt. */
  open: () => Buffer | Readable;
}

/**
 * Stores a file. Idempotent, also for concurrent calls: one call creates the object, which is visible only when it is
 * complete. Returns whether this call created it.
 */
export function storeBlob(
  presentationId: string,
  { sha256, sizeBytes, contentType, open }: FileToStore,
  place: Place = 'blobs',
): Promise<boolean> {
  const name = objectPaths.stored(presentationId, place, sha256);
  return storageCall(async (attempt) => {
    try {
      await createObject({ name, contentType, sizeBytes, open }, attempt);
      return true;
    } catch (error) {
      if (!isPreconditionFailed(error)) throw error;
      // The answer to an earlier attempt may have been lost. Another call may have created the object, too: it then
      // counts twice for the deck, but never not at all.
      return attempt.number > 1;
    }
  });
}

const STORED_AT_ONCE = 16;

/**
 * Stores files, at most 16 at a time. Returns the hashes of the objects that this call created. After a failure, the
 * objects that were created before it stay.
 */
export async function storeBlobs(presentationId: string, files: readonly FileToStore[]): Promise<Set<string>> {
  const created = await mapConcurrently(files, STORED_AT_ONCE, async (file) =>
    (await storeBlob(presentationId, file)) ? [file.sha256] : [],
  );
  return new Set(created.flat());
}

/**
 * A URL of the bucket that is valid for five minutes, for a file that is larger than the response limit of the
 * platform.
 */
export async function signedBlobUrl(context: Context, presentationId: string, file: ManifestFile): Promise<string> {
  const object = (await bucket()).file(objectPaths.blob(presentationId, file.sha256));
  // A service account without a key file lets a service of the platform sign.
  const sign = () =>
    object.getSignedUrl({
      version: 'v4',
      action: 'read',
      expires: Date.now() + SIGNED_URL_SECONDS * 1000,
      responseType: file.contentType,
    });
  const [url] = await storageCall(sign, context);
  return url;
}
