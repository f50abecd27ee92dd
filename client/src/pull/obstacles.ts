import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { foldCase } from '../download/local-paths';
import { Failure } from '../failure';
import type { FileChange } from './file-change';

/**
 * Throws `in-the-way` when a change would follow or replace a symbolic link, or would need the place of a file or
 * folder that the pull does not delete: one that a push ignores, one of the user, or one whose name differs only in
 * case on a file system that ignores case.
 */
export async function refuseObstacles(folder: string, changes: readonly FileChange[]): Promise<void> {
  const vanishing = new Set<string>();
  for (const { relativePath, wanted } of changes)
    if (!wanted) for (const path of [relativePath, ...parentsOf(relativePath)]) vanishing.add(foldCase(path));
  for (const { relativePath, old } of changes) {
    for (const parent of parentsOf(relativePath)) {
      const found = await find(folder, parent);
      if (!found) break;
      if (found.isSymbolicLink()) throw inTheWay(relativePath, `${parent} is a symbolic link`);
      if (!found.isDirectory() && !vanishing.has(foldCase(parent)))
        throw inTheWay(relativePath, `${parent} is not a folder`);
    }
    const found = await find(folder, relativePath);
    if (found) await checkPlace(folder, { relativePath, isKnown: old !== undefined }, found, vanishing);
  }
}

async function checkPlace(
  folder: string,
  { relativePath, isKnown }: { relativePath: string; isKnown: boolean },
  found: Stats,
  vanishing: ReadonlySet<string>,
): Promise<void> {
  if (found.isSymbolicLink()) throw inTheWay(relativePath, 'it is a symbolic link');
  if (found.isDirectory()) {
    // Empty folders are what an interrupted pull leaves of a folder whose files it deleted.
    const content = await readdir(join(folder, relativePath), { recursive: true, withFileTypes: true });
    const kept = content
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(relative(folder, entry.parentPath), entry.name))
      .find((path) => !vanishing.has(foldCase(path)));
    if (kept !== undefined) throw inTheWay(relativePath, `it is a folder that holds ${kept}`);
  } else if (!isKnown && !vanishing.has(foldCase(relativePath)))
    throw inTheWay(relativePath, 'another file has this place, and it is not part of the deck');
}

/** `a/b/c` has the parents `a` and `a/b`. */
function parentsOf(path: string): string[] {
  const segments = path.split(sep);
  return segments.slice(1).map((_, i) => segments.slice(0, i + 1).join(sep));
}

const find = (folder: string, path: string) => lstat(join(folder, path)).catch(() => undefined);

function inTheWay(relativePath: string, what: string): Failure {
  return new Failure(`${relativePath} cannot be changed: ${what}.`, {
    code: 'in-the-way',
    nextAction: 'Nothing was written. Move it out of the folder, then run the same command again.',
    details: { path: relativePath },
  });
}
