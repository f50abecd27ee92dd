import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Version } from '../download/fill-folder';
import type { HashedFile } from '../folder/hash';
import type { DeckFileRow, FileChange } from './file-change';
import { mergeText } from './merge-text';

/** A larger file is a program's, and not one that people edit by lines. */
const MAX_BYTES = 1024 * 1024;

/** Tells which files are text in all three states, and can be merged by lines. */
export function mergeableOf(from: Version, here: readonly HashedFile[], to: Version): (path: string) => boolean {
  const rows = [from.files, to.files].map((files) => new Map(files.map((file) => [file.path, file])));
  const mine = new Map(here.map((file) => [file.path, { ...file, size: file.sizeBytes }]));
  return (path) => [...rows, mine].every((files) => isText(files.get(path)));
}

/** A push gives text in UTF-8 this type. */
export const isText = (file: { contentType: string; size: number } | undefined) =>
  file !== undefined && file.contentType.endsWith('; charset=utf-8') && file.size <= MAX_BYTES;

/** What the merges of a pull made. */
export interface Merges {
  /** All writes of the pull, with the merged files. */
  writes: FileChange[];
  /** The hashes of the merged files by their paths. */
  merged: Record<string, string>;
  /** The paths of merged files that have conflict marks. */
  marked: string[];
}

/**
 * Merges the files of which `bases` has the common state. The folder for partial files holds the contents of both
 * versions, and gets those of the merged files.
 */
export async function mergeFiles(
  partsFolder: string,
  writes: readonly FileChange[],
  bases: ReadonlyMap<string, DeckFileRow>,
  theirLabel: string,
): Promise<Merges> {
  const done: Merges = { writes: [], merged: {}, marked: [] };
  const read = ({ sha256 }: DeckFileRow) => readFile(join(partsFolder, sha256), 'utf8');
  for (const write of writes) {
    const { old, wanted } = write;
    const base = wanted && bases.get(wanted.path);
    if (!old || !base) {
      done.writes.push(write);
      continue;
    }
    const [before, theirs] = [await read(base), await read(wanted)];
    const mine = await readFile(old.absolutePath, 'utf8');
    const { text, conflicts } = mergeText({ base: before, mine, theirs }, theirLabel);
    const bytes = Buffer.from(text);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const part = join(partsFolder, sha256);
    await rm(part, { force: true });
    await writeFile(part, bytes, { flag: 'wx' });
    done.writes.push({ ...write, wanted: { ...wanted, sha256, size: bytes.length } });
    done.merged[wanted.path] = sha256;
    if (conflicts > 0) done.marked.push(wanted.path);
  }
  return done;
}
