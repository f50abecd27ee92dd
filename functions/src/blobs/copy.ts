import type { ManifestFile } from '../policy/manifest';
import { eachOf } from '../values/each-of';
import { bucket, isPreconditionFailed, objectPaths } from './bucket';

const COPIED_AT_ONCE = 48;

/**
 * Copies files of one deck into the place of another: one call of the bucket each, which moves the bytes itself. A file that is in place
 * already counts as copied. Answers the hashes of those that this call put there. When one fails, some of the others are in place.
 */
export async function copyBlobs(fromId: string, toId: string, files: readonly ManifestFile[]): Promise<Set<string>> {
  const store = await bucket();
  const made = await eachOf(files, COPIED_AT_ONCE, async ({ sha256, contentType }) => {
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
