import { createHash } from 'node:crypto';
import { newId } from '../values/ids';
import { bucket, objectPaths, storageCall } from './bucket';
import { mapConcurrently } from './concurrent';
import { createObject } from './object-upload';
import { deleteObjects } from './removal';

/** The parts of exports of accounts, as objects of the bucket. */

/** How long the address of a part is valid, in seconds. */
export const PART_ADDRESS_SECONDS = 600;

interface Export {
  organizationId: string;
  exportId: string;
}

interface StoredPart {
  objectName: string;
  sizeBytes: number;
  sha256: string;
}

/**
 * Stores what `open` streams as a part. `open` is called once for each attempt, and each attempt writes an object of
 * its own, so an attempt that was cut off leaves no part. An error of the stream is thrown as it is.
 */
export function storePart({ organizationId, exportId }: Export, open: () => AsyncIterable<Uint8Array>) {
  return storageCall(async (attempt): Promise<StoredPart> => {
    const objectName = objectPaths.exportPart(organizationId, exportId, newId());
    const hash = createHash('sha256');
    let sizeBytes = 0;
    let failure: { error: unknown } | undefined;
    async function* counted(): AsyncGenerator<Buffer> {
      try {
        for await (const chunk of patient(open(), attempt.progress)) {
          hash.update(chunk);
          sizeBytes += chunk.length;
          yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        }
      } catch (error) {
        failure = { error };
        throw error;
      }
    }
    try {
      await createObject({ name: objectName, contentType: 'application/zip', open: counted }, attempt);
    } catch (error) {
      throw failure ? failure.error : error;
    }
    return { objectName, sizeBytes, sha256: hash.digest('hex') };
  });
}

const PATIENCE_MS = 1_000;

/**
 * What a source yields. While the source makes its next bytes, which has limits of its own, the attempt goes on: only
 * the bucket may be too slow for it.
 */
async function* patient<T>(source: AsyncIterable<T>, progress: () => void): AsyncGenerator<T> {
  const values = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = setInterval(progress, PATIENCE_MS);
      const next = await values.next().finally(() => clearInterval(timer));
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await values.return?.();
  }
}

const SIGNED_AT_ONCE = 16;

/** URLs of the bucket at which parts can be downloaded for ten minutes, under file names. */
export async function signedPartUrls(parts: readonly { objectName: string; fileName: string }[]): Promise<string[]> {
  const store = await bucket();
  const expires = Date.now() + PART_ADDRESS_SECONDS * 1000;
  return mapConcurrently(parts, SIGNED_AT_ONCE, async ({ objectName, fileName }) => {
    const options = { version: 'v4', action: 'read', expires, promptSaveAs: fileName } as const;
    // A service account without a key file lets a service of the platform sign.
    return (await storageCall(() => store.file(objectName).getSignedUrl(options)))[0];
  });
}

/** Deletes the objects of all exports of an organization, but those that `kept` names. */
export async function deleteParts(organizationId: string, kept?: { exportId: string }): Promise<number> {
  const isDue = (name: string) => name.split('/')[0] !== kept?.exportId;
  return deleteObjects(objectPaths.exports(organizationId), { isDue });
}
