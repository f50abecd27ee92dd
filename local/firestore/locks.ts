import { aborted, cancelled } from './errors';

/** While requests wait, the locks are checked in this interval. A busy process has fewer and longer ticks. */
const TICK_MS = 10;
/** The ticks for which the holders of a key must be quiet before readers share it with them. */
const SHARE_TICKS = 5;
/** The same for a key whose last holder read and then wrote it: the present holder probably writes it, too. */
const REWRITTEN_SHARE_TICKS = 50;
const CYCLE_CHECK_TICKS = 100;
const MAX_REWRITTEN_KEYS = 1000;

/** A `retry` is the first read of a transaction that failed before: it does not share a key that others rewrite. */
export type Purpose = 'read' | 'retry' | 'write';

interface Request {
  owner: LockOwner;
  keys: string[];
  purpose: Purpose;
  ticks: number;
  settle: (error?: Error) => void;
}

/** The owners of a key in the order of arrival: those that hold it and those that wait for it. */
interface Queue {
  owners: LockOwner[];
  /** Whether readers may hold the key together. */
  isShared: boolean;
}

/** An owner of locks: a transaction, or a write outside of a transaction. */
export class LockOwner {
  /** The keys that the owner holds or waits for. */
  readonly keys = new Set<string>();
  /** The keys that the owner was granted for reading. */
  readonly held = new Set<string>();
  /** The keys that the owner's commit writes. */
  readonly written = new Set<string>();
  /** The owner's waiting requests. Parallel reads of one transaction make several. */
  readonly waiting = new Set<Request>();
  /** The ticks since the owner's last activity, counted while the owner blocks a reader. */
  quietTicks = 0;
  private busyCalls = 0;
  private lastSeen = performance.now();

  /** `isPlain` marks a write outside of a transaction. */
  constructor(readonly isPlain = false) {}

  /** Marks the start of a call of the owner. The owner is not silent until end(). */
  begin(): void {
    this.busyCalls++;
    this.quietTicks = 0;
  }

  end(): void {
    this.busyCalls--;
    this.quietTicks = 0;
    this.lastSeen = performance.now();
  }

  get isBusy(): boolean {
    return this.busyCalls > 0;
  }

  /** Whether a call of the owner is in progress that does not wait for a lock. */
  get isWorking(): boolean {
    return this.busyCalls > this.waiting.size;
  }

  get silentMs(): number {
    return this.isBusy ? 0 : performance.now() - this.lastSeen;
  }
}

/**
 * Fair locks for documents and queries. The locks order transactions and avoid retries. Isolation does not depend on
 * them, because every commit is validated. So a request that would close a deadlock cycle proceeds without its lock.
 *
 * Readers of a key are served one after another while its holders finish quickly, because most transactions write what
 * they read. Readers share the key as soon as its holders are quiet. A writer waits for every holder and for every
 * earlier request; a later reader waits for the writer. When two holders want to write the key, the commit of the later
 * one is aborted. Writes outside of transactions wait for transactions, and not for each other.
 */
export class Locks {
  private readonly queues = new Map<string, Queue>();
  private readonly requests = new Set<Request>();
  /** The keys whose last holder wrote what it had read. The newest key is the last. */
  private readonly rewritten = new Set<string>();
  private timer?: NodeJS.Timeout;

  /** Whether an owner holds the key or waits for it. */
  isContended(key: string): boolean {
    return this.queues.has(key);
  }

  /**
   * Resolves when the owner may read or write every key. The owner keeps its place in the queues until release. Rejects
   * when `signal` aborts, and with ABORTED when an earlier reader of a key writes it, too.
   */
  async acquire(owner: LockOwner, keys: string[], purpose: Purpose, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw cancelled();
    const wanted = purpose === 'write' ? [...new Set(keys)] : keys.filter((key) => !owner.held.has(key));
    for (const key of wanted) this.join(owner, key, purpose === 'write');
    if (purpose === 'write') this.resolveUpgrades(owner, wanted);
    const granted = () => {
      if (purpose !== 'write') for (const key of wanted) owner.held.add(key);
    };
    if (wanted.every((key) => this.isAvailable(owner, key, purpose))) return granted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => request.settle(cancelled());
      const settle = (error?: Error) => {
        if (!this.requests.delete(request)) return;
        owner.waiting.delete(request);
        owner.quietTicks = 0;
        signal?.removeEventListener('abort', onAbort);
        if (this.requests.size === 0) this.stopTimer();
        if (error) return reject(error);
        granted();
        resolve();
      };
      const request: Request = { owner, keys: wanted, purpose, ticks: 0, settle };
      this.requests.add(request);
      owner.waiting.add(request);
      signal?.addEventListener('abort', onAbort);
      this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
      if (this.closesCycle(owner)) settle();
    });
  }

  /** Puts the owner at the end of the key's queue, unless the owner is in it. */
  join(owner: LockOwner, key: string, forWriting: boolean): void {
    if (forWriting) owner.written.add(key);
    if (owner.keys.has(key)) return;
    owner.keys.add(key);
    const queue = this.queues.get(key);
    if (queue) queue.owners.push(owner);
    else this.queues.set(key, { owners: [owner], isShared: false });
  }

  /** Releases every lock that the owner holds or waits for. */
  release(owner: LockOwner): void {
    for (const request of [...owner.waiting]) request.settle(cancelled());
    const keys = [...owner.keys];
    for (const key of keys) {
      const queue = this.queues.get(key)!;
      queue.owners.splice(queue.owners.indexOf(owner), 1);
      if (queue.owners.length === 0) this.queues.delete(key);
      if (owner.written.has(key)) queue.isShared = false;
      if (owner.held.has(key)) this.remember(key, owner.written.has(key));
    }
    for (const set of [owner.keys, owner.held, owner.written]) set.clear();
    for (const key of keys) this.grantWaiting(key);
  }

  close(): void {
    for (const request of [...this.requests]) request.settle(cancelled());
  }

  private stopTimer(): void {
    clearInterval(this.timer);
    delete this.timer;
  }

  private remember(key: string, isRewritten: boolean): void {
    this.rewritten.delete(key);
    if (!isRewritten) return;
    this.rewritten.add(key);
    if (this.rewritten.size > MAX_REWRITTEN_KEYS) this.rewritten.delete(this.rewritten.values().next().value!);
  }

  /**
   * Of two holders that write the same key, the later one fails: its read is stale once the earlier one has written.
   */
  private resolveUpgrades(owner: LockOwner, keys: string[]): void {
    const stale = () => aborted('Too much contention on these documents. Please try again.');
    for (const key of keys) {
      if (!owner.held.has(key)) continue;
      let isEarlier = true;
      for (const other of this.queues.get(key)!.owners) {
        if (other === owner) isEarlier = false;
        else if (other.held.has(key) && other.written.has(key)) {
          if (isEarlier) throw stale();
          for (const request of [...other.waiting]) if (request.purpose === 'write') request.settle(stale());
        }
      }
    }
  }

  private isAvailable(owner: LockOwner, key: string, purpose: Purpose): boolean {
    for (const _blocker of this.blockers(owner, key, purpose)) return false;
    return true;
  }

  /** The owners for which a request waits: those before it, the nearest first, then later holders. */
  private *blockers(owner: LockOwner, key: string, purpose: Purpose): Generator<LockOwner> {
    const { owners, isShared } = this.queues.get(key)!;
    const position = owners.indexOf(owner);
    const mayShare = isShared && purpose !== 'write' && !(purpose === 'retry' && this.rewritten.has(key));
    for (let i = position - 1; i >= 0; i--) {
      const other = owners[i]!;
      // The committer applies plain writes in the order of their grants, so one does not wait for another.
      if (owner.isPlain && other.isPlain && other.waiting.size === 0) break;
      if (!mayShare || other.written.has(key)) yield other;
      // An owner that waits in the same queue waits for all owners before it, so they need no separate step.
      if (!mayShare && !other.held.has(key)) return;
    }
    if (purpose !== 'write') return;
    for (let i = position + 1; i < owners.length; i++) if (owners[i]!.held.has(key)) yield owners[i]!;
  }

  private grantWaiting(key: string): void {
    if (this.requests.size === 0) return;
    for (const other of [...(this.queues.get(key)?.owners ?? [])]) {
      for (const request of [...other.waiting]) {
        if (!request.keys.includes(key)) continue;
        const { owner, keys, purpose } = request;
        if (keys.every((each) => this.isAvailable(owner, each, purpose))) request.settle();
        // Later requests that do not hold the key wait for this one.
        else if (purpose !== 'retry' && !owner.held.has(key) && !this.isAvailable(owner, key, purpose)) return;
      }
    }
  }

  /** Whether the owner waits for itself, directly or through other owners. */
  private closesCycle(owner: LockOwner): boolean {
    const seen = new Set<LockOwner>();
    const pending = [owner];
    for (let next = pending.pop(); next; next = pending.pop()) {
      for (const { keys, purpose } of next.waiting) {
        for (const key of keys) {
          for (const other of this.blockers(next, key, purpose)) {
            if (other === owner) return true;
            if (!seen.has(other)) pending.push(other);
            seen.add(other);
          }
        }
      }
    }
    return false;
  }

  private tick(): void {
    const blocked = new Set(
      [...this.requests].filter(({ purpose }) => purpose !== 'write').flatMap(({ keys }) => keys),
    );
    const queues = [...blocked].map((key) => ({ key, queue: this.queues.get(key)! }));
    const holders = queues.flatMap(({ key, queue }) => queue.owners.filter((owner) => owner.held.has(key)));
    for (const owner of new Set(holders)) owner.quietTicks = owner.isWorking ? 0 : owner.quietTicks + 1;
    for (const { key, queue } of queues) {
      const ticks = this.rewritten.has(key) ? REWRITTEN_SHARE_TICKS : SHARE_TICKS;
      if (queue.owners.some((owner) => owner.held.has(key) && owner.quietTicks < ticks)) continue;
      queue.isShared = true;
      this.grantWaiting(key);
    }
    for (const request of [...this.requests]) {
      if (++request.ticks % CYCLE_CHECK_TICKS === 0 && this.closesCycle(request.owner)) request.settle();
    }
  }
}
