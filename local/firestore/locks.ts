import { cancelled } from './errors';

/** How long a holder may be silent before the next reader goes ahead without it, and before it loses its locks. */
const readPatienceMs = 500;
const writePatienceMs = 3000;
const checkEveryMs = 50;

interface Request {
  keys: string[];
  forWriting: boolean;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Whoever takes locks: a transaction, or a single write outside of one. */
export class LockOwner {
  /** What it holds or waits for. */
  readonly keys = new Set<string>();
  /** What it waits for now. */
  waiting?: Request;
  /** Calls of it that are being served; while there is one, the owner is not silent. */
  private busyCalls = 0;
  private lastSeen = performance.now();

  begin(): void {
    this.busyCalls++;
  }

  end(): void {
    this.busyCalls--;
    this.lastSeen = performance.now();
  }

  get silentMs(): number {
    return this.busyCalls > 0 ? 0 : performance.now() - this.lastSeen;
  }
}

/**
 * First come, first served, for each document and each query. The locks decide who goes first and spare retries;
 * they are not what keeps transactions apart (commits are validated). So whoever would wait for ever goes ahead:
 * a request that closes a circle at once, a reader behind a silent holder after half a second, a writer after three.
 */
export class Locks {
  private readonly queues = new Map<string, LockOwner[]>();
  private readonly waiters = new Set<LockOwner>();
  private timer?: NodeJS.Timeout;

  /** The keys that anybody holds or waits for. */
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
    if (this.blockers(owner, wanted).size === 0) return;
    await new Promise<void>((resolve, reject) => {
      owner.waiting = { keys: wanted, forWriting, resolve, reject };
      if (this.isCircular(owner)) {
        delete owner.waiting;
        return resolve();
      }
      this.waiters.add(owner);
      this.timer ??= setInterval(() => this.passSilentHolders(), checkEveryMs).unref();
      signal.addEventListener('abort', () => this.settle(owner, cancelled()), { once: true });
    });
  }

  /** Gives up everything the owner holds or waits for. */
  release(owner: LockOwner): void {
    if (owner.waiting) this.settle(owner, cancelled());
    const touched = new Set<LockOwner>();
    for (const key of owner.keys) {
      const queue = this.queues.get(key)!.filter((other) => other !== owner);
      if (queue.length === 0) this.queues.delete(key);
      else this.queues.set(key, queue);
      for (const other of queue) if (other.waiting) touched.add(other);
    }
    owner.keys.clear();
    for (const other of touched) this.admitIfFirst(other);
  }

  close(): void {
    clearInterval(this.timer);
    for (const owner of [...this.waiters]) this.settle(owner, cancelled());
  }

  private admitIfFirst(owner: LockOwner): void {
    if (owner.waiting && this.blockers(owner, owner.waiting.keys).size === 0) this.settle(owner);
  }

  private settle(owner: LockOwner, error?: unknown): void {
    const request = owner.waiting;
    if (!request) return;
    delete owner.waiting;
    this.waiters.delete(owner);
    if (this.waiters.size === 0) {
      clearInterval(this.timer);
      delete this.timer;
    }
    if (error) request.reject(error);
    else request.resolve();
  }

  /** The owners ahead in line. */
  private blockers(owner: LockOwner, keys: string[]): Set<LockOwner> {
    const ahead = new Set<LockOwner>();
    for (const key of keys) {
      for (const other of this.queues.get(key) ?? []) {
        if (other === owner) break;
        ahead.add(other);
      }
    }
    return ahead;
  }

  private isCircular(owner: LockOwner): boolean {
    const seen = new Set<LockOwner>();
    const pending = [owner];
    for (let next = pending.pop(); next; next = pending.pop()) {
      if (!next.waiting) continue;
      for (const ahead of this.blockers(next, next.waiting.keys)) {
        if (ahead === owner) return true;
        if (seen.has(ahead)) continue;
        seen.add(ahead);
        pending.push(ahead);
      }
    }
    return false;
  }

  private passSilentHolders(): void {
    for (const owner of [...this.waiters]) {
      const request = owner.waiting;
      if (!request) continue;
      const patience = request.forWriting ? writePatienceMs : readPatienceMs;
      const ahead = [...this.blockers(owner, request.keys)];
      if (!ahead.every((other) => !other.waiting && other.silentMs > patience)) continue;
      // A writer that waited this long takes the place of those that died or slept; their commits will be validated.
      if (request.forWriting) for (const other of ahead) this.release(other);
      else this.settle(owner);
    }
  }
}
