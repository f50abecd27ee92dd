import { constants } from 'node:fs';
import { chmod, copyFile, lstat, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fetchFile, isWhole, PARALLEL_FILES, targetOf, type Download } from '../download/download-files';
import { Failure } from '../failure';
import type { HashedFile } from '../folder/hash';
import { onDisk } from '../on-disk';
import { inParallel } from '../parallel';
import type { DeckFileRow, FileChange } from './file-change';

/**
 * Gets the contents of the files into the folder for partial files. A content that the folder holds under another name
 * is copied, every other one is downloaded. Each is verified by its hash.
 */
export async function fetchContents(
  download: Download,
  files: readonly DeckFileRow[],
  here: readonly HashedFile[],
): Promise<void> {
  const local = new Map(here.map((file) => [file.sha256, file]));
  const wanted = new Map(files.map((file) => [file.sha256, file]));
  await inParallel(wanted.values(), PARALLEL_FILES, async (file, signal) => {
    const part = join(download.partsFolder, file.sha256);
    const copy = local.get(file.sha256);
    if (copy) {
      // A copy would follow a link at its target, so that the target is deleted first.
      await rm(part, { force: true });
      await copyFile(copy.absolutePath, part, constants.COPYFILE_EXCL).catch(() => undefined);
      // The file may have changed since it was hashed.
      if (await isWhole(part, file)) return download.onBytes(file.size);
      await rm(part, { force: true });
    }
    await fetchFile(download, file, signal);
  });
}

/** Throws `file-changed` when a file that shall be replaced or deleted is not as it was compared. */
export async function assertAllAsCompared(changes: readonly FileChange[]): Promise<void> {
  for (const { relativePath, old } of changes) if (old) await assertAsCompared(relativePath, old);
}

/**
 * Deletes and writes files. Each write is atomic: a file has its old or its new content. Throws `file-changed` when a
 * file is not as it was compared. Deletions come first: on a file system that ignores case, `a.png` may take the place
 * of `A.png`.
 */
export async function applyChanges(folder: string, partsFolder: string, changes: readonly FileChange[]): Promise<void> {
  for (const { relativePath, old, wanted } of changes) {
    if (wanted || !old) continue;
    await assertAsCompared(relativePath, old);
    await onDisk(relativePath, () => rm(old.absolutePath));
    await removeEmptyFolders(folder, dirname(relativePath));
  }
  const left = countBy(changes.map(({ wanted }) => wanted?.sha256));
  for (const change of changes) {
    const { wanted } = change;
    if (!wanted) continue;
    const uses = left.get(wanted.sha256) ?? 1;
    left.set(wanted.sha256, uses - 1);
    await write(folder, change, { part: join(partsFolder, wanted.sha256), isLast: uses === 1 });
  }
}

/** Writes a file. Its last use takes the part, and every earlier use a copy. */
async function write(
  folder: string,
  { relativePath, old }: FileChange,
  { part, isLast }: { part: string; isLast: boolean },
): Promise<void> {
  await onDisk(relativePath, async () => {
    const source = isLast ? part : `${part}.copy`;
    if (!isLast) {
      await rm(source, { force: true });
      await copyFile(part, source, constants.COPYFILE_EXCL);
    }
    const target = await targetOf(folder, relativePath);
    await removeEmptyTree(target);
    const found = await lstat(target).catch(() => undefined);
    if (old) await assertAsCompared(relativePath, old);
    else if (found) throw fileChanged(relativePath);
    // A file that is replaced keeps its mode.
    if (found) await chmod(source, found.mode & 0o777);
    await rename(source, target);
  });
}

async function assertAsCompared(relativePath: string, { absolutePath, sha256, sizeBytes }: HashedFile): Promise<void> {
  if (!(await isWhole(absolutePath, { sha256, size: sizeBytes }))) throw fileChanged(relativePath);
}

function fileChanged(relativePath: string): Failure {
  return new Failure(`${relativePath} changed during the pull. It was not overwritten.`, {
    code: 'file-changed',
    nextAction: 'Run the same command again. It compares the files again.',
    details: { path: relativePath },
  });
}

/** Deletes a folder that holds nothing but empty folders. Leaves everything else. */
async function removeEmptyTree(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeEmptyTree(join(path, entry.name));
  await rmdir(path).catch(() => undefined);
}

async function removeEmptyFolders(folder: string, below: string): Promise<void> {
  for (let path = below; path !== '.'; path = dirname(path)) {
    const isRemoved = await rmdir(join(folder, path)).then(
      () => true,
      () => false,
    );
    if (!isRemoved) return;
  }
}

function countBy<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
