import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Failure, systemCode } from '../failure';
import { inParallel } from '../parallel';
import type { Contract } from '../service/contract';
import type { Service } from '../service/service';

type DeckFileRow = Contract['getPresentationVersion']['answer']['files'][number];

/** What is in memory of a file at a time, and what is asked for again when a connection breaks. */
const pieceBytes = 4 * 1024 * 1024;
const parallelFiles = 6;

interface Download {
  service: Service;
  presentationId: string;
  version: number;
  /** The real path of the folder that the files go into. */
  folder: string;
  /** A folder on the same file system, for files that are not whole yet. */
  partsFolder: string;
  onBytes: (bytes: number) => void;
}

/**
 * Puts files of a version into a folder, each proven by its hash before it stands under its name. What is there already is not fetched
 * again, and a part is gone on with. The paths must be those of `localPaths`.
 */
export async function downloadFiles(download: Download, files: readonly DeckFileRow[]): Promise<void> {
  const byHash = new Map<string, DeckFileRow[]>();
  for (const file of files) {
    const alike = byHash.get(file.sha256);
    if (alike) alike.push(file);
    else byHash.set(file.sha256, [file]);
  }
  await inParallel(byHash.values(), parallelFiles, (alike, signal) => place(download, alike, signal));
}

/** Fetches files that are alike once. */
async function place(download: Download, alike: readonly DeckFileRow[], signal: AbortSignal): Promise<void> {
  const missing: DeckFileRow[] = [];
  for (const file of alike) {
    if (await isWhole(join(download.folder, file.path), file)) download.onBytes(file.size);
    else missing.push(file);
  }
  const [first] = missing;
  if (!first) return;
  const part = await fetchFile(download, first, signal);
  for (const file of missing) {
    await written(file.path, async () => {
      const target = await targetOf(download.folder, file.path);
      if (file === missing.at(-1)) await rename(part, target);
      else {
        // Not through a link, which a copy would follow.
        await rm(target, { force: true });
        await copyFile(part, target, constants.COPYFILE_EXCL);
      }
    });
    if (file !== first) download.onBytes(file.size);
  }
}

/** The path to write to, with its folder made; throws when a link leads the way out of the download's folder. */
async function targetOf(folder: string, path: string): Promise<string> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  const parent = await realpath(dirname(target));
  if (parent !== folder && !parent.startsWith(folder + sep))
    throw new Failure(`${path} lies behind a link that leads out of ${folder}.`, {
      code: 'bad-link',
      nextAction: 'Remove the link, then run the same command again.',
      details: { path },
    });
  return target;
}

async function isWhole(path: string, { size, sha256 }: DeckFileRow): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile() || found.size !== size) return false;
  return (await hashOf(path)).digest('hex') === sha256;
}

async function hashOf(path: string): Promise<ReturnType<typeof createHash>> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash;
}

/** The path of a part that is whole and has the right hash. */
async function fetchFile(download: Download, file: DeckFileRow, signal: AbortSignal): Promise<string> {
  const { service, presentationId, version, partsFolder, onBytes } = download;
  const { path, sha256, size } = file;
  const part = join(partsFolder, sha256);
  const query = { presentationId, version: String(version), sha256 };
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  // Windows knows no O_NOFOLLOW.
  const flags = O_RDWR | O_CREAT | O_APPEND | ((O_NOFOLLOW as number | undefined) ?? 0);
  const output = await written(path, () => open(part, flags, 0o644));
  try {
    let position = (await output.stat()).size;
    if (position > size) await output.truncate((position = 0));
    const hash = await hashOf(part);
    onBytes(position);
    while (position < size) {
      const to = Math.min(size, position + pieceBytes) - 1;
      const piece = await service.getBytes(query, { from: position, to }, signal);
      await written(path, () => output.appendFile(piece));
      hash.update(piece);
      position += piece.length;
      onBytes(piece.length);
    }
    if (hash.digest('hex') === sha256) return part;
  } finally {
    await output.close();
  }
  await rm(part, { force: true });
  throw new Failure(`${path} did not arrive as it is in the deck.`, {
    code: 'hash-mismatch',
    nextAction: 'Run the same command again: that file is fetched anew.',
    details: { path },
  });
}

/** Does work on the disk, and tells which file it failed for. */
async function written<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = systemCode(cause);
    if (cause instanceof Failure || code === undefined) throw cause;
    throw new Failure(`${path} cannot be written (${code}).`, {
      code: 'cannot-write',
      nextAction: 'Make room or permit it, then run the same command again: it goes on where it stopped.',
      details: { path },
      cause,
    });
  }
}
