import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isVersionNumber, partsFolderOf, requirePartsFolder } from '../download/parts-folder';
import { Failure } from '../failure';
import { readJson, writeJson } from '../json-file';

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
}

const statePath = (folder: string) => join(partsFolderOf(folder), 'pull.json');

/** The unfinished pull of the folder. Throws `bad-link` when the folder for partial files is not a folder. */
export async function readPullState(folder: string): Promise<PullState | undefined> {
  await requirePartsFolder(folder);
  const state = await readJson<PullState>(statePath(folder));
  if (!state || [state.from, state.to].every(isVersionNumber)) return state;
  throw new Failure(`${statePath(folder)} is damaged: it does not name two versions.`, {
    code: 'damaged-file',
    nextAction: `Delete ${partsFolderOf(folder)}, and check the files before you push them.`,
  });
}

export async function storePullState(folder: string, state: PullState): Promise<void> {
  await mkdir(partsFolderOf(folder), { recursive: true });
  await writeJson(statePath(folder), state, 0o644);
}

/**
 * Throws `unfinished-download` when a download into the folder was interrupted: a push would publish a part of a deck,
 * or a mix of two versions.
 */
export async function refuseUnfinished(folder: string): Promise<void> {
  const names = await readdir(partsFolderOf(folder)).catch(() => []);
  if (!names.some((name) => ['pull.json', 'unfinished.json'].includes(name))) return;
  throw new Failure('A download into this folder was interrupted: its files are not those of one version.', {
    code: 'unfinished-download',
    nextAction: `Complete the download. Or delete ${partsFolderOf(folder)}, and check the files before you push them.`,
  });
}
