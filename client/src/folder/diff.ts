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

/** Compares a version with files that are not a version yet, as the service compares two versions. */
export function diffFiles(before: readonly FileState[], after: readonly FileState[]): FilesDiff {
  const byPath = (a: FileState, b: FileState) => (a.path < b.path ? -1 : 1);
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Set(after.map(({ path }) => path));
  const gone = before.filter(({ path }) => !now.has(path)).sort(byPath);
  const diff: FilesDiff = { added: [], removed: gone, changed: [], renamed: [], unchanged: 0 };
  for (const file of [...after].sort(byPath)) {
    const previous = old.get(file.path);
    if (previous) {
      const isSame = previous.sha256 === file.sha256 && previous.contentType === file.contentType;
      if (isSame) diff.unchanged++;
      else diff.changed.push({ path: file.path, from: previous, to: file });
      continue;
    }
    const origin = diff.removed.findIndex(({ sha256 }) => sha256 === file.sha256);
    if (origin < 0) diff.added.push(file);
    else {
      const [{ path: from }] = diff.removed.splice(origin, 1) as [FileState];
      diff.renamed.push({ from, to: file.path, sha256: file.sha256, size: file.size });
    }
  }
  return diff;
}
