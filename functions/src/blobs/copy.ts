import type { ManifestFile } from '../policy/manifest';
import { bucket, isPreconditionFailed, objectPaths } from './bucket';
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
    try {
      const options = { contentType, preconditionOpts: { ifGenerationMatch: 0 } };
      await store.file(objectPaths.blob(fromId, sha256)).copy(objectPaths.blob(toId, sha256), options);
      return [sha256];
    } catch (error) {
      if (!isPreconditionFailed(error)) throw error;
      return [];
    }
  });
  return new Set(copied.flat());
}
