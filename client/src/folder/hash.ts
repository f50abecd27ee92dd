import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import mime from 'mime';
import pMap from 'p-map';
import type { Amount, Reporter } from '../reporter';
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
}

/** A file with the other fields of its row in the manifest. */
export interface HashedFile extends FolderFile {
  sha256: string;
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

/** How many files there are, and their bytes. */
export function sumFiles(files: Iterable<{ sizeBytes: number }>): Amount {
  const sum = { files: 0, bytes: 0 };
  for (const { sizeBytes } of files) {
    sum.files++;
    sum.bytes += sizeBytes;
  }
  return sum;
}

/** The file with its hash and its type. Throws `file-changed` when it does not exist any more. */
export async function hashFile(file: FolderFile, onBytes?: (bytes: number) => void): Promise<HashedFile> {
  const hash = createHash('sha256');
  const type = mime.getType(file.path) ?? 'application/octet-stream';
  const utf8 = isText(type) ? new Utf8Check() : undefined;
  let sizeBytes = 0;
  try {
    const opened = await openFound(file.absolutePath);
    for await (const chunk of opened.createReadStream({ highWaterMark: CHUNK_BYTES })) {
      const bytes = chunk as Buffer;
      hash.update(bytes);
      utf8?.update(bytes);
      sizeBytes += bytes.length;
      onBytes?.(bytes.length);
    }
  } catch (cause) {
    throw readFailure(file.absolutePath, cause);
  }
  // Text in another encoding gets no charset, so that the page's own declaration counts.
  const contentType = utf8?.isValid() ? `${type}; charset=utf-8` : type;
  return { ...file, sizeBytes, sha256: hash.digest('hex'), contentType };
}

/** Whether browsers decode the type as text, for which they need its encoding. */
function isText(type: string): boolean {
  return (
    type.startsWith('text/') ||
    /^application\/(.*\+)?(javascript|json|xml)$/.test(type) ||
    type.endsWith('+xml') ||
    type === 'application/manifest+json'
  );
}

/** Whether a stream of bytes is valid UTF-8. It stops to decode at the first invalid byte. */
class Utf8Check {
  private decoder: TextDecoder | undefined = new TextDecoder('utf-8', { fatal: true });

  update(bytes: Uint8Array, isLast = false): void {
    try {
      this.decoder?.decode(bytes, { stream: !isLast });
    } catch {
      this.decoder = undefined;
    }
  }

  isValid(): boolean {
    this.update(new Uint8Array(), true);
    return this.decoder !== undefined;
  }
}
