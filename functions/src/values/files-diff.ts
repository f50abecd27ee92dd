/** A file as a manifest names it. */
interface FileState {
  path: string;
  sha256: string;
  size: number;
  contentType: string;
}

/** The changes from one list of files to another. Each list is sorted by path, `renamed` by the new path. */
export interface FilesDiff {
  added: FileState[];
  removed: FileState[];
  /** Files whose bytes or content type differ. */
  changed: { path: string; from: FileState; to: FileState }[];
  /** The same bytes under another path. */
  renamed: { from: string; to: string; sha256: string; size: number }[];
  unchanged: number;
}

/** Compares two lists of files, by path and by content. */
export function diffFiles(before: readonly FileState[], after: readonly FileState[]): FilesDiff {
  const byPath = (a: FileState, b: FileState) => (a.path < b.path ? -1 : 1);
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Set(after.map(({ path }) => path));
  const gone = new Map<string, FileState[]>();
  for (const file of [...before].sort(byPath)) {
    if (!now.has(file.path)) gone.set(file.sha256, [...(gone.get(file.sha256) ?? []), file]);
  }
  const diff: FilesDiff = { added: [], removed: [], changed: [], renamed: [], unchanged: 0 };
  for (const file of [...after].sort(byPath)) {
    const previous = old.get(file.path);
    const renamedFrom = previous ? undefined : gone.get(file.sha256)?.shift();
    if (renamedFrom) diff.renamed.push({ from: renamedFrom.path, to: file.path, sha256: file.sha256, size: file.size });
    else if (!previous) diff.added.push(file);
    else if (isSame(previous, file)) diff.unchanged++;
    else diff.changed.push({ path: file.path, from: previous, to: file });
  }
  diff.removed = [...gone.values()].flat().sort(byPath);
  return diff;
}

/** Whether both have the same bytes and the same content type. */
export const isSame = (a: FileState, b: FileState): boolean => a.sha256 === b.sha256 && a.contentType === b.contentType;
