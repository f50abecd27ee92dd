import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open, type Database, type RootDatabase, type Transaction } from 'lmdb';
import type { Codec } from './codecs';
import { asDiskError, DamagedData, DiskError, RECOVERY, writeError } from './errors';
import { readHeader, writeHeader } from './header';
import { Table } from './table';

export interface DataFileOptions {
  /** The name of the store in the header. */
  store: string;
  /** Whether the folder is deleted at the end. Writes are then not flushed, and no header is written. */
  isTemporary: boolean;
  pageSize?: number;
  /**
   * The address space to reserve for the file. It takes neither memory nor disk. Without it LMDB starts with 128 KiB
   * and doubles the space when the file outgrows it; every older mapping stays in memory until the end.
   */
  mapBytes?: number;
  /** The names of all tables. */
  tables: readonly string[];
  /** How many snapshots may be open at once: by default 126, as in LMDB. */
  maxReaders?: number;
}

interface Header {
  store: string;
  /** A new file may be incomplete: the next start creates it again. */
  state: 'new' | 'ready';
}

interface Job {
  action: () => unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}
type Outcome = { result: unknown } | { error: unknown };

/**
 * Every commit of LMDB checks all of the free list that is in memory, at about 1 µs for an entry. A list with more
 * entries than `maxFreeSpaceToRetain` is dropped from memory after a commit, and the next commit loads its newest part.
 * A commit that finds no place in `maxFreeSpaceToLoad` entries makes the file longer. LMDB's types lack both options.
 */
const freeListLimits = { maxFreeSpaceToLoad: 8000, maxFreeSpaceToRetain: 2000 };
const MAX_READERS = 126;
const LOCK_HEADER_BYTES = 4096;
const READER_BYTES = 64;

export const dataFileIn = (folder: string) => join(folder, 'data.mdb');
export const headerIn = (folder: string) => join(folder, 'data.header');

/**
 * An LMDB environment in one folder. Every value has a checksum, which each read verifies. A write is on disk when it
 * returns or resolves; one that the disk refuses throws DiskError and changes nothing. Only one process may use the
 * folder.
 */
export class DataFile {
  private readonly root: RootDatabase<Buffer, Buffer>;
  private jobs: Job[] = [];
  private isOpen = true;

  private constructor(
    private readonly folder: string,
    private readonly options: DataFileOptions,
  ) {
    const { isTemporary, pageSize, mapBytes, maxReaders = MAX_READERS } = options;
    this.root = open<Buffer, Buffer>({
      path: folder,
      // Without this, a folder with a dot in its name is taken for a file.
      noSubdir: false,
      maxDbs: 16,
      keyEncoding: 'binary',
      encoding: 'binary',
      noSync: isTemporary,
      // With overlappingSync off, a transaction returns when its data is flushed to disk.
      overlappingSync: false,
      ...freeListLimits,
      ...(pageSize !== undefined && { pageSize }),
      ...(mapBytes !== undefined && { mapSize: mapBytes }),
      maxReaders,
    });
    // Missing tables are created in one transaction, which costs one flush.
    this.transact(() => options.tables.forEach((name) => this.openTable(name)));
  }

  /**
   * Opens the folder's file, or creates it. Throws DamagedData when the file or its header is missing: LMDB would make
   * a new file. A damaged file can end the process: `tryFiles` opens it in another process before.
   */
  static open(folder: string, options: DataFileOptions): DataFile {
    mkdirSync(folder, { recursive: true });
    const { isTemporary, store } = options;
    const isNew = !isComplete(folder, store);
    makeLockTable(folder, options.maxReaders);
    if (isNew) {
      rmSync(dataFileIn(folder), { force: true });
      if (!isTemporary) writeHeader(headerIn(folder), { store, state: 'new' });
    }
    try {
      return new DataFile(folder, options);
    } catch (error) {
      if (isNew) throw error;
      const reason = (error as Error).message;
      throw new DamagedData(`The data file ${dataFileIn(folder)} cannot be opened (${reason}).`, { cause: error });
    }
  }

  /** Marks the file as complete. Call it when all tables exist and have their first records. */
  ready(): void {
    const { folder, options } = this;
    if (options.isTemporary || readHeader<Header>(headerIn(folder))?.state === 'ready') return;
    writeHeader(headerIn(folder), { store: options.store, state: 'ready' });
  }

  table<Key, Value>(name: string, codec: Codec<Key, Value>): Table<Key, Value> {
    return new Table(this.openTable(name), codec);
  }

  /** A snapshot of the file for reads. Call `done` on it to release it. */
  snapshot(): Transaction {
    return this.root.useReadTransaction();
  }

  /**
   * Runs `action` in one transaction, flushed before it returns. When `action` throws, nothing is written and its error
   * is thrown. Throws DiskError when the disk refuses the writes.
   */
  transact<T>(action: () => T): T {
    let thrown: { error: unknown } | undefined;
    try {
      return this.root.transactionSync(() => {
        try {
          return action();
        } catch (error) {
          thrown = { error };
          throw error;
        }
      });
    } catch (error) {
      throw thrown && thrown.error === error ? error : writeError(error);
    }
  }

  /**
   * Like `transact`, but asynchronous: all actions of two turns of the event loop share a transaction and its flush.
   * Each succeeds or fails separately. An action that throws must not have written before.
   */
  write<T>(action: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.jobs.push({ action, resolve: resolve as Job['resolve'], reject });
      // The second turn lets the requests join that arrived during the last commit.
      if (this.jobs.length === 1) setImmediate(() => setImmediate(() => this.flush()));
    });
  }

  private flush(): void {
    const { jobs } = this;
    this.jobs = [];
    if (jobs.length === 0) return;
    let outcomes: Outcome[];
    try {
      outcomes = this.transact(() => jobs.map((job) => run(job)));
    } catch {
      // The disk may have space for some of the writes.
      outcomes = jobs.map((job) => this.runAlone(job));
    }
    for (const [i, { resolve, reject }] of jobs.entries()) {
      const outcome = outcomes[i]!;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.result);
    }
  }

  private runAlone(job: Job): Outcome {
    try {
      return this.transact(() => run(job));
    } catch (error) {
      return { error };
    }
  }

  /** Writes what waits, then closes. Idempotent. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.flush();
    await this.root.close();
  }

  private openTable(name: string): Database<Buffer, Buffer> {
    try {
      return this.root.openDB<Buffer, Buffer>(name, { keyEncoding: 'binary', encoding: 'binary' });
    } catch (error) {
      throw writeError(error);
    }
  }
}

/** Rethrows a DiskError, which rolls back the transaction. Every other error is the outcome of its action only. */
function run({ action }: Job): Outcome {
  try {
    return { result: action() };
  } catch (error) {
    if (error instanceof DiskError) throw error;
    return { error };
  }
}

/**
 * Makes LMDB's table of readers anew, with all of its bytes. It contains no data; a damaged one blocks the next reader.
 * LMDB makes a table without bytes and maps it into memory: on a full disk, the first use of a page ends the process.
 */
export function makeLockTable(folder: string, maxReaders = MAX_READERS): void {
  const file = join(folder, 'lock.mdb');
  rmSync(file, { force: true });
  try {
    writeFileSync(file, Buffer.alloc(LOCK_HEADER_BYTES + maxReaders * READER_BYTES), { mode: 0o600 });
  } catch (error) {
    rmSync(file, { force: true });
    throw asDiskError(error);
  }
}

/**
 * Whether a start has completed the folder's file. One that was killed before leaves a header that says so, and perhaps
 * a part of the file. Throws DamagedData when the file or its header is missing.
 */
export function isComplete(folder: string, store: string): boolean {
  const [file, headerFile] = [dataFileIn(folder), headerIn(folder)];
  const header = readHeader<Header>(headerFile);
  const exists = existsSync(file);
  if (!header && exists) throw new DamagedData(`The file ${headerFile} is missing. ${RECOVERY}`);
  if (header && header.store !== store) {
    throw new DamagedData(`The file ${headerFile} belongs to another part (${header.store}).`);
  }
  if (header?.state === 'ready' && !exists) throw new DamagedData(`The data file ${file} is missing. ${RECOVERY}`);
  return header?.state === 'ready';
}
