import { randomBytes } from 'node:crypto';
import { aborted, invalidArgument } from './errors';
import { LockOwner, type Locks } from './locks';
import type { Reader } from './store';
import { fromTimestamp, type Micros } from './time';
import type { TransactionOptions } from './wire';

/** As in the cloud: a transaction lives this long between two calls, and this long at most. */
const MAX_IDLE_MS = 60_000;
const MAX_LIFETIME_MS = 270_000;
const MAX_REMEMBERED_ATTEMPTS = 1000;

/** Something that a transaction has read, and how to find out whether it would read the same now. */
export interface RecordedRead {
  seen: string;
  readAgain(reader: Reader): string;
}

export class ActiveTransaction {
  readonly id = randomBytes(16);
  readonly owner = new LockOwner();
  readonly startedAt = performance.now();
  /** What the transaction sees from its first read on, and the last commit in it. */
  reader?: Reader;
  readTime?: Micros;
  private seenCommit?: Micros;
  private isOver = false;
  readonly reads: RecordedRead[] = [];

  constructor(
    readonly readOnly: boolean,
    /** The time that a read-only transaction asked for. */
    readonly givenReadTime: Micros | undefined,
    /** What the previous attempt needed: taken at once, so that attempts cannot fail for ever. */
    readonly needed: string[],
  ) {}

  /** From here to letGo() a call uses the transaction, and its snapshot stays open even when another call ends it. */
  hold(): void {
    this.owner.begin();
  }

  letGo(): void {
    this.owner.end();
    if (this.isOver) this.finish();
  }

  /** Fixes what the transaction sees. */
  see(reader: Reader, readTime: Micros): void {
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

  /** Throws ABORTED when anything that was read is different in `reader`. */
  validate(reader: Reader): void {
    if (this.seenCommit === reader.lastCommit) return;
    if (this.reads.some((read) => read.readAgain(reader) !== read.seen)) {
      throw aborted('Too much contention on these documents. Please try again.');
    }
  }
}

/** The transactions that clients have begun and not yet ended. */
export class Transactions {
  private readonly active = new Map<string, ActiveTransaction>();
  /** The keys of attempts that failed, by the id under which their retry will name them. */
  private readonly failed = new Map<string, string[]>();
  private readonly timer = setInterval(() => this.expire(), 1000).unref();

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

  /** Throws INVALID_ARGUMENT, worded so that clients try again, when the transaction is over. */
  get(id: Buffer): ActiveTransaction {
    const transaction = this.active.get(id.toString('latin1'));
    if (!transaction) throw invalidArgument('The referenced transaction has expired or is no longer valid.');
    return transaction;
  }

  find(id: Buffer | undefined): ActiveTransaction | undefined {
    return id && this.active.get(id.toString('latin1'));
  }

  /** Ends a transaction and lets go of what it holds; `willRetry` remembers what it needed. */
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
      if (transaction.owner.silentMs > (isOld ? 0 : MAX_IDLE_MS)) this.end(transaction);
    }
  }

  close(): void {
    clearInterval(this.timer);
    for (const transaction of this.active.values()) this.end(transaction);
  }
}
