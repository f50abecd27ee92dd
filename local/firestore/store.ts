import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transaction } from 'lmdb';
import { bytesCodec } from '../data/codecs';
import { DataFile } from '../data/data-file';
import type { Table as DataTable } from '../data/table';
import { type Bound, boundKey } from './bytes';
import { failedPrecondition, invalidArgument } from './errors';
import { entriesOf, type Entry } from './index-entries';
import { IndexSet, type IndexFile } from './indexes';
import { readSegments } from './names';
import { Clock, type Micros, toTimestamp } from './time';
import { decodeDocument, encodeDocument, type Fields } from './wire';

type Table = DataTable<Buffer, Buffer>;

/** A stored document. Clients receive the encoded form. The fields are decoded when they are read first. */
export class StoredDocument {
  private decoded?: { name: string; fields: Fields };

  constructor(
    readonly key: Buffer,
    private readonly bytes: Buffer,
  ) {}

  static create(key: Buffer, name: string, fields: Fields, createTime: Micros, updateTime: Micros): StoredDocument {
    const document = { name, fields, createTime: toTimestamp(createTime), updateTime: toTimestamp(updateTime) };
    const header = Buffer.alloc(16);
    header.writeDoubleBE(updateTime, 0);
    header.writeDoubleBE(createTime, 8);
    return new StoredDocument(key, Buffer.concat([header, encodeDocument(document)]));
  }

  get updateTime(): Micros {
    return this.bytes.readDoubleBE(0);
  }
  get createTime(): Micros {
    return this.bytes.readDoubleBE(8);
  }
  /** The document as `google.firestore.v1.Document`. */
  get encoded(): Buffer {
    return this.bytes.subarray(16);
  }
  get stored(): Buffer {
    return this.bytes;
  }
  get name(): string {
    return this.decode().name;
  }
  get fields(): Fields {
    return this.decode().fields;
  }
  get segments(): string[] {
    return readSegments(this.key, 8);
  }

  private decode() {
    if (!this.decoded) {
      const { name, fields } = decodeDocument(this.encoded);
      this.decoded = { name, fields: fields ?? {} };
    }
    return this.decoded;
  }
}

/** The change of one document by a commit. `before` or `after` is absent when the document does not exist then. */
export interface Change {
  key: Buffer;
  before?: StoredDocument;
  after?: StoredDocument;
}

export interface Range {
  low: Bound;
  high: Bound;
  reverse: boolean;
}

/**
 * A view of the store. With a snapshot it is consistent; without one it is the newest state, or that of the commit in
 * progress.
 */
export class Reader {
  constructor(
    private readonly tables: { documents: Table; index: Table; history: Table },
    /** The last commit that the view contains. */
    readonly lastCommit: Micros,
    readonly transaction?: Transaction,
    /** In a view of the past: the past states of the documents that changed since. */
    readonly past?: Map<string, StoredDocument | undefined>,
  ) {}

  document(key: Buffer): StoredDocument | undefined {
    if (this.past?.has(key.toString('latin1'))) return this.past.get(key.toString('latin1'));
    const bytes = this.tables.documents.get(key, this.options());
    return bytes && new StoredDocument(key, bytes);
  }

  documentKeys(range: Range): Iterable<Buffer> {
    return this.tables.documents.keys({ ...bounds(range), ...this.options() });
  }

  indexEntries(range: Range): Iterable<{ key: Buffer; value: Buffer }> {
    return this.tables.index.range({ ...bounds(range), ...this.options() });
  }

  /** The documents that changed after `time`, each in its state at `time`; undefined when it did not exist. */
  changedSince(time: Micros): Map<string, StoredDocument | undefined> {
    const changed = new Map<string, StoredDocument | undefined>();
    for (const { key, value } of this.tables.history.range({ start: historyKey(time + 1), ...this.options() })) {
      const documentKey = key.subarray(8);
      const id = documentKey.toString('latin1');
      if (!changed.has(id)) changed.set(id, value.length ? new StoredDocument(documentKey, value) : undefined);
    }
    return changed;
  }

  close(): void {
    this.transaction?.done();
  }

  private options() {
    return this.transaction ? { transaction: this.transaction } : {};
  }
}

function bounds({ low, high, reverse }: Range) {
  const [start, end] = [boundKey(low), boundKey(high)];
  return reverse ? { start: end, exclusiveStart: true, end: start, inclusiveEnd: true, reverse: true } : { start, end };
}

function historyKey(time: Micros, key: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(time);
  return Buffer.concat([bytes, key]);
}

const lastCommitKey = Buffer.from('last commit');
const indexesKey = Buffer.from('indexes');
/** A transaction of a rebuild ends with the document that reaches this many entries. LMDB is slow with many pages. */
const REBUILT_ENTRIES = 20_000;
/** This page size allows keys of 4026 bytes, enough for the cloud's longest ids. */
const sizes = { pageSize: 8192, mapBytes: 2 ** 31, maxReaders: 10_000 };
/** Reads of the past are served for one hour, as in the cloud, while the history has at most 64 MiB. */
const HISTORY_MICROS = 3600e6;
const MAX_HISTORY_BYTES = 64 * 2 ** 20;
/** How many entries of the history one transaction deletes. */
const PRUNED_AT_ONCE = 2000;

/**
 * Documents, index entries and recent history in one data file. The changes of a transaction are on disk when it
 * returns. After a crash, the store has the state of the last transaction that returned.
 */
export class Store {
  readonly clock: Clock;
  readonly indexes: IndexSet;
  private readonly data: DataFile;
  private readonly tables: { documents: Table; index: Table; history: Table };
  private readonly meta: Table;
  private historyBytes = 0;
  private isClosed = false;
  /** Reads of an earlier time are refused. */
  private historyStart: Micros;
  private lastCommitTime: Micros;

  constructor(folder: string, indexFile: IndexFile | undefined, isTemporary: boolean) {
    const tables = ['meta', 'documents', 'index', 'history'];
    this.data = DataFile.open(folder, { store: 'firestore', tables, isTemporary, ...sizes });
    const table = (name: string): Table => this.data.table(name, bytesCodec);
    this.meta = table('meta');
    this.tables = { documents: table('documents'), index: table('index'), history: table('history') };
    this.lastCommitTime = this.meta.get(lastCommitKey)?.readDoubleBE(0) ?? 0;
    this.clock = new Clock(this.lastCommitTime);
    this.historyStart = this.lastCommitTime;
    this.indexes = this.openIndexes(indexFile);
    this.data.ready();
  }

  get lastCommit(): Micros {
    return this.lastCommitTime;
  }

  /** A snapshot of the newest state. Close the reader to release it. */
  snapshot(): Reader {
    return new Reader(this.tables, this.lastCommitTime, this.data.snapshot());
  }

  /** The state at a time in the past. Throws FAILED_PRECONDITION when the time is too old. */
  snapshotAt(time: Micros): Reader {
    const now = this.clock.readTime();
    if (time > now + 60e6) throw invalidArgument('The read time is in the future.');
    if (time < this.historyStart || time < now - HISTORY_MICROS) {
      throw failedPrecondition('The requested snapshot version is too old.');
    }
    const present = this.snapshot();
    return new Reader(this.tables, this.lastCommitTime, present.transaction, present.changedSince(time));
  }

  /** The newest state at each read. Inside transact, the state of the transaction. */
  latest(): Reader {
    return new Reader(this.tables, this.lastCommitTime);
  }

  /**
   * Runs an action in one disk transaction: all changes are durable when it returns, none is applied when it throws.
   */
  transact<T>(action: () => T): T {
    const { historyBytes, lastCommitTime } = this;
    try {
      return this.data.transact(action);
    } catch (error) {
      Object.assign(this, { historyBytes, lastCommitTime });
      throw error;
    }
  }

  /** The index entries of a document. Throws INVALID_ARGUMENT when there are too many. */
  entriesOf(document: StoredDocument | undefined): Entry[] {
    return document ? entriesOf(this.indexes, document.key, document.segments, document.fields) : [];
  }

  /** Writes the changes of one commit. Call within transact only. `entries` are the index entries of the new state. */
  apply(changes: { change: Change; entries: Entry[] }[], time: Micros): void {
    for (const { change, entries } of changes) {
      const { key, before, after } = change;
      if (after) this.tables.documents.put(key, after.stored);
      else this.tables.documents.remove(key);
      if (before) this.replaceEntries(this.entriesOf(before), entries);
      else this.addEntries(entries);
      this.tables.history.put(historyKey(time, key), before?.stored ?? Buffer.alloc(0));
      this.historyBytes += key.length + (before?.stored.length ?? 0);
    }
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(time);
    this.meta.put(lastCommitKey, bytes);
    this.lastCommitTime = time;
  }

  private addEntries(entries: readonly Entry[]): void {
    for (const { key, offset } of entries) this.tables.index.put(key, offsetBytes(offset));
  }

  private replaceEntries(before: readonly Entry[], after: readonly Entry[]): void {
    const stale = new Map(before.map((entry) => [entry.key.toString('latin1'), entry.key]));
    this.addEntries(after.filter(({ key }) => !stale.delete(key.toString('latin1'))));
    for (const key of stale.values()) this.tables.index.remove(key);
  }

  /** Deletes history that is too old to be read. Other work goes on between two parts of the deletion. */
  async pruneHistory(): Promise<void> {
    while (!this.isClosed && this.prunePart()) await nextTurn();
  }

  /** Answers whether more history may have to be deleted. */
  private prunePart(): boolean {
    const oldest = this.clock.readTime() - HISTORY_MICROS;
    return this.transact(() => {
      let left = PRUNED_AT_ONCE;
      for (const { key, value } of this.tables.history.range({ limit: left })) {
        const time = key.readDoubleBE(0);
        if (time >= oldest && this.historyBytes <= MAX_HISTORY_BYTES) return false;
        this.tables.history.remove(key);
        this.historyBytes -= key.length - 8 + value.length;
        this.historyStart = Math.max(this.historyStart, time);
        left--;
      }
      return left === 0;
    });
  }

  private openIndexes(file: IndexFile | undefined): IndexSet {
    const stored = this.meta.get(indexesKey);
    const known = stored && (JSON.parse(stored.toString()) as { isBuilt: boolean; file: IndexFile });
    // Without a file the indexes of the last start stay, so that switching the index check off and on needs no rebuild.
    const wanted = { isBuilt: true, file: file ?? known?.file ?? {} };
    const indexes = new IndexSet(wanted.file);
    const isBuilt = JSON.stringify(wanted) === stored?.toString();
    let last: Buffer | undefined;
    const indexAfter = (key: Buffer) => {
      last = this.indexSome(indexes, key);
      // A start that is killed before the last part leaves `isBuilt: false`, so that the next start builds all indexes.
      this.meta.put(indexesKey, Buffer.from(JSON.stringify({ ...wanted, isBuilt: !last })));
    };
    this.transact(() => {
      this.tables.history.clear();
      if (isBuilt) return;
      this.tables.index.clear();
      indexAfter(Buffer.of(0));
    });
    while (last) {
      const key: Buffer = last;
      this.transact(() => indexAfter(key));
    }
    return indexes;
  }

  /** Adds the entries of documents after the key `after`. Returns the key of the last one when others may follow. */
  private indexSome(indexes: IndexSet, after: Buffer): Buffer | undefined {
    let count = 0;
    for (const { key, value } of this.tables.documents.range({ start: after, exclusiveStart: true })) {
      const document = new StoredDocument(key, value);
      const entries = entriesOf(indexes, key, document.segments, document.fields);
      this.addEntries(entries);
      count += entries.length;
      if (count >= REBUILT_ENTRIES) return key;
    }
    return undefined;
  }

  /** Compares the documents with the index: a sentence for each document that differs. Reads everything. */
  *problems(): Generator<string> {
    let expected = 0;
    for (const { key, value } of this.tables.documents.range()) {
      const document = new StoredDocument(key, value);
      const entries = this.entriesOf(document);
      expected += entries.length;
      const isIndexed = entries.every(
        ({ key: entry, offset }) => this.tables.index.get(entry)?.readUInt16BE() === offset,
      );
      if (!isIndexed) yield `Firestore: the document ${document.name} is not in every index.`;
    }
    let found = 0;
    for (const key of this.tables.index.keys()) if (key.length > 0) found++;
    if (found > expected) yield `Firestore: the indexes have ${found - expected} entries without a document.`;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.data.close();
  }
}

function offsetBytes(offset: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(offset);
  return bytes;
}
