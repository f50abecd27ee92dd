import { randomUUID } from 'node:crypto';
import { openSync } from 'node:fs';
import { link, mkdir, open, readdir, rm, stat, truncate, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedData, RECOVERY } from '../data/errors';
import { Digest } from './digest';

function undefinedIfMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/**
 * How much is written at once. A write takes a step in another thread, which costs more than the copy of the 64 KB that
 * a socket reads at once. A resumable upload keeps steps of this size.
 */
const PIECE_BYTES = 256 * 1024;

/**
 * Joins chunks to pieces of at least `PIECE_BYTES`; the last one may be shorter. After a failure the rest comes first.
 */
async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  const piece = () => {
    const joined = Buffer.concat(chunks, sizeBytes);
    [chunks, sizeBytes] = [[], 0];
    return joined;
  };
  try {
    for await (const chunk of source) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes >= PIECE_BYTES) yield piece();
    }
  } catch (error) {
    if (sizeBytes > 0) yield piece();
    throw error;
  }
  if (sizeBytes > 0) yield piece();
}

/**
 * The bytes of objects: one file each, named by a random id. A file is complete and synced before a record refers to
 * it.
 */
export class Blobs {
  private constructor(
    private readonly folder: string,
    private readonly isTemporary: boolean,
  ) {}

  static async open(folder: string, isTemporary: boolean): Promise<Blobs> {
    await mkdir(folder, { recursive: true });
    return new Blobs(folder, isTemporary);
  }

  newId(): string {
    return randomUUID();
  }

  /** Writes `source` to a new file and syncs it. Deletes the file when the source fails. */
  async write(source: AsyncIterable<Uint8Array>): Promise<{ file: string; digest: Digest }> {
    const file = this.newId();
    const digest = new Digest();
    try {
      await this.append(file, source, digest);
    } catch (error) {
      await this.remove([file]);
      throw error;
    }
    return { file, digest };
  }

  /** Appends `source`, 256 KB in memory at a time, and syncs. Keeps the bytes that arrived before a failure. */
  async append(file: string, source: AsyncIterable<Uint8Array>, digest: Digest): Promise<void> {
    const handle = await open(join(this.folder, file), 'a', 0o600);
    try {
      for await (const piece of inPieces(source)) {
        await handle.appendFile(piece);
        digest.update(piece);
      }
      if (!this.isTemporary) await handle.sync();
    } finally {
      await handle.close();
    }
    await this.#syncFolder();
  }

  /**
   * Makes a second file with the same bytes: a hard link where possible, else a copy. `undefined` when the file does
   * not exist.
   */
  async duplicate(file: string): Promise<string | undefined> {
    const copy = this.newId();
    try {
      await link(join(this.folder, file), join(this.folder, copy));
      await this.#syncFolder();
      return copy;
    } catch {
      const handle = await this.read(file);
      return handle && (await this.write(handle.createReadStream() as AsyncIterable<Buffer>)).file;
    }
  }

  /** Opens for reading. `undefined` when the file does not exist: its object was replaced or deleted. */
  read(file: string): Promise<FileHandle | undefined> {
    return open(join(this.folder, file), 'r').catch(undefinedIfMissing);
  }

  /** Like `read`, synchronously. The caller closes the descriptor. */
  descriptor(file: string): number | undefined {
    try {
      return openSync(join(this.folder, file), 'r');
    } catch (error) {
      return undefinedIfMissing(error);
    }
  }

  /** Hashes the present bytes of a file. A file that does not exist counts as empty. */
  async digest(file: string): Promise<Digest> {
    const digest = new Digest();
    const handle = await this.read(file);
    if (handle) for await (const chunk of handle.createReadStream()) digest.update(chunk as Buffer);
    return digest;
  }

  /** 0 for a file that does not exist. */
  async size(file: string): Promise<number> {
    const found = await stat(join(this.folder, file)).catch(() => undefined);
    return found?.size ?? 0;
  }

  async truncate(file: string, sizeBytes: number): Promise<void> {
    if ((await this.size(file)) > sizeBytes) await truncate(join(this.folder, file), sizeBytes);
  }

  /** Ignores files that do not exist. A reader that has a file open can still read all of it. */
  async remove(files: string[]): Promise<void> {
    for (const file of files) await rm(join(this.folder, file), { force: true });
  }

  /**
   * Deletes every file that is not in use, such as the files of uploads that a crash interrupted. Throws DamagedData,
   * before it deletes a file, when the file of an object is missing.
   */
  async sweep({ objects, uploads }: { objects: Set<string>; uploads: Set<string> }): Promise<void> {
    const found = new Set(await readdir(this.folder));
    const missing = [...objects].filter((file) => !found.has(file));
    if (missing.length > 0) {
      const first = join(this.folder, missing[0]!);
      throw new DamagedData(`The bytes of ${missing.length} stored objects are missing (${first}). ${RECOVERY}`);
    }
    await this.remove([...found].filter((file) => !objects.has(file) && !uploads.has(file)));
  }

  /** Makes the folder's entry for a new file durable. Windows cannot sync folders and does not need it. */
  async #syncFolder(): Promise<void> {
    if (process.platform === 'win32' || this.isTemporary) return;
    const handle = await open(this.folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
