import { numberCodec, textCodec, type Codec } from '../data/codecs';
import { DataFile } from '../data/data-file';
import type { Table } from '../data/table';
import { TaskError } from './errors';

/** A task that waits or runs. All times are milliseconds since 1970. */
export interface Task {
  /** `projects/<project>/locations/<region>/queues/<queue>/tasks/<id>` */
  name: string;
  queue: string;
  id: string;
  headers: Record<string, string>;
  /** In base64. */
  body: string;
  createdAt: number;
  /** When it should run first. */
  scheduledAt: number;
  /** When it runs next. */
  dueAt: number;
  deadlineMs: number;
  /** How often it was sent to its function, and how often the function answered. */
  dispatches: number;
  responses: number;
  firstAt?: number;
  lastStatus?: number;
}

/** For so long, the name of a task that has ended is not free. */
const NAME_MS = 3600_000;

type Due = [queue: string, dueAt: number, name: string];

const dueCodec: Codec<Due, true> = {
  ...textCodec<true>(),
  encodeKey: ([queue, dueAt, name]) =>
    Buffer.concat([Buffer.from(`${queue}\0`), numberCodec().encodeKey(dueAt), Buffer.from(name)]),
  decodeKey: (bytes) => {
    const end = bytes.indexOf(0);
    const name = bytes.subarray(end + 9).toString('utf8');
    return [bytes.subarray(0, end).toString('utf8'), bytes.readDoubleBE(end + 1), name];
  },
};

/**
 * Tasks in the order in which they are due. Every write is atomic, serialised with all others, and on disk before its
 * promise resolves. Throws DiskError when the disk is full.
 */
export class TaskStore {
  readonly #data: DataFile;
  readonly #tasks: Table<string, Task>;
  readonly #due: Table<Due, true>;
  /** The names of ended tasks, and until when they are not free. */
  readonly #ended: Table<string, number>;
  #sweptAt = 0;

  constructor(folder: string, isTemporary: boolean) {
    const tables = ['tasks', 'due', 'ended'];
    this.#data = DataFile.open(folder, { store: 'tasks', tables, isTemporary });
    this.#tasks = this.#data.table('tasks', textCodec<Task>());
    this.#due = this.#data.table('due', dueCodec);
    this.#ended = this.#data.table('ended', textCodec<number>());
    this.#data.ready();
  }

  /** Throws 409 when the name belongs to another task, or belonged to one that ended within an hour. */
  create(task: Task): Promise<void> {
    return this.#data.write(() => {
      const isTaken = this.#tasks.get(task.name) || (this.#ended.get(task.name) ?? 0) > task.createdAt;
      if (isTaken)
        throw new TaskError(409, 'ALREADY_EXISTS', 'The task cannot be created because a task with this name existed.');
      this.#put(task);
      this.#sweep(task.createdAt);
    });
  }

  /** Ends a task, whether it runs or not. Throws 404 without such a task. */
  delete(name: string, now: number): Promise<void> {
    return this.#data.write(() => {
      const task = this.#tasks.get(name);
      if (!task) throw new TaskError(404, 'NOT_FOUND', 'The task does not exist.');
      this.#end(task, now);
    });
  }

  /** Up to `limit` tasks of a queue that are due, the longest due first. */
  due(queue: string, now: number, limit: number): Task[] {
    const keys = this.#due.keys({ start: [queue, 0, ''], end: [queue, now + 1, ''], limit });
    return [...keys].map(([, , name]) => this.#tasks.get(name)!);
  }

  /** When the next task of a queue is due. Undefined for an empty queue. */
  nextDueAt(queue: string): number | undefined {
    const [next] = this.#due.keys({ start: [queue, 0, ''], end: [queue, Infinity, ''], limit: 1 });
    return next?.[1];
  }

  /** Changes a task, or ends it without a change. Nothing happens when the task was deleted meanwhile. */
  update(name: string, change: Partial<Task> | undefined, now: number): Promise<void> {
    return this.#data.write(() => {
      const task = this.#tasks.get(name);
      if (!task) return;
      if (!change) return this.#end(task, now);
      this.#due.remove([task.queue, task.dueAt, name]);
      this.#put({ ...task, ...change });
    });
  }

  /** Compares the tasks with the times at which they are due: a sentence for each difference. */
  *problems(): Generator<string> {
    let found = 0;
    for (const { key, value: task } of this.#tasks.range()) {
      const isListed = this.#due.get([task.queue, task.dueAt, key]) !== undefined;
      if (isListed) found++;
      else yield `Tasks: the task ${key} would never run.`;
    }
    const listed = [...this.#due.keys()].length;
    if (listed > found) yield `Tasks: ${listed - found} entries have no task.`;
  }

  close(): Promise<void> {
    return this.#data.close();
  }

  #put(task: Task): void {
    this.#tasks.put(task.name, task);
    this.#due.put([task.queue, task.dueAt, task.name], true);
  }

  /** Frees the names of tasks that ended an hour ago, once an hour. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < NAME_MS) return;
    this.#sweptAt = now;
    for (const { key, value } of [...this.#ended.range()]) if (value <= now) this.#ended.remove(key);
  }

  #end({ name, queue, dueAt }: Task, now: number): void {
    this.#tasks.remove(name);
    this.#due.remove([queue, dueAt, name]);
    this.#ended.put(name, now + NAME_MS);
  }
}
