import { mkdir, readdir, realpath, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure, systemCode, usageFailure } from '../failure';
import { readJson, writeAtomically } from '../storage';

/** What a folder remembers of a remix until all its files are there; it holds no secret. */
export interface Unfinished {
  slug: string;
  baseUrl: string;
  title?: string | undefined;
  /** Goes with every try to make the deck, so that a lost answer does not make a second one. */
  idempotencyKey: string;
  /** The deck, once it is made. */
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
export async function claimFolder(
  name: string,
  wish: Pick<Unfinished, 'slug' | 'baseUrl' | 'title'>,
): Promise<FolderToFill> {
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
  const isSame = unfinished?.slug === wish.slug && unfinished.baseUrl === wish.baseUrl;
  if (isSame && (wish.title === undefined || wish.title === unfinished.title)) return { folder, isNew, unfinished };
  throw new Failure(`The folder ${name} is not empty.`, {
    code: 'folder-not-empty',
    nextAction: `Name a folder that is not there yet: deck remix ${wish.slug} <folder>`,
  });
}

export async function noteUnfinished(folder: string, note: Unfinished): Promise<void> {
  await mkdir(partsFolderOf(folder), { recursive: true });
  await writeAtomically(noteOf(folder), note, 0o644);
}

/** Forgets the remix: it is whole, or it cannot become so. */
export async function forgetUnfinished(folder: string): Promise<void> {
  await rm(partsFolderOf(folder), { recursive: true, force: true });
}

/** Leaves nothing behind where nothing came of it. */
export async function releaseFolder({ folder, isNew }: FolderToFill): Promise<void> {
  await forgetUnfinished(folder);
  if (isNew) await rmdir(folder).catch(() => undefined);
}
