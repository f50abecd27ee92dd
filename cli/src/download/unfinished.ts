import { mkdir, readdir, realpath, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure, systemCode, usageFailure } from '../failure';
import { readJson, writeAtomically } from '../storage';

/** What is to come into a folder. */
interface Wish {
  /** The slug of a listing that is remixed, or the id of a deck that is pulled. */
  source: string;
  baseUrl: string;
  title?: string | undefined;
  wantedVersion?: number | undefined;
}

/** What a folder remembers until all its files are there; it holds no secret. */
export interface Unfinished extends Wish {
  /** Goes with every try to make the deck, so that a lost answer does not make a second one. */
  idempotencyKey?: string;
  /** The deck and its version, once they are known. */
  presentationId?: string;
  version?: number;
}

/** A folder that is being filled. */
export interface FolderToFill {
  /** Its real path. */
  folder: string;
  /** Whether it was made for this. */
  isNew: boolean;
  /** What an earlier run of the same command left behind. */
  unfinished: Unfinished | undefined;
}

/** Inside the folder, so that it is moved and removed with it; no deck has such a name, since a push leaves dotfiles at home. */
const workName = '.deck-download';

/** Where parts of files are kept. */
export const partsFolderOf = (folder: string) => join(folder, workName);
const noteOf = (folder: string) => join(folder, workName, 'unfinished.json');

/** Makes the folder, which must be absent, empty, or left unfinished by the same wish. */
export async function claimFolder(name: string, wish: Wish): Promise<FolderToFill> {
  const path = resolve(name);
  const made = await mkdir(path, { recursive: true }).catch((cause: unknown) => {
    const code = systemCode(cause);
    if (code === 'EEXIST' || code === 'ENOTDIR') throw usageFailure(`${name} is no folder.`, 'Name another one.');
    throw new Failure(`The folder ${name} cannot be made (${code}).`, { code: 'cannot-write', cause });
  });
  const folder = await realpath(path);
  const isNew = made !== undefined;
  const content = await readdir(folder);
  if (content.length === 0) return { folder, isNew, unfinished: undefined };
  const unfinished = content.includes(workName) ? await readJson<Unfinished>(noteOf(folder)) : undefined;
  if (unfinished && isMeant(unfinished, wish)) return { folder, isNew, unfinished };
  throw new Failure(`The folder ${name} is not empty.`, {
    code: 'folder-not-empty',
    nextAction: 'Name a folder that is empty or not there yet.',
  });
}

/** Whether a wish is the one that was begun; what it leaves open was settled then. */
function isMeant(begun: Unfinished, { source, baseUrl, title, wantedVersion }: Wish): boolean {
  if (begun.source !== source || begun.baseUrl !== baseUrl) return false;
  return (title ?? begun.title) === begun.title && (wantedVersion ?? begun.version) === begun.version;
}

export async function noteUnfinished(folder: string, note: Unfinished): Promise<void> {
  await mkdir(partsFolderOf(folder), { recursive: true });
  await writeAtomically(noteOf(folder), note, 0o644);
}

/** Forgets it: the folder is whole, or it cannot become so. */
export async function forgetUnfinished(folder: string): Promise<void> {
  await rm(partsFolderOf(folder), { recursive: true, force: true });
}

/** Leaves nothing behind where nothing came of it. */
export async function releaseFolder({ folder, isNew }: FolderToFill): Promise<void> {
  await forgetUnfinished(folder);
  if (isNew) await rmdir(folder).catch(() => undefined);
}
