import { lstat, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isVersionNumber, makePartsFolder, partsFolderOf, requirePartsFolder } from '../download/parts-folder';
import { Failure } from '../failure';
import { plain } from '../format';
import { readJson, writeJson } from '../json-file';
import { MARK } from './merge-text';

/**
 * A pull that has begun to change the folder. It is stored in the folder until all files are in place: until then the
 * files are a mix of two versions, which must not be pushed.
 */
export interface PullState {
  presentationId: string;
  baseUrl: string;
  /** The version that the folder was based on. */
  from: number;
  to: number;
  /** Of the update of a remix: the version of the source whose changes it merges. */
  sourceVersion?: number;
  /** The hashes of the files that the pull merges, by their paths: one that is in place is not merged again. */
  merged?: Readonly<Record<string, string>>;
  /** The paths of those with conflict marks. */
  marked?: readonly string[];
}

const statePath = (folder: string) => join(partsFolderOf(folder), 'pull.json');
const marksPath = (folder: string) => join(partsFolderOf(folder), 'marks.json');

/** The unfinished pull of the folder. Throws `bad-link` when the folder for partial files is not a folder. */
export async function readPullState(folder: string): Promise<PullState | undefined> {
  await requirePartsFolder(folder);
  const state = await readJson<PullState>(statePath(folder));
  const { from, to, sourceVersion = 1 } = state ?? {};
  if (!state || [from, to, sourceVersion].every(isVersionNumber)) return state;
  throw new Failure(`${statePath(folder)} is damaged: it does not name two versions.`, {
    code: 'damaged-file',
    nextAction: `Delete ${partsFolderOf(folder)}, and check the files before you push them.`,
  });
}

export async function storePullState(folder: string, state: PullState): Promise<void> {
  await makePartsFolder(folder);
  await writeJson(statePath(folder), state, 0o644);
}

/**
 * The files of the folder are those of one version. A note remains about files in which this or an earlier pull left
 * conflict marks. Returns their paths.
 */
export async function finishPull(folder: string, marked: readonly string[]): Promise<string[]> {
  const partsFolder = partsFolderOf(folder);
  const paths = [...new Set([...marked, ...((await readMarked(folder)) ?? [])])];
  if (paths.length === 0) await rm(partsFolder, { recursive: true, force: true });
  else {
    await writeJson(marksPath(folder), { paths }, 0o644);
    for (const name of await readdir(partsFolder))
      if (name !== basename(marksPath(folder))) await rm(join(partsFolder, name), { recursive: true, force: true });
  }
  return paths;
}

/** The paths of the files that still have marks that a pull left. Undefined without a note about them. */
export async function readMarked(folder: string): Promise<string[] | undefined> {
  const { paths } = (await readJson<{ paths: unknown }>(marksPath(folder))) ?? {};
  if (!Array.isArray(paths)) return undefined;
  const left: string[] = [];
  for (const path of paths.map(String)) {
    const file = join(folder, ...path.split('/'));
    // A pipe or a device in another person's folder has no end.
    const text = (await isFile(file)) ? await readFile(file, 'utf8') : '';
    if (text.split(/\r?\n/).includes(MARK)) left.push(path);
  }
  return left;
}

/** Throws `conflict-marks` when a file still has marks that a pull left. Else the note about them is deleted. */
export async function refuseMarks(folder: string): Promise<void> {
  const left = await readMarked(folder);
  if (!left) return;
  if (left.length === 0) {
    await rm(marksPath(folder));
    return void (await rmdir(partsFolderOf(folder)).catch(() => undefined));
  }
  throw new Failure(`A pull left conflict marks in ${left.map(plain).join(', ')}.`, {
    code: 'conflict-marks',
    nextAction: 'Choose between the lines of the two sides, and delete the marks.',
    details: { files: left },
  });
}

/**
 * Throws `unfinished-download` when a download into the folder was interrupted: a push would publish a part of a deck,
 * or a mix of two versions. Throws `conflict-marks` when a pull left some that are still there.
 */
export async function refuseUnfinished(folder: string): Promise<void> {
  const names = await readdir(partsFolderOf(folder)).catch(() => []);
  if (!names.some((name) => ['pull.json', 'unfinished.json'].includes(name))) return refuseMarks(folder);
  throw new Failure('A download into this folder was interrupted: its files are not those of one version.', {
    code: 'unfinished-download',
    nextAction: `Complete the download. Or delete ${partsFolderOf(folder)}, and check the files before you push them.`,
  });
}

const isFile = async (path: string) => (await lstat(path).catch(() => undefined))?.isFile() ?? false;
