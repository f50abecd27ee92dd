import { createHash, type Hash } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { type AggregationQuery, type AggregationResult, runAggregation } from './aggregate';
import { type Committed, Committer } from './committer';
import type { Call } from './connections';
import { invalidArgument, RpcError } from './errors';
import { LockOwner, Locks } from './locks';
import { type ConjunctionPlan, planQuery } from './plan';
import { isWithin, matches, type Query } from './query';
import { type Hit, runQuery } from './scan';
import type { Change, Reader, Store } from './store';
import { fromTimestamp, type Micros } from './time';
import { type ActiveTransaction, Transactions } from './transactions';
import type { Consistency } from './wire';
import { prepareCommit, type ParsedWrite } from './writes';

/** One read: its view of the store, the time of that view, and its transaction. */
export interface ReadContext {
  reader: Reader;
  readTime: Micros;
  transaction?: ActiveTransaction;
  /** Whether this call began the transaction. Its answer must then contain the transaction's id. */
  isNew: boolean;
}

type Listener = (changes: Change[]) => void;

const MAX_IDLE_QUERIES = 100;
const documentLock = (key: Buffer) => `d${key.toString('latin1')}`;

/** Reads, queries, commits and transactions over one store: the service without its wire protocol. */
export class Engine {
  readonly locks = new Locks();
  readonly transactions = new Transactions(this.locks);
  readonly committer: Committer;
  private readonly listeners = new Set<Listener>();
  /** The queries that transactions have locked, by lock key. */
  private readonly lockedQueries = new Map<string, Query>();
  /** The commits that are not finished. */
  private readonly commits = new Map<LockOwner, ParsedWrite[]>();

  constructor(
    readonly store: Store,
    /** Whether a query without an index fails, as in the cloud. */
    readonly enforced: boolean,
  ) {
    this.committer = new Committer(store, (changes) => {
      for (const listener of this.listeners) listener(changes);
    });
  }

  /** Calls `listener` after every commit. The returned function unsubscribes. */
  onChanges(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Runs `action` on the state that `consistency` selects. A transaction first acquires the locks on `keys`. */
  async read<T>(
    consistency: Consistency,
    keys: string[],
    call: Call,
    action: (context: ReadContext) => Promise<T>,
  ): Promise<T> {
    const { transaction: id, newTransaction, readTime } = consistency;
    if (id?.length) return this.readIn(this.transactions.get(id), false, keys, call, action);
    if (newTransaction) return this.readIn(this.transactions.begin(newTransaction), true, keys, call, action);
    const at = readTime && fromTimestamp(readTime);
    const reader = at === undefined ? this.store.snapshot() : this.store.snapshotAt(at);
    try {
      return await action({ reader, readTime: at ?? this.store.clock.readTime(), isNew: false });
    } finally {
      reader.close();
    }
  }

  private async readIn<T>(
    transaction: ActiveTransaction,
    isNew: boolean,
    keys: string[],
    call: Call,
    action: (context: ReadContext) => Promise<T>,
  ): Promise<T> {
    transaction.hold(call);
    try {
      if (!transaction.readOnly) await this.lockForReading(transaction, keys, call);
      if (!transaction.reader) {
        const at = transaction.givenReadTime;
        const reader = at === undefined ? this.store.snapshot() : this.store.snapshotAt(at);
        transaction.useSnapshot(reader, at ?? this.store.clock.readTime());
      }
      return await action({ reader: transaction.reader!, readTime: transaction.readTime!, transaction, isNew });
    } catch (error) {
      // The client did not receive the id of the new transaction, so it cannot end the transaction.
      if (isNew) this.transactions.end(transaction);
      throw error;
    } finally {
      if (isNew && call.signal?.aborted) this.transactions.end(transaction);
      transaction.letGo();
    }
  }

  private async lockForReading(transaction: ActiveTransaction, keys: string[], { signal }: Call): Promise<void> {
    const { owner, reader, needed } = transaction;
    try {
      if (!reader && needed.length > 0)
        await this.locks.acquire(owner, [...new Set([...needed, ...keys])], 'retry', signal);
      else await this.locks.acquire(owner, keys, 'read', signal);
    } catch (error) {
      // A client that gives up a waiting read gives up the transaction.
      this.transactions.end(transaction);
      throw error;
    }
  }

  /** Reads documents from one consistent state and records the reads in the transaction. */
  documentsIn({ reader, transaction }: ReadContext, keys: Buffer[]) {
    return keys.map((key) => {
      const document = reader.document(key);
      const readAgain = (other: Reader) => String(other.document(key)?.updateTime);
      if (transaction && !transaction.readOnly) transaction.reads.push({ seen: readAgain(reader), readAgain });
      return document;
    });
  }

  documentLocks = (keys: Buffer[]): string[] => keys.map(documentLock);

  /**
   * The lock key for reading a query with the encoded request. Equal requests share a lock; different requests do not
   * wait for each other.
   */
  queryLock(query: Query, encoded: Buffer): string[] {
    const key = `q${encoded.toString('latin1')}`;
    if (this.lockedQueries.size >= MAX_IDLE_QUERIES) this.forgetIdleQueries();
    this.lockedQueries.set(key, query);
    // A commit that waits does not know this query. The query waits for it, as a read of a document does.
    for (const [owner, writes] of this.commits) {
      if (this.affectedBy(writes, [[key, query]]).length > 0) this.locks.join(owner, key, true);
    }
    return [key];
  }

  plan(query: Query): ConjunctionPlan[] {
    return planQuery(query, this.store.indexes, this.enforced);
  }

  /** The results of a query. A transaction records the read when all results are consumed, so consume all of them. */
  *queryIn({ reader, transaction }: ReadContext, query: Query, plans: ConjunctionPlan[]): Generator<Hit> {
    if (!transaction || transaction.readOnly) {
      yield* runQuery(reader, query, plans);
      return;
    }
    const seen = createHash('sha256');
    for (const hit of runQuery(reader, query, plans)) {
      addToFingerprint(seen, hit);
      yield hit;
    }
    const readAgain = (other: Reader) => {
      const again = createHash('sha256');
      for (const hit of runQuery(other, query, plans)) addToFingerprint(again, hit);
      return again.digest('base64');
    };
    transaction.reads.push({ seen: seen.digest('base64'), readAgain });
  }

  /** A page of documents. `fingerprint` differs for pages with different contents. */
  pageIn<T>({ reader, transaction }: ReadContext, read: (from: Reader) => T, fingerprint: (page: T) => string): T {
    const page = read(reader);
    if (transaction && !transaction.readOnly) {
      transaction.reads.push({ seen: fingerprint(page), readAgain: (other) => fingerprint(read(other)) });
    }
    return page;
  }

  aggregateIn({ reader, transaction }: ReadContext, aggregation: AggregationQuery): AggregationResult {
    const run = (from: Reader) => runAggregation(this.store, from, aggregation, this.enforced);
    const result = run(reader);
    const readAgain = (other: Reader) => JSON.stringify(run(other).values);
    if (transaction && !transaction.readOnly) {
      transaction.reads.push({ seen: JSON.stringify(result.values), readAgain });
    }
    return result;
  }

  /**
   * Commits writes, in a transaction or without one. Waits for the locks of transactions that read the changed data.
   */
  async commit(writes: ParsedWrite[], transactionId: Buffer | undefined, call: Call): Promise<Committed> {
    if (transactionId?.length) return this.commitIn(this.transactions.get(transactionId), writes, call);
    const owner = new LockOwner(true);
    owner.begin();
    try {
      this.commits.set(owner, writes);
      await this.locks.acquire(owner, this.locksFor(writes), 'write', call.signal);
      return await this.committer.commit(writes);
    } finally {
      this.commits.delete(owner);
      this.locks.release(owner);
    }
  }

  private async commitIn(transaction: ActiveTransaction, writes: ParsedWrite[], call: Call): Promise<Committed> {
    transaction.hold(call);
    let willRetry = false;
    try {
      // A transaction without writes cannot conflict: its reads came from one snapshot.
      if (writes.length === 0) return { time: this.store.clock.readTime(), results: [] };
      if (transaction.readOnly) throw invalidArgument('Cannot modify entities in a read-only transaction.');
      this.commits.set(transaction.owner, writes);
      await this.locks.acquire(transaction.owner, this.locksFor(writes), 'write', call.signal);
      return await this.committer.commit(writes, (reader) => transaction.validate(reader));
    } catch (error) {
      willRetry = error instanceof RpcError && error.code === status.ABORTED;
      throw error;
    } finally {
      this.commits.delete(transaction.owner);
      this.transactions.end(transaction, willRetry);
      transaction.letGo();
    }
  }

  /** The lock keys of the written documents, and of the locked queries whose results the writes would change. */
  private locksFor(writes: ParsedWrite[]): string[] {
    const keys = this.documentLocks(writes.map((write) => write.key));
    this.forgetIdleQueries();
    return [...keys, ...this.affectedBy(writes, [...this.lockedQueries])];
  }

  /** The lock keys of those queries whose results the writes would change. */
  private affectedBy(writes: ParsedWrite[], queries: [string, Query][]): string[] {
    const near = queries.filter(([, query]) => writes.some(({ key, path }) => isWithin(query, key, path.segments)));
    if (near.length === 0) return [];
    const changes = this.previewChanges(writes);
    const affected = near.filter(([, query]) =>
      changes.some(({ key, before, after }) =>
        [before, after].some((each) => each && isWithin(query, key, each.segments) && matches(query, each)),
      ),
    );
    return affected.map(([lock]) => lock);
  }

  private forgetIdleQueries(): void {
    for (const lock of this.lockedQueries.keys()) if (!this.locks.isContended(lock)) this.lockedQueries.delete(lock);
  }

  private previewChanges(writes: ParsedWrite[]): Change[] {
    try {
      const { changes } = prepareCommit(this.store, this.store.latest(), writes, this.store.clock.readTime());
      return changes.map(({ change }) => change);
    } catch (error) {
      if (error instanceof RpcError) return [];
      throw error;
    }
  }

  close(): void {
    this.committer.flush();
    this.transactions.close();
    this.locks.close();
  }
}

function addToFingerprint(hash: Hash, { document }: Hit): void {
  hash.update(document.key).update(String(document.updateTime));
}
