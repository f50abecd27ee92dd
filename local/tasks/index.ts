import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DiskError } from '../data/errors';
import { BodyNotJson, BodyTooLarge, sendJson } from '../http/body';
import { serve } from '../http/serve';
import { createTask } from './api';
import { Dispatcher, type DispatcherOptions } from './dispatcher';
import { TaskError } from './errors';
import { queuesOf } from './queues';
import { TaskStore } from './store';

export interface TasksOptions {
  /** The server keeps all data in the subfolder `tasks`. Only one server at a time may use it. */
  dataDir: string;
  project: string;
  /** 0 (the default) picks a free port. */
  port?: number;
  /**
   * Whether the folder is deleted at the end. Writes are then not flushed: they survive a killed process, not a power
   * failure.
   */
  isTemporary?: boolean;
  /** Milliseconds since 1970. */
  now?: () => number;
  log?: (line: string) => void;
}

export interface TasksServer {
  /** The address of the API, for CLOUD_TASKS_EMULATOR_HOST. */
  host: string;
  port: number;
  /** Takes tasks for the queues of these functions, and runs them. */
  run(options: RunOptions): Dispatcher;
  /** Closes open connections, flushes and stops. Idempotent. */
  close(): Promise<void>;
}

type RunOptions = Pick<DispatcherOptions, 'baseUrl' | 'secret' | 'isTimed' | 'waitMs'> & {
  /** The exports of functions/. */
  functions: Record<string, unknown>;
};

/**
 * Serves the calls of the Cloud Tasks API that the Admin SDK makes, to create and to delete tasks. Tasks that were
 * accepted are on disk.
 */
export async function startTasks(options: TasksOptions): Promise<TasksServer> {
  const { dataDir, project, port = 0, isTemporary = false } = options;
  const { now = () => Date.now(), log = (line) => console.error(line) } = options;
  const store = new TaskStore(join(dataDir, 'tasks'), isTemporary);
  let queues = queuesOf({});
  let dispatcher: Dispatcher | undefined;

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    const [, path, of, queue, id] =
      /^\/(projects\/([^/]+)\/locations\/[^/]+\/queues\/([^/]+))\/tasks(?:\/([\w-]+))?$/.exec(pathname) ?? [];
    // The Admin SDK sends one, and a page of a browser cannot.
    if (!req.headers.authorization) throw new TaskError(401, 'UNAUTHENTICATED', 'The request has no access token.');
    if (path === undefined || queue === undefined || of !== project || !queues.has(queue))
      throw new TaskError(404, 'NOT_FOUND', 'The queue does not exist.');
    if (req.method === 'POST' && id === undefined) {
      await createTask(store, req, res, { queue, path, now: now() });
      dispatcher?.wake();
    } else if (req.method === 'DELETE' && id !== undefined) {
      await store.delete(`${path}/tasks/${id}`, now());
      sendJson(res, 200, {});
    } else throw new TaskError(501, 'UNIMPLEMENTED', 'The local Cloud Tasks creates and deletes tasks only.');
  }

  try {
    const listening = await serve('Tasks', port, (req, res) =>
      handle(req, res).catch((error: unknown) => {
        const known = knownError(error);
        if (!known) throw error;
        sendJson(res, known.statusCode, known);
      }),
    );
    let closing: Promise<void> | undefined;
    return {
      host: `127.0.0.1:${listening.port}`,
      port: listening.port,
      run({ functions, ...rest }) {
        queues = queuesOf(functions);
        const email = `local@${project}.iam.gserviceaccount.com`;
        return (dispatcher = new Dispatcher({ store, queues, email, now, log, ...rest }));
      },
      close: () => (closing ??= listening.close().then(() => store.close())),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function knownError(error: unknown): TaskError | undefined {
  if (error instanceof TaskError) return error;
  if (error instanceof BodyNotJson || error instanceof BodyTooLarge)
    return new TaskError(400, 'INVALID_ARGUMENT', error.message);
  if (error instanceof DiskError) return new TaskError(507, 'INTERNAL', error.message);
  return undefined;
}
