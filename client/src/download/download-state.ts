import { mkdir, readdir, realpath, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure, systemCode, usageFailure } from '../failure';
import { readJson, writeJson } from '../json-file';
import { isId } from '../service/check-answer';
import { isVersionNumber, makePartsFolder, partsFolderOf, requirePartsFolder, WORK_FOLDER } from './parts-folder';

/** The deck that a command shall download into a folder. */
interface DownloadRequest {
  /** The slug of the listing for a remix, the id of the deck for a pull. */
  source: string;
  baseUrl: string;
  title?: string | undefined;
  wantedVersion?: number | undefined;
}

/** The state of a download. It is stored in the folder until all files are there, and holds no secret. */
export interface DownloadState extends DownloadRequest {
  /** Sent with every attempt to make the deck, so that a lost answer does not make a second deck. */
  idempotencyKey?: string;
  /** The deck and its version, once they are known. */
  presentationId?: string;
  version?: number;
}

export interface DownloadFolder {
  /** The real path. */
  folder: string;
  /** Whether this run made the folder. */
  isNew: boolean;
  /** The state that an interrupted run of the same command stored. */
  unfinished: DownloadState | undefined;
}

const statePath = (folder: string) => join(folder, WORK_FOLDER, 'unfinished.json');

/**
 * Makes the folder if it does not exist. Throws when it holds anything but an unfinished download of the same request.
 */
export async function claimFolder(name: string, request: DownloadRequest): Promise<DownloadFolder> {
  const path = resolve(name);
  const made = await mkdir(path, { recursive: true }).catch((cause: unknown) => {
    const code = systemCode(cause);
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw usageFailure(`${name} is not a folder.`, 'Name an empty or a new folder.');
    throw new Failure(`The folder ${name} cannot be made (${code}).`, { code: 'cannot-write', cause });
  });
  const folder = await realpath(path);
  const isNew = made !== undefined;
  const content = await readdir(folder);
  if (content.length === 0) return { folder, isNew, unfinished: undefined };
  await requirePartsFolder(folder);
  const unfinished = await readState(folder);
  if (unfinished && isSameRequest(unfinished, request)) return { folder, isNew, unfinished };
  throw new Failure(`The folder ${name} is not empty.`, {
    code: 'folder-not-empty',
    nextAction: 'Name an empty or a new folder.',
  });
}

/** The state of an interrupted download. A state with fields of another form is none: a folder may be a stranger's. */
async function readState(folder: string): Promise<DownloadState | undefined> {
  const state = await readJson<DownloadState>(statePath(folder));
  if (!state) return undefined;
  const { presentationId, version, idempotencyKey, title } = state;
  const isFine =
    (presentationId === undefined || isId(presentationId)) &&
    (version === undefined || isVersionNumber(version)) &&
    (idempotencyKey === undefined || isId(idempotencyKey)) &&
    ['undefined', 'string'].includes(typeof title);
  return isFine ? state : undefined;
}

/**
 * Whether the request is the unfinished one. A title or version that the request does not name is taken from the state.
 */
function isSameRequest(state: DownloadState, { source, baseUrl, title, wantedVersion }: DownloadRequest): boolean {
  if (state.source !== source || state.baseUrl !== baseUrl) return false;
  return (title ?? state.title) === state.title && (wantedVersion ?? state.version) === state.version;
}

export async function storeState(folder: string, state: DownloadState): Promise<void> {
  await makePartsFolder(folder);
  await writeJson(statePath(folder), state, 0o644);
}

/** Deletes the state and the partial files: the download is complete, or it cannot be completed. */
export async function deleteState(folder: string): Promise<void> {
  await rm(partsFolderOf(folder), { recursive: true, force: true });
}

/** Deletes the state after a refused request, and the folder if this run made it. */
export async function releaseFolder({ folder, isNew }: DownloadFolder): Promise<void> {
  await deleteState(folder);
  if (isNew) await rmdir(folder).catch(() => undefined);
}
