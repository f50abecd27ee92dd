import { randomBytes } from 'node:crypto';
import type { Call, Connection } from './connections';
import { aborted, invalidArgument } from './errors';
import { LockOwner, type Locks } from './locks';
import type { Reader } from './store';
import { fromTimestamp, type Micros } from './time';
import type { TransactionOptions } from './wire';

/** The cloud's limits: a transaction expires after 60 s without a call, and after 270 s in total. */
const MAX_IDLE_MS = 60_000;
const MAX_LIFETIME_MS = 270_000;
/**
 * A transaction ends when its client's connections are closed and it makes no call for this time. A client that is
 * alive may close one of several connections inside a transaction and go on over another.
 */
const MAX_DISCONNECTED_MS = 2_000;
const CHECK_INTERVAL_MS = 500;
const MAX_REMEMBERED_ATTEMPTS = 1000;

/** A read of a transaction: a fingerprint of the result, and a function that computes it again for another view. */
export interface RecordedRead {
  seen: string;
  readAgain(reader: Reader): string;
}

export class ActiveTransaction {
  readonly id = randomBytes(16);
  readonly owner = new LockOwner();
  readonly startedAt = performance.now();
  /** The transaction's snapshot, taken at its first read, and the snapshot's time. */
  reader?: Reader;
  readTime?: Micros;
  private seenCommit?: Micros;
  private isOver = false;
  private readonly connections = new Set<Connection>();
  readonly reads: RecordedRead[] = [];

  constructor(
    readonly readOnly: boolean,
    /** The read time that a read-only transaction requested. */
    readonly givenReadTime: Micros | undefined,
    /**
     * The lock keys of the previous attempt. The retry acquires them at its first read, so that retries make progress.
     */
    readonly needed: string[],
  ) {}

  /** Marks the start of a call. The snapshot stays open until letGo(), even when another call ends the transaction. */
  hold({ connection }: Call): void {
    if (connection) this.connections.add(connection);
    this.owner.begin();
  }

  letGo(): void {
    this.owner.end();
    if (this.isOver) this.finish();
  }

  /** Whether the client has closed its connections and not called again over another one. */
  get isAbandoned(): boolean {
    const closed = [...this.connections].map(({ closedAt = Infinity }) => closedAt);
    if (closed.length === 0 || this.owner.silentMs < MAX_DISCONNECTED_MS) return false;
    return performance.now() - Math.max(...closed) >= MAX_DISCONNECTED_MS;
  }

  /** Sets the transaction's snapshot. */
  useSnapshot(reader: Reader, readTime: Micros): void {
    this.reader = reader;
    this.readTime = readTime;
    this.seenCommit = reader.lastCommit;
  }

  finish(): void {
    this.isOver = true;
    if (this.owner.isBusy) return;
    this.reader?.close();
    delete this.reader;
  }

  /** Throws ABORTED when a recorded read has a different result in `reader`. */
  validate(reader: Reader): void {
    if (this.seenCommit === reader.lastCommit) return;
    if (this.reads.some((read) => read.readAgain(reader) !== read.seen)) {
      throw aborted('Too much contention on these documents. Please try again.');
    }
  }
}

/** The open transactions. */
export class Transactions {
  private readonly active = new Map<string, ActiveTransaction>();
  /** The lock keys of failed attempts, by the id that the retry will name. */
  private readonly failed = new Map<string, string[]>();
  private readonly timer = setInterval(() => this.expire(), CHECK_INTERVAL_MS).unref();

  constructor(private readonly locks: Locks) {}

  begin(options: TransactionOptions | undefined): ActiveTransaction {
    const retried = options?.readWrite?.retryTransaction?.toString('latin1') ?? '';
    const readTime = options?.readOnly?.readTime;
    const transaction = new ActiveTransaction(
      options?.readOnly !== undefined,
      readTime && fromTimestamp(readTime),
      this.failed.get(retried) ?? [],
    );
    this.failed.delete(retried);
    this.active.set(transaction.id.toString('latin1'), transaction);
    return transaction;
  }

  /** Throws INVALID_ARGUMENT when the transaction has ended, with the message on which clients retry. */
  get(id: Buffer): ActiveTransaction {
    const transaction = this.active.get(id.toString('latin1'));
    if (!transaction) throw invalidArgument('The referenced transaction has expired or is no longer valid.');
    return transaction;
  }

  find(id: Buffer | undefined): ActiveTransaction | undefined {
    return id && this.active.get(id.toString('latin1'));
  }

  /** Ends the transaction, if it is open. */
  endById(id: Buffer | undefined): void {
    const found = this.find(id);
    if (found) this.end(found);
  }

  /** Ends a transaction and releases its locks. With `willRetry`, its lock keys are stored for the retry. */
  end(transaction: ActiveTransaction, willRetry = false): void {
    const id = transaction.id.toString('latin1');
    if (!this.active.delete(id)) return;
    if (willRetry) {
      this.failed.set(id, [...transaction.owner.keys]);
      const oldest = this.failed.keys().next();
      if (this.failed.size > MAX_REMEMBERED_ATTEMPTS && !oldest.done) this.failed.delete(oldest.value);
    }
    transaction.finish();
    this.locks.release(transaction.owner);
  }

  private expire(): void {
    for (const transaction of this.active.values()) {
      const isOld = performance.now() - transaction.startedAt > MAX_LIFETIME_MS;
      if (transaction.owner.silentMs > (isOld ? 0 : MAX_IDLE_MS) || transaction.isAbandoned) this.end(transaction);
    }
  }

  close(): void {
    clearInterval(this.timer);
    for (const transaction of this.active.values()) this.end(transaction);
  }
}
