import { cancelled } from './errors';

/** The time after which a reader passes a silent lock holder, and after which a writer takes its locks away. */
const READ_TIMEOUT_MS = 500;
const WRITE_TIMEOUT_MS = 3000;
const CHECK_INTERVAL_MS = 50;

interface Request {
  owner: LockOwner;
  keys: string[];
  forWriting: boolean;
  settle: (error?: Error) => void;
}

/** An owner of locks: a transaction, or a write outside of a transaction. */
export class LockOwner {
  /** The keys that the owner holds or waits for. */
  readonly keys = new Set<string>();
  /** The owner's waiting requests. Parallel reads of one transaction make several. */
  readonly waiting = new Set<Request>();
  private busyCalls = 0;
  private lastSeen = performance.now();

  /** Marks the start of a call of the owner. The owner is not silent until end(). */
  begin(): void {
    this.busyCalls++;
  }

  end(): void {
    this.busyCalls--;
    this.lastSeen = performance.now();
  }

  get isBusy(): boolean {
    return this.busyCalls > 0;
  }

  get silentMs(): number {
    return this.isBusy ? 0 : performance.now() - this.lastSeen;
  }
}

/**
 * Fair locks for documents and queries: first come, first served. The locks order transactions and avoid retries.
 * Isolation does not depend on them, because every commit is validated. So a request that could wait for ever proceeds
 * without its lock: a request that would close a deadlock cycle immediately, a reader behind a silent holder after 0.5
 * s, a writer after 3 s.
 */
export class Locks {
  /** The owners of each key in the order of arrival. The first one holds the lock. */
  private readonly queues = new Map<string, LockOwner[]>();
  private readonly requests = new Set<Request>();
  private timer?: NodeJS.Timeout;

  /** Whether an owner holds the key or waits for it. */
  isContended(key: string): boolean {
    return this.queues.has(key);
  }

  /**
   * Resolves when the owner is first in the queue of every key. The owner keeps its place in the queues until release.
   * With `forWriting`, it also waits for earlier owners that it passed when it read. Rejects when `signal` aborts.
   */
  async acquire(owner: LockOwner, keys: string[], forWriting: boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw cancelled();
    // A transaction may write one document twice: its owner joins the queue of each key once.
    const fresh = [...new Set(keys)].filter((key) => !owner.keys.has(key));
    for (const key of fresh) {
      owner.keys.add(key);
      const queue = this.queues.get(key);
      if (queue) queue.push(owner);
      else this.queues.set(key, [owner]);
    }
    const wanted = forWriting ? keys : fresh;
    if (this.isFirst(owner, wanted)) return;
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => request.settle(cancelled());
      const settle = (error?: Error) => {
        if (!this.requests.delete(request)) return;
        owner.waiting.delete(request);
        signal.removeEventListener('abort', onAbort);
        if (this.requests.size === 0) this.stopTimer();
        if (error) reject(error);
        else resolve();
      };
      const request: Request = { owner, keys: wanted, forWriting, settle };
      this.requests.add(request);
      owner.waiting.add(request);
      signal.addEventListener('abort', onAbort);
      this.timer ??= setInterval(() => this.passSilentHolders(), CHECK_INTERVAL_MS).unref();
      if (this.closesCycle(owner)) settle();
    });
  }

  /** Releases every lock that the owner holds or waits for. */
  release(owner: LockOwner): void {
    for (const request of [...owner.waiting]) request.settle(cancelled());
    const affected = new Set<Request>();
    for (const key of owner.keys) {
      const queue = this.queues.get(key)!;
      queue.splice(queue.indexOf(owner), 1);
      if (queue.length === 0) this.queues.delete(key);
      for (const request of queue[0]?.waiting ?? []) affected.add(request);
    }
    owner.keys.clear();
    for (const request of affected) if (this.isFirst(request.owner, request.keys)) request.settle();
  }

  close(): void {
    for (const request of [...this.requests]) request.settle(cancelled());
  }

  private stopTimer(): void {
    clearInterval(this.timer);
    delete this.timer;
  }

  private isFirst(owner: LockOwner, keys: string[]): boolean {
    return keys.every((key) => (this.queues.get(key)?.[0] ?? owner) === owner);
  }

  /** The owners before this one in the queue of a key, the nearest first. */
  private *ahead(owner: LockOwner, key: string): Generator<LockOwner> {
    const queue = this.queues.get(key) ?? [];
    for (let i = queue.indexOf(owner) - 1; i >= 0; i--) yield queue[i]!;
  }

  /** Whether the owner waits for itself, directly or through other owners. */
  private closesCycle(owner: LockOwner): boolean {
    const seen = new Set<LockOwner>();
    const pending = [owner];
    for (let next = pending.pop(); next; next = pending.pop()) {
      for (const key of [...next.waiting].flatMap((request) => request.keys)) {
        for (const other of this.ahead(next, key)) {
          if (other === owner) return true;
          if (!seen.has(other)) pending.push(other);
          seen.add(other);
          // An owner that waits in the same queue waits for all owners before it, so they need no separate step.
          if ([...other.waiting].some((request) => request.keys.includes(key))) break;
        }
      }
    }
    return false;
  }

  private passSilentHolders(): void {
    for (const request of [...this.requests]) {
      const timeoutMs = request.forWriting ? WRITE_TIMEOUT_MS : READ_TIMEOUT_MS;
      const ahead: LockOwner[] = [];
      const isPassable = request.keys.every((key) => {
        for (const other of this.ahead(request.owner, key)) {
          if (other.silentMs <= timeoutMs) return false;
          ahead.push(other);
        }
        return true;
      });
      if (!isPassable) continue;
      // A writer takes the locks of silent holders away. If such a holder commits later, its commit is validated.
      if (request.forWriting) for (const other of new Set(ahead)) this.release(other);
      else request.settle();
    }
  }
}
