import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Failure, systemCode } from '../failure';
import { onDisk } from '../on-disk';
import { inParallel } from '../parallel';
import type { Contract } from '../service/contract';
import type { DeckService } from '../service/service';

type DeckFileRow = Contract['getPresentationVersion']['answer']['files'][number];

/** The size of one request. A broken connection repeats at most so many bytes, and each file has so many in memory. */
const PIECE_BYTES = 4 * 1024 * 1024;
export const PARALLEL_FILES = 6;

/** A version of a deck, and the folder that it is downloaded into. */
export interface Download {
  service: DeckService;
  presentationId: string;
  /** Undefined for files of a remix that may be in no version of it: those of its base and of its source. */
  version: number | undefined;
  /** The real path of the folder. */
  folder: string;
  /** A folder for partial files, on the same file system. */
  partsFolder: string;
  onBytes: (bytes: number) => void;
}

/**
 * Downloads files of a version into a folder. The hash of a file is verified before the file gets its name. Files that
 * the folder holds already are not downloaded again, and partial files are resumed. The paths must come from
 * `localPaths`.
 */
export async function downloadFiles(download: Download, files: readonly DeckFileRow[]): Promise<void> {
  const byHash = new Map<string, DeckFileRow[]>();
  for (const file of files) {
    const duplicates = byHash.get(file.sha256);
    if (duplicates) duplicates.push(file);
    else byHash.set(file.sha256, [file]);
  }
  await inParallel(byHash.values(), PARALLEL_FILES, (duplicates, signal) => place(download, duplicates, signal));
}

/** Downloads the content of duplicate files once, and gives it all their names. */
async function place(download: Download, duplicates: readonly DeckFileRow[], signal: AbortSignal): Promise<void> {
  const missing: DeckFileRow[] = [];
  for (const file of duplicates) {
    if (await isWhole(join(download.folder, file.path), file)) download.onBytes(file.size);
    else missing.push(file);
  }
  const [first] = missing;
  if (!first) return;
  const part = await fetchFile(download, first, signal);
  for (const file of missing) {
    await onDisk(file.path, async () => {
      const target = await targetOf(download.folder, file.path);
      if (file === missing.at(-1)) await rename(part, target);
      else {
        // A copy follows a link at the target, so that the target is deleted first.
        await rm(target, { force: true });
        await copyFile(part, target, constants.COPYFILE_EXCL);
      }
    });
    if (file !== first) download.onBytes(file.size);
  }
}

/**
 * Makes the parent folder of a file and returns the file's path. Throws `bad-link` when a link leads out of the folder.
 */
export async function targetOf(folder: string, path: string): Promise<string> {
  const target = join(folder, path);
  await makeParent(folder, dirname(target), path);
  return target;
}

/** Makes a folder level by level: no level is made behind a link that leads out of the folder. */
async function makeParent(folder: string, parent: string, path: string): Promise<void> {
  if (parent === folder) return;
  await makeParent(folder, dirname(parent), path);
  await mkdir(parent).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  const real = await realpath(parent);
  if (real !== folder && !real.startsWith(folder + sep))
    throw new Failure(`${path} is behind a link that leads out of ${folder}.`, {
      code: 'bad-link',
      nextAction: 'Delete the link, then download again.',
      details: { path },
    });
}

/** Whether the path leads to a file, and not to a link, with this content. */
export async function isWhole(path: string, { size, sha256 }: Pick<DeckFileRow, 'size' | 'sha256'>): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile() || found.size !== size) return false;
  return (await hashOf(createReadStream(path))).digest('hex') === sha256;
}

async function hashOf(content: AsyncIterable<Buffer>): Promise<ReturnType<typeof createHash>> {
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  return hash;
}

/** Downloads or resumes a partial file, and returns its path when it is complete and has the right hash. */
export async function fetchFile(download: Download, file: DeckFileRow, signal: AbortSignal): Promise<string> {
  const { service, presentationId, version, partsFolder, onBytes } = download;
  const { path, sha256, size } = file;
  const part = join(partsFolder, sha256);
  const query = { presentationId, ...(version !== undefined && { version: String(version) }), sha256 };
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  // Windows does not define O_NOFOLLOW.
  const flags = O_RDWR | O_CREAT | O_APPEND | ((O_NOFOLLOW as number | undefined) ?? 0);
  const output = await onDisk(path, () => open(part, flags, 0o644));
  try {
    let position = (await output.stat()).size;
    if (position > size) await output.truncate((position = 0));
    const hash = await hashOf(output.createReadStream({ start: 0, autoClose: false }));
    onBytes(position);
    while (position < size) {
      const to = Math.min(size, position + PIECE_BYTES) - 1;
      const piece = await service.getBytes(query, { from: position, to }, signal);
      await onDisk(path, () => output.appendFile(piece));
      hash.update(piece);
      position += piece.length;
      onBytes(piece.length);
    }
    if (hash.digest('hex') === sha256) return part;
  } finally {
    await output.close();
  }
  await rm(part, { force: true });
  throw new Failure(`${path} differs from the file in the deck.`, {
    code: 'hash-mismatch',
    nextAction: 'Download again. Only this file is downloaded again.',
    details: { path },
  });
}
