import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../failure';
import { onDisk } from '../on-disk';

/**
 * Inside the folder, so that it is moved and deleted with the folder. No deck holds this name, because a push ignores
 * dotfiles.
 */
export const WORK_FOLDER = '.deck-download';

/** The folder for partial files. */
export const partsFolderOf = (folder: string) => join(folder, WORK_FOLDER);

/** Makes the folder for partial files. Throws `cannot-write`. */
export async function makePartsFolder(folder: string): Promise<void> {
  await onDisk(partsFolderOf(folder), () => mkdir(partsFolderOf(folder), { recursive: true }));
}

/** Throws `bad-link` when the folder for partial files is a link or a file. A folder may come from another person. */
export async function requirePartsFolder(folder: string): Promise<void> {
  const path = partsFolderOf(folder);
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isDirectory())
    throw new Failure(`${path} is not a folder.`, { code: 'bad-link', nextAction: 'Delete it.' });
}

/**
 * Deletes everything that a download did not make: links, of which a write would change a file elsewhere, pipes and
 * folders. A folder may come from another person.
 */
export async function cleanPartsFolder(folder: string): Promise<void> {
  await requirePartsFolder(folder);
  const names = await readdir(partsFolderOf(folder)).catch(() => []);
  for (const name of names) {
    const path = join(partsFolderOf(folder), name);
    const found = await lstat(path);
    if (!found.isFile() || found.nlink > 1) await rm(path, { recursive: true, force: true });
  }
}

/** Whether a number that a folder's file holds is one of a version. */
export const isVersionNumber = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
