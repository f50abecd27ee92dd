import { cancelled } from './errors';

/** How long a holder may be silent before the next reader goes ahead without it, and before it loses its locks. */
const READ_TIMEOUT_MS = 500;
const WRITE_TIMEOUT_MS = 3000;
const CHECK_INTERVAL_MS = 50;

interface Request {
  owner: LockOwner;
  keys: string[];
  forWriting: boolean;
  settle: (error?: Error) => void;
}

/** Whoever takes locks: a transaction, or a single write outside of one. */
export class LockOwner {
  /** What it holds or waits for. */
  readonly keys = new Set<string>();
  /** Its requests that wait now; parallel reads of one transaction make several. */
  readonly waiting = new Set<Request>();
  private busyCalls = 0;
  private lastSeen = performance.now();

  /** A call of the owner is being served from here to end(): meanwhile it is not silent. */
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
 * First come, first served, for each document and each query. The locks decide who goes first and spare retries;
 * they are not what keeps transactions apart (commits are validated). So whoever would wait for ever goes ahead:
 * a request that closes a circle at once, a reader behind a silent holder after half a second, a writer after three.
 */
export class Locks {
  /** Owners in order of arrival; the first one holds the lock. */
  private readonly queues = new Map<string, LockOwner[]>();
  private readonly requests = new Set<Request>();
  private timer?: NodeJS.Timeout;

  /** Whether anybody holds or waits for a key. */
  isContended(key: string): boolean {
    return this.queues.has(key);
  }

  /**
   * Resolves when the owner is first in line for every key. Keys keep their place in line until release; `forWriting`
   * also waits for owners that came earlier and that this one overtook when it read. Rejects when `signal` aborts.
   */
  async acquire(owner: LockOwner, keys: string[], forWriting: boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw cancelled();
    const fresh = keys.filter((key) => !owner.keys.has(key));
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

  /** Gives up everything the owner holds or waits for. */
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

  /** The owners ahead of one in line, the nearest first. */
  private *ahead(owner: LockOwner, key: string): Generator<LockOwner> {
    const queue = this.queues.get(key) ?? [];
    for (let i = queue.indexOf(owner) - 1; i >= 0; i--) yield queue[i]!;
  }

  /** Whether, directly or through others, the owner waits for itself. */
  private closesCycle(owner: LockOwner): boolean {
    const seen = new Set<LockOwner>();
    const pending = [owner];
    for (let next = pending.pop(); next; next = pending.pop()) {
      for (const key of [...next.waiting].flatMap((request) => request.keys)) {
        for (const other of this.ahead(next, key)) {
          if (other === owner) return true;
          if (!seen.has(other)) pending.push(other);
          seen.add(other);
          // Whoever waits in the same line waits for all that are further ahead.
          if ([...other.waiting].some((request) => request.keys.includes(key))) break;
        }
      }
    }
    return false;
  }

  private passSilentHolders(): void {
    for (const request of [...this.requests]) {
      const patience = request.forWriting ? WRITE_TIMEOUT_MS : READ_TIMEOUT_MS;
      const ahead: LockOwner[] = [];
      const isPassable = request.keys.every((key) => {
        for (const other of this.ahead(request.owner, key)) {
          if (other.silentMs <= patience) return false;
          ahead.push(other);
        }
        return true;
      });
      if (!isPassable) continue;
      // A writer that waited this long takes the place of those that died or slept; their commits will be validated.
      if (request.forWriting) for (const other of new Set(ahead)) this.release(other);
      else request.settle();
    }
  }
}
