import { byPath, type ManifestFile } from './manifest';

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

export interface ManifestDiff {
  added: FileState[];
  removed: FileState[];
  changed: { path: string; from: FileState; to: FileState }[];
  /** A removed path and an added path with the same bytes. */
  renamed: { from: string; to: string; sha256: string; size: number }[];
  unchanged: number;
  /** The bytes of the hashes that the older version does not have. Each hash counts once. */
  bytesToUpload: number;
}

type FileState = Pick<ManifestFile, 'path' | 'sha256' | 'size' | 'contentType'>;

/**
 * The changes from one manifest to another, by path and by content. Each list is sorted by path, `renamed` by the new
 * path.
 */
export function diffManifests(before: readonly ManifestFile[], after: readonly ManifestFile[]): ManifestDiff {
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Set(after.map((file) => file.path));
  const gone = new Map<string, ManifestFile[]>();
  for (const file of [...before].sort(byPath)) {
    if (!now.has(file.path)) gone.set(file.sha256, [...(gone.get(file.sha256) ?? []), file]);
  }
  const diff: ManifestDiff = { added: [], removed: [], changed: [], renamed: [], unchanged: 0, bytesToUpload: 0 };
  for (const file of [...after].sort(byPath)) {
    const previous = old.get(file.path);
    const renamedFrom = previous ? undefined : gone.get(file.sha256)?.shift();
    if (renamedFrom) diff.renamed.push({ from: renamedFrom.path, to: file.path, sha256: file.sha256, size: file.size });
    else if (!previous) diff.added.push(file);
    else if (isSame(previous, file)) diff.unchanged++;
    else diff.changed.push({ path: file.path, from: previous, to: file });
  }
  diff.removed = [...gone.values()].flat().sort(byPath);
  const known = new Set(before.map((file) => file.sha256));
  for (const [sha256, file] of new Map(after.map((each) => [each.sha256, each]))) {
    if (!known.has(sha256)) diff.bytesToUpload += file.size;
  }
  return diff;
}

const isSame = (a: ManifestFile, b: ManifestFile) => a.sha256 === b.sha256 && a.contentType === b.contentType;
