import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open, type Database, type RootDatabase, type Transaction } from 'lmdb';
import type { Codec } from './codecs';
import { asDiskError, DamagedData, DiskError, RECOVERY, writeError } from './errors';
import { readHeader, writeHeader } from './header';
import { checkPages, type PageReport } from './pages';
import { Table } from './table';

export interface DataFileOptions {
  /** The name of the store in the header. */
  store: string;
  /** Whether the folder is deleted at the end. Writes are then not flushed, and no header is written. */
  isTemporary: boolean;
  pageSize?: number;
  /**
   * The address space to reserve for the file. It takes neither memory nor disk. Without it LMDB starts with 128 KiB and
   * doubles the space when the file outgrows it; every older mapping stays in memory until the end.
   */
  mapBytes?: number;
  /** The names of all tables. */
  tables: readonly string[];
  /** How many snapshots may be open at once. */
  maxReaders: number;
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

/** A start reads at most this much of each file's leaf pages. `npm start -- --check` reads all of them. */
const START_LEAF_BYTES = 64 * 2 ** 20;
/**
 * Every commit of LMDB checks all of the free list that is in memory, at about 1 µs for an entry. A list with more
 * entries than `maxFreeSpaceToRetain` is dropped from memory after a commit, and the next commit loads its newest part. A
 * commit that finds no place in `maxFreeSpaceToLoad` entries makes the file longer (decision 38). LMDB's types lack both
 * options.
 */
const freeListLimits = { maxFreeSpaceToLoad: 8000, maxFreeSpaceToRetain: 2000 };
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
    /** Whether the values have no checksums yet. The store copies them, then calls `ready`. */
    readonly isOld: boolean,
  ) {
    const { isTemporary, pageSize, mapBytes, maxReaders } = options;
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
   * Opens the folder's file, or creates it. Throws DamagedData when the file is damaged or missing, before LMDB sees
   * the file: LMDB ends the process on a damaged file, and replaces a missing or empty file with a new one.
   */
  static open(folder: string, options: DataFileOptions): DataFile {
    mkdirSync(folder, { recursive: true });
    const { isTemporary, store } = options;
    const file = dataFileIn(folder);
    const header = readHeaderOf(folder, store);
    const exists = existsSync(file);
    if (header?.state === 'ready' && !exists) throw new DamagedData(`The data file ${file} is missing. ${RECOVERY}`);
    makeLockTable(folder, options.maxReaders);
    const isNew = header?.state === 'new' || !exists;
    if (isNew) {
      rmSync(file, { force: true });
      if (!isTemporary) writeHeader(headerIn(folder), { store, state: 'new' });
    } else {
      assertUndamaged(file, header !== undefined);
    }
    try {
      return new DataFile(folder, options, !isNew && !header);
    } catch (error) {
      if (isNew) throw error;
      throw new DamagedData(`The data file ${file} cannot be opened (${(error as Error).message}).`, { cause: error });
    }
  }

  /**
   * Reads every page of the folder's file and compares all checksums. The folder may be that of a store which is not
   * open. Throws DamagedData when the file is missing or unreadable.
   */
  static check(folder: string, store: string): PageReport & { isOld: boolean } {
    const header = readHeaderOf(folder, store);
    const file = dataFileIn(folder);
    // A start that was killed while it created the file. The next start creates it again.
    if (header?.state === 'new') return { pages: 0, read: 0, damage: [], isOld: true };
    if (!existsSync(file)) throw new DamagedData(`The data file ${file} is missing. ${RECOVERY}`);
    return { ...pageReport(file, header !== undefined), isOld: !header };
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

  /**
   * Moves the records of a table from before values had checksums, at most 1 000 in one transaction, then deletes the
   * table. A start that is killed meanwhile is continued by the next start. `copy` gets each record as LMDB decodes it.
   */
  migrate(
    name: string,
    encodings: { keyEncoding?: 'binary'; encoding?: 'binary' },
    copy: (key: never, value: never) => void,
  ): void {
    if (!this.isOld) return;
    const old = this.root.openDB<unknown, never>(name, { encoding: 'msgpack', ...encodings });
    for (let isEmpty = false; !isEmpty;) {
      isEmpty = this.transact(() => {
        const records = [...old.getRange({ limit: 1000 })];
        for (const { key, value } of records) {
          copy(key, value as never);
          old.removeSync(key);
        }
        return records.length === 0;
      });
    }
    this.transact(() => old.dropSync());
  }

  /** Deletes a table from before values had checksums, whose records the store makes again. */
  drop(name: string): void {
    if (this.isOld) this.openTable(name).dropSync();
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
function makeLockTable(folder: string, maxReaders: number): void {
  const file = join(folder, 'lock.mdb');
  rmSync(file, { force: true });
  try {
    writeFileSync(file, Buffer.alloc(LOCK_HEADER_BYTES + maxReaders * READER_BYTES), { mode: 0o600 });
  } catch (error) {
    rmSync(file, { force: true });
    throw asDiskError(error);
  }
}

function readHeaderOf(folder: string, store: string): Header | undefined {
  const header = readHeader<Header>(headerIn(folder));
  if (header && header.store !== store) {
    throw new DamagedData(`The file ${headerIn(folder)} belongs to another part (${header.store}).`);
  }
  return header;
}

function assertUndamaged(file: string, isSealed: boolean): void {
  const [first] = pageReport(file, isSealed, START_LEAF_BYTES).damage;
  if (first !== undefined) throw new DamagedData(`${first} ${RECOVERY}`);
}

function pageReport(file: string, isSealed: boolean, leafBudgetBytes?: number): PageReport {
  try {
    const report = checkPages(file, { isSealed, ...(leafBudgetBytes !== undefined && { leafBudgetBytes }) });
    return { ...report, damage: report.damage.map((each) => `The data file ${file} is damaged (${each}).`) };
  } catch (error) {
    if (error instanceof DamagedData) throw new DamagedData(`${error.message} ${RECOVERY}`);
    throw new DamagedData(`The data file ${file} cannot be read (${(error as Error).message}).`, { cause: error });
  }
}
