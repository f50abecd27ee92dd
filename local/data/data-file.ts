import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { open, type Database, type RangeOptions, type RootDatabase, type Transaction } from 'lmdb';
import { DamagedData, DiskError, diskError } from './errors';
import { readHeader, writeHeader } from './header';
import { checkPages } from './pages';
import { seal, unseal } from './sealed';

/** How the keys and values of a table are written. */
export interface Codec<Key, Value> {
  encodeKey(key: Key): Buffer;
  decodeKey(bytes: Buffer): Key;
  encode(value: Value): Buffer;
  decode(bytes: Buffer): Value;
}

export interface DataFileOptions {
  /** The name of the store in the header. */
  store: string;
  /** Whether the folder is deleted at the end. Writes are then not flushed, and no header is written. */
  isTemporary: boolean;
  pageSize?: number;
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

/** A start reads at most this much of each file's leaf pages. `npm start -- --check` reads all of them. */
const START_LEAF_BYTES = 64 * 2 ** 20;

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
    const { isTemporary, pageSize, maxReaders } = options;
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
      ...(pageSize !== undefined && { pageSize }),
      ...(maxReaders !== undefined && { maxReaders }),
    });
  }

  /**
   * Opens the folder's file, or creates it. Throws DamagedData when the file is damaged or missing, before LMDB sees
   * the file: LMDB ends the process on a damaged file, and replaces a missing or empty file with a new one.
   */
  static open(folder: string, options: DataFileOptions): DataFile {
    mkdirSync(folder, { recursive: true });
    const { isTemporary, store } = options;
    const file = dataFileIn(folder);
    const header = readHeader<Header>(headerIn(folder));
    if (header && header.store !== store) {
      throw new DamagedData(`The file ${headerIn(folder)} belongs to another part (${header.store}).`);
    }
    // LMDB's table of readers. It has no data, and a damaged one stops the next reader.
    rmSync(join(folder, 'lock.mdb'), { force: true });
    const exists = existsSync(file);
    if (header?.state === 'ready' && !exists) throw new DamagedData(`The data file ${file} is missing.`);
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
   * Like `transact`, but asynchronous: all actions of one turn of the event loop share a transaction and its flush.
   * Each succeeds or fails separately. An action that throws must not have written before.
   */
  write<T>(action: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.jobs.push({ action, resolve: resolve as Job['resolve'], reject });
      if (this.jobs.length === 1) setImmediate(() => this.flush());
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

function assertUndamaged(file: string, isSealed: boolean): void {
  const { damage } = checkPages(file, { isSealed, leafBudgetBytes: START_LEAF_BYTES });
  const [first] = damage;
  if (first !== undefined) throw new DamagedData(`The data file is damaged. ${first} ${RECOVERY}`);
}

const RECOVERY = '`npm start -- --check` lists all damage.';

interface Range<Key> {
  start?: Key;
  end?: Key;
  exclusiveStart?: boolean;
  inclusiveEnd?: boolean;
  reverse?: boolean;
  limit?: number;
  transaction?: Transaction;
}

/** A table of a data file. Write inside `transact` or `write` only. A read of a damaged record throws DamagedData. */
export class Table<Key, Value> {
  constructor(
    private readonly records: Database<Buffer, Buffer>,
    private readonly codec: Codec<Key, Value>,
  ) {}

  get(key: Key, options: { transaction?: Transaction } = {}): Value | undefined {
    const bytes = this.codec.encodeKey(key);
    const sealed = this.records.get(bytes, options);
    return sealed && this.codec.decode(unseal(bytes, sealed));
  }

  put(key: Key, value: Value): void {
    const bytes = this.codec.encodeKey(key);
    const sealed = seal(bytes, this.codec.encode(value));
    writing(() => this.records.putSync(bytes, sealed));
  }

  remove(key: Key): void {
    writing(() => this.records.removeSync(this.codec.encodeKey(key)));
  }

  clear(): void {
    writing(() => this.records.clearSync());
  }

  *range(range: Range<Key> = {}): Generator<{ key: Key; value: Value }> {
    for (const { key, value } of this.records.getRange(this.boundsOf(range))) {
      yield { key: this.codec.decodeKey(key), value: this.codec.decode(unseal(key, value)) };
    }
  }

  *keys(range: Range<Key> = {}): Generator<Key> {
    for (const key of this.records.getKeys(this.boundsOf(range))) yield this.codec.decodeKey(key);
  }

  private boundsOf({ start, end, ...rest }: Range<Key>): RangeOptions {
    return {
      ...rest,
      ...(start !== undefined && { start: this.codec.encodeKey(start) }),
      ...(end !== undefined && { end: this.codec.encodeKey(end) }),
    };
  }
}

/** Runs a write of LMDB. Large transactions write pages early, so a full disk fails here, too. */
function writing(write: () => unknown): void {
  try {
    write();
  } catch (error) {
    throw writeError(error);
  }
}

/** LMDB's own errors have a number as their code: that of the system, or a negative one. */
function writeError(error: unknown): unknown {
  return typeof (error as { code?: unknown }).code === 'number' ? diskError(error) : error;
}

const plainJson = {
  encode: (value: unknown) => Buffer.from(JSON.stringify(value)),
  decode: (bytes: Buffer) => JSON.parse(bytes.toString('utf8')) as never,
};

/** Keys are strings, values are JSON. */
export const textCodec = <Value>(): Codec<string, Value> => ({
  ...plainJson,
  encodeKey: (key) => Buffer.from(key),
  decodeKey: (bytes) => bytes.toString('utf8'),
});

/** Keys are integers from 0 on, in their order. Values are JSON. */
export const numberCodec = <Value>(): Codec<number, Value> => ({
  ...plainJson,
  encodeKey: (key) => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(key);
    return bytes;
  },
  decodeKey: (bytes) => bytes.readDoubleBE(),
});

/** Keys and values are bytes. */
export const bytesCodec: Codec<Buffer, Buffer> = {
  encodeKey: (key) => key,
  decodeKey: (key) => key,
  encode: (value) => value,
  decode: (value) => value,
};
