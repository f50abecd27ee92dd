import { createHash } from 'node:crypto';
import pMap from 'p-map';
import { sumFiles, type PushedFile } from '../pushed-file';
import type { Reporter } from '../reporter';
import { TypeFinder } from './content-type';
import { openFound, readFailure } from './read-file';

/** A file of the deck, as it was found on disk. */
export interface FolderFile {
  /** The path in the deck. */
  path: string;
  /** The path below the folder, as it is on disk. */
  relativePath: string;
  /** The real path: when the folder was scanned, no part of it was a symbolic link. */
  absolutePath: string;
  sizeBytes: number;
  /** The type that the file has already. Without it, the name and the bytes tell it. */
  contentType?: string;
}

/** A file of a folder with the other fields of its row in the manifest. */
export interface HashedFile extends FolderFile, PushedFile {
  contentType: string;
}

const PARALLEL_FILES = 4;
const CHUNK_BYTES = 256 * 1024;

/**
 * Hashes the files, 4 at a time. It holds 256 KB of each in memory. `sizeBytes` of the answer is the number of bytes
 * that were hashed.
 */
export async function hashFiles(files: readonly FolderFile[], reporter: Reporter): Promise<HashedFile[]> {
  reporter.onStart?.('hash', sumFiles(files));
  const onBytes = (bytes: number) => reporter.onBytes?.(bytes);
  const hashed = await pMap(files, (file) => hashFile(file, onBytes), { concurrency: PARALLEL_FILES });
  reporter.onEnd?.('hash', sumFiles(hashed));
  return hashed;
}

/** The file with its hash and its type. Throws `file-changed` when it does not exist any more. */
export async function hashFile(file: FolderFile, onBytes?: (bytes: number) => void): Promise<HashedFile> {
  const hash = createHash('sha256');
  const type = new TypeFinder(file.path);
  let sizeBytes = 0;
  try {
    const opened = await openFound(file.absolutePath);
    for await (const chunk of opened.createReadStream({ highWaterMark: CHUNK_BYTES })) {
      const bytes = chunk as Buffer;
      hash.update(bytes);
      type.update(bytes);
      sizeBytes += bytes.length;
      onBytes?.(bytes.length);
    }
  } catch (cause) {
    throw readFailure(file.absolutePath, cause);
  }
  return { ...file, sizeBytes, sha256: hash.digest('hex'), contentType: file.contentType ?? type.contentType() };
}
