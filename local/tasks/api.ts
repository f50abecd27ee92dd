import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson, sendJson } from '../http/body';
import { TaskError } from './errors';
import type { Task, TaskStore } from './store';

/** A task has at most 1 MB (https://cloud.google.com/tasks/docs/quotas). In JSON, its body is base64. */
const MAX_BYTES = 1_048_576;
/** The furthest time of a task. */
const MAX_AHEAD_MS = 30 * 24 * 3600_000;
const DEADLINE_MS = { usual: 600_000, least: 15_000, most: 1_800_000 };

/** The queue of a request, with its full name. */
export interface Target {
  queue: string;
  path: string;
}

/** `POST …/queues/<queue>/tasks`: stores the task of the body `{task}`. */
export async function createTask(
  store: TaskStore,
  req: IncomingMessage,
  res: ServerResponse,
  target: Target & { now: number },
): Promise<void> {
  const body = (await readJson(req, 2 * MAX_BYTES)) as { task?: Sent } | undefined;
  const task = taskOf(body?.task ?? {}, target);
  await store.create(task);
  sendJson(res, 200, resourceOf(task));
}

/** What the Admin SDK sends of a task. */
interface Sent {
  name?: unknown;
  scheduleTime?: unknown;
  dispatchDeadline?: unknown;
  httpRequest?: { url?: unknown; headers?: unknown; body?: unknown };
}

function taskOf(
  { name, scheduleTime, dispatchDeadline, httpRequest }: Sent,
  { queue, path, now }: Target & { now: number },
): Task {
  const id = name === undefined ? randomBytes(10).toString('hex') : idOf(name, path);
  // The Admin SDK leaves the address open where CLOUD_TASKS_EMULATOR_HOST is set.
  if (httpRequest?.url)
    throw invalid('Local tasks call the function of their queue only: httpRequest.url must be empty.');
  const body = httpRequest?.body ?? '';
  if (typeof body !== 'string' || body.length * 0.75 > MAX_BYTES) throw invalid('The body of a task has at most 1 MB.');
  const headers = Object.entries((httpRequest?.headers ?? {}) as Record<string, unknown>);
  const scheduledAt =
    typeof scheduleTime === 'string' ? Date.parse(scheduleTime) : scheduleTime === undefined ? now : NaN;
  if (Number.isNaN(scheduledAt)) throw invalid('scheduleTime is not a time.');
  if (scheduledAt > now + MAX_AHEAD_MS) throw invalid('A task is scheduled at most 30 days ahead.');
  return {
    name: `${path}/tasks/${id}`,
    queue,
    id,
    headers: Object.fromEntries(headers.map(([key, value]) => [key.toLowerCase(), String(value)])),
    body,
    createdAt: now,
    scheduledAt,
    dueAt: Math.max(scheduledAt, now),
    deadlineMs: dispatchDeadline === undefined ? DEADLINE_MS.usual : deadlineOf(dispatchDeadline),
    dispatches: 0,
    responses: 0,
  };
}

function idOf(name: unknown, path: string): string {
  const [, queue, id] = /^(.*)\/tasks\/([\w-]{1,500})$/.exec(String(name)) ?? [];
  if (queue !== path || id === undefined) throw invalid(`The name of the task is not one of the queue ${path}.`);
  return id;
}

function deadlineOf(duration: unknown): number {
  const milliseconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(String(duration))?.[1]) * 1000;
  const { least, most } = DEADLINE_MS;
  if (!(milliseconds >= least && milliseconds <= most)) throw invalid('dispatchDeadline is from 15 s to 30 minutes.');
  return milliseconds;
}

const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString();

function resourceOf({ name, headers, createdAt, scheduledAt, deadlineMs }: Task) {
  return {
    name,
    httpRequest: { httpMethod: 'POST', headers },
    createTime: timeOf(createdAt),
    scheduleTime: timeOf(scheduledAt),
    dispatchDeadline: `${deadlineMs / 1000}s`,
    view: 'BASIC',
  };
}

const invalid = (message: string) => new TaskError(400, 'INVALID_ARGUMENT', message);
