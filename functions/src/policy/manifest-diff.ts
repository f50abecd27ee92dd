import type { ManifestFile } from './manifest';

/** What changes from one manifest to another, counted by path. */
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
    else if (previous.sha256 !== file.sha256 || previous.contentType !== file.contentType) changed++;
  }
  const kept = after.length - added;
  return { added, changed, removed: before.length - kept, unchanged: kept - changed };
}
