import type { ManifestFile } from '../policy/manifest';
import { bucket, isPreconditionFailed, objectPaths, storageCall } from './bucket';
import { mapConcurrently } from './concurrent';

const COPIED_AT_ONCE = 48;

/**
 * Copies files of one deck to another inside the bucket: one request for each file, at most 48 at a time. A file that
 * the target already has is skipped. Returns the hashes of the files that this call copied. After a failure, the copies
 * that were made before it stay.
 */
export async function copyBlobs(fromId: string, toId: string, files: readonly ManifestFile[]): Promise<Set<string>> {
  const store = await bucket();
  const copied = await mapConcurrently(files, COPIED_AT_ONCE, async ({ sha256, contentType }) => {
    const options = { contentType, preconditionOpts: { ifGenerationMatch: 0 } };
    const isNew = await storageCall(async ({ number }) => {
      try {
        await store.file(objectPaths.blob(fromId, sha256)).copy(objectPaths.blob(toId, sha256), options);
        return true;
      } catch (error) {
        if (!isPreconditionFailed(error)) throw error;
        // The answer to an earlier attempt may have been lost.
        return number > 1;
      }
    });
    return isNew ? [sha256] : [];
  });
  return new Set(copied.flat());
}
