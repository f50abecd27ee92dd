import { setTimeout as pause } from 'node:timers/promises';
import { endWithin } from '../end-within';
import { post } from '../http/post';
import { nextAttempt, type Queue } from './queues';
import type { Task, TaskStore } from './store';
import { mintToken } from './token';

export interface DispatcherOptions {
  store: TaskStore;
  queues: ReadonlyMap<string, Queue>;
  /** The address of the functions, without a trailing slash. */
  baseUrl: string;
  /** Signs the calls. The host refuses others. */
  secret: Buffer;
  /** Who calls the functions. */
  email: string;
  /** Milliseconds since 1970. */
  now: () => number;
  log: (line: string) => void;
  /** Whether tasks run when they are due. Otherwise `runDue` runs them. */
  isTimed: boolean;
  /** How long `close` waits for the tasks that run. 5 seconds by default. */
  waitMs?: number;
}

/** A clock that jumps, as it does after sleep, makes a task late by at most this. */
const LONGEST_PAUSE_MS = 1000;
const WAIT_MS = 5_000;

/**
 * Runs the tasks of all queues as Cloud Tasks does: at least once, when they are due, within the limits of their queue,
 * again with growing pauses when their function fails.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes: Lane[];
  readonly #running = new Map<string, Promise<void>>();
  readonly #cutOff = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#lanes = [...options.queues.values()].map((queue) => new Lane(queue, options.now()));
    this.wake();
  }

  /** Begins the tasks that are due now, and those that become due by their retries, and waits for all of them. */
  async runDue(): Promise<void> {
    for (;;) {
      for (const lane of this.#lanes) this.#beginDue(lane);
      if (this.#running.size === 0) return;
      await Promise.all(this.#running.values());
    }
  }

  /** A task may be due. */
  wake(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || !this.#options.isTimed) return;
    for (const lane of this.#lanes) this.#beginDue(lane);
    const now = this.#options.now();
    const waits = this.#lanes.flatMap((lane) => {
      const dueAt = this.#options.store.nextDueAt(lane.queue.name);
      // A task that is due waits for the end of another one, or for its turn in this second.
      return dueAt === undefined ? [] : [dueAt > now ? dueAt - now : lane.pauseMs];
    });
    this.#timer = setTimeout(() => this.wake(), Math.max(1, Math.min(LONGEST_PAUSE_MS, ...waits)));
  }

  /** Begins no further tasks, and waits for those that run. The next start repeats a task that did not end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const { waitMs = WAIT_MS } = this.#options;
    await endWithin(waitMs, this.#running.values(), this.#cutOff);
  }

  #beginDue(lane: Lane): void {
    if (this.#isClosed) return;
    const { store, now } = this.#options;
    const room = lane.room(now());
    if (room === 0) return;
    const due = store.due(lane.queue.name, now(), lane.running + room).filter(({ name }) => !this.#running.has(name));
    for (const task of due.slice(0, room)) {
      lane.begin();
      const attempt = this.#attempt(lane.queue, task)
        .catch((error: Error) => {
          // Such as a full disk. The task stays as it is.
          this.#options.log(`task ${task.queue}/${task.id}: ${error.message}`);
          return pause(LONGEST_PAUSE_MS);
        })
        .finally(() => {
          lane.end();
          this.#running.delete(task.name);
          this.wake();
        });
      this.#running.set(task.name, attempt);
    }
  }

  async #attempt(queue: Queue, task: Task): Promise<void> {
    const { store, now, log } = this.#options;
    const begun = { ...task, dispatches: task.dispatches + 1, firstAt: task.firstAt ?? now() };
    await store.update(task.name, begun, now());
    const status = await this.#send(begun).catch(String);
    // The next start repeats a task that was cut off.
    if (this.#cutOff.signal.aborted) return;
    if (typeof status === 'number' && status >= 200 && status <= 299) return store.update(task.name, undefined, now());

    const dueAt = nextAttempt(queue, { attempts: begun.dispatches, firstAt: begun.firstAt }, now());
    const answered = typeof status === 'number' ? { responses: task.responses + 1, lastStatus: status } : {};
    await store.update(task.name, dueAt === undefined ? undefined : { dueAt, ...answered }, now());
    const problem = typeof status === 'number' ? `failed with status ${status}` : `could not be called: ${status}`;
    const next = dueAt === undefined ? 'it is dropped' : `the next attempt is at ${new Date(dueAt).toISOString()}`;
    log(`task ${task.queue}/${task.id} ${problem}; ${next}`);
  }

  #send(task: Task): Promise<number> {
    const { baseUrl, secret, email, now } = this.#options;
    const url = `${baseUrl}/${task.queue}`;
    const { lastStatus } = task;
    const headers = {
      ...task.headers,
      'user-agent': 'Google-Cloud-Tasks',
      authorization: `Bearer ${mintToken(secret, { email, audience: url, now: now() })}`,
      'x-cloudtasks-queuename': task.queue,
      'x-cloudtasks-taskname': task.id,
      'x-cloudtasks-taskretrycount': String(task.dispatches - 1),
      'x-cloudtasks-taskexecutioncount': String(task.responses),
      'x-cloudtasks-tasketa': (task.dueAt / 1000).toFixed(6),
      ...(lastStatus !== undefined && { 'x-cloudtasks-taskpreviousresponse': String(lastStatus) }),
    };
    const signal = AbortSignal.any([this.#cutOff.signal, AbortSignal.timeout(task.deadlineMs)]);
    return post(url, { headers, body: Buffer.from(task.body, 'base64'), signal });
  }
}

/** The limits of a queue, and what of them is used. */
class Lane {
  running = 0;
  /** How many tasks may begin. It grows with time, up to what may begin in a second. */
  #starts: number;
  #countedAt: number;

  constructor(
    readonly queue: Queue,
    now: number,
  ) {
    this.#starts = this.#burst;
    this.#countedAt = now;
  }

  /** How many more tasks may begin now. */
  room(now: number): number {
    const passed = Math.max(0, now - this.#countedAt) / 1000;
    this.#starts = Math.min(this.#burst, this.#starts + passed * this.queue.maxDispatchesPerSecond);
    this.#countedAt = now;
    return Math.max(0, Math.min(Math.floor(this.#starts), this.queue.maxConcurrentDispatches - this.running));
  }

  /** When it is worth looking again for a task that is due: the end of another task wakes the queue, too. */
  get pauseMs(): number {
    const isFull = this.running >= this.queue.maxConcurrentDispatches;
    return isFull ? LONGEST_PAUSE_MS : 1000 / this.queue.maxDispatchesPerSecond;
  }

  begin(): void {
    this.running++;
    this.#starts--;
  }

  end(): void {
    this.running--;
  }

  get #burst(): number {
    return Math.max(1, this.queue.maxDispatchesPerSecond);
  }
}
