import { diffFiles, isSame } from '../values/files-diff';
import type { ManifestFile } from './manifest';

/**
 * Counts the changes from one manifest to another by path. A file is changed when its hash or its content type differs.
 */
export function countChanges(
  before: readonly ManifestFile[],
  after: readonly ManifestFile[],
): { added: number; changed: number; removed: number; unchanged: number } {
  const old = new Map(before.map((file) => [file.path, file]));
  let added = 0;
  let changed = 0;
  for (const file of after) {
    const previous = old.get(file.path);
    if (!previous) added++;
    else if (!isSame(previous, file)) changed++;
  }
  const kept = after.length - added;
  return { added, changed, removed: before.length - kept, unchanged: kept - changed };
}

/** The changes from one manifest to another, and the bytes of the hashes that the older one lacks, each once. */
export function diffManifests(before: readonly ManifestFile[], after: readonly ManifestFile[]) {
  const known = new Set(before.map(({ sha256 }) => sha256));
  const lacking = new Map(after.filter(({ sha256 }) => !known.has(sha256)).map(({ sha256, size }) => [sha256, size]));
  const bytesToUpload = [...lacking.values()].reduce((sum, size) => sum + size, 0);
  return { ...diffFiles(before, after), bytesToUpload };
}
