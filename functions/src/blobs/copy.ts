import type { ManifestFile } from '../policy/manifest';
import { bucket, isPreconditionFailed, objectPaths } from './bucket';
import { mapConcurrently } from './concurrent';

const COPIED_AT_ONCE = 48;

/**
 * Copies files of one deck to another deck. The bucket copies the bytes itself, with one call for each file. A file
 * that the other deck has already is not an error. Returns the hashes of the files that this call copied. When it
 * throws, it may have copied part of the files.
 */
export async function copyBlobs(fromId: string, toId: string, files: readonly ManifestFile[]): Promise<Set<string>> {
  const store = await bucket();
  const made = await mapConcurrently(files, COPIED_AT_ONCE, async ({ sha256, contentType }) => {
    try {
      const options = { contentType, preconditionOpts: { ifGenerationMatch: 0 } };
      await store.file(objectPaths.blob(fromId, sha256)).copy(objectPaths.blob(toId, sha256), options);
      return [sha256];
    } catch (error) {
      if (!isPreconditionFailed(error)) throw error;
      return [];
    }
  });
  return new Set(made.flat());
}
