import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import pMap from 'p-map';
import { fileFailure } from '../file-failure';
import { contentType, isText, mimeType } from './content-type';
import type { FolderFile } from './scan';

/** A file with all that a manifest says of it. */
export interface HashedFile extends FolderFile {
  sha256: string;
  contentType: string;
}

/** Hashes the files, a few at a time and none of them whole in memory. `sizeBytes` becomes what was really read. */
export async function hashFiles(files: readonly FolderFile[], onBytes: (bytes: number) => void): Promise<HashedFile[]> {
  return pMap(files, (file) => hashFile(file, onBytes), { concurrency: 4 });
}

async function hashFile(file: FolderFile, onBytes: (bytes: number) => void): Promise<HashedFile> {
  const hash = createHash('sha256');
  // Only text has an encoding to prove; a decoder that stops at the first wrong byte costs next to nothing.
  const encoding = isText(mimeType(file.path)) ? new Utf8Check() : undefined;
  let sizeBytes = 0;
  try {
    for await (const chunk of createReadStream(file.absolutePath, { highWaterMark: 256 * 1024 })) {
      const bytes = chunk as Buffer;
      hash.update(bytes);
      encoding?.update(bytes);
      sizeBytes += bytes.length;
      onBytes(bytes.length);
    }
  } catch (cause) {
    throw fileFailure(file.absolutePath, cause);
  }
  const sha256 = hash.digest('hex');
  return { ...file, sizeBytes, sha256, contentType: contentType(file.path, encoding?.isValid() ?? false) };
}

/** Whether a stream of bytes is UTF-8 as a whole. */
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
