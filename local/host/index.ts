import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { serve, type Handler } from '../http/serve';
import { regionOf, sortExports, timeoutSecondsOf, type MountedFunction } from './exports';
import { isTaskToken } from '../tasks/token';
import { inFramework } from './framework';

export interface HostOptions {
  /** The exports of functions/. */
  functions: Record<string, unknown>;
  /** What signs the calls of task queues. Without it, no call of a function of theirs is allowed. */
  taskSecret?: Buffer;
  project: string;
  /** 0 (the default) picks a free port. */
  port?: number;
}

/** A running functions host. `baseUrl` has no trailing slash. `close` closes open connections and is idempotent. */
export interface Host {
  baseUrl: string;
  port: number;
  /** Calls one function with requests as they are: their `Host`, and their whole path as `req.url`. */
  handlerOf(name: string): Handler;
  close(): Promise<void>;
}

/**
 * Serves every HTTP function at `/<project>/<region>/<name>`, in the region that they declare. A function receives the
 * request as on the platform, where functions/src/http/server.ts takes it from the middleware: unread, with the path
 * after the name as `req.url`. Scheduled functions answer POST only, and functions of task queues those of the queues.
 * Responses are not buffered and not compressed.
 * When the client disconnects, the function's response emits `close`.
 */
export async function startHost({ functions, taskSecret, project, port = 0 }: HostOptions): Promise<Host> {
  const { mounted, ignored } = sortExports(functions);
  if (ignored.length > 0) console.error(`Not reachable over HTTP, so not served locally: ${ignored.join(', ')}.`);
  const idles: (() => Promise<unknown>)[] = [];
  const listeners = new Map(mounted.map((each) => [each.name, listenerOf(each, idles, taskSecret)]));
  const region = regionOf(mounted);
  const prefix = `/${project}/${region}/`;

  const server = await serve('functions', port, async (req, res) => {
    const target = splitUrl(req.url ?? '/', prefix);
    const listener = target && listeners.get(target.name);
    if (!listener) return notFound(res, target?.name);
    await dispatch(listener, req, res, target.url);
  });
  return {
    baseUrl: `${server.url}/${project}/${region}`,
    port: server.port,
    handlerOf: (name) => async (req, res) => {
      const listener = listeners.get(name);
      if (!listener) return notFound(res, name);
      await dispatch(listener, req, res, req.url ?? '/');
    },
    close: async () => {
      await server.close();
      await withinWorkTime(Promise.all(idles.map((idle) => idle())));
    },
  };
}

/** Adds to `idles` a function that waits for the runs of a scheduled function. */
function listenerOf(
  mounted: MountedFunction,
  idles: (() => Promise<unknown>)[],
  taskSecret: Buffer | undefined,
): RequestListener {
  if (mounted.trigger === 'https') return mounted.handler;
  if (mounted.trigger === 'task') return taskListener(mounted, taskSecret);
  // The platform has one instance of a scheduled function, which serves one request at a time.
  let last: Promise<unknown> = Promise.resolve();
  idles.push(() => last);
  const inTurn = (req: IncomingMessage, res: ServerResponse) => {
    last = last
      .then(() => (res.closed ? undefined : withinTimeout(mounted, req, res)))
      .catch((error: unknown) => console.error(`The function ${mounted.name} failed:`, error));
    return last;
  };
  const handler = Object.assign(inTurn, mounted.handler);
  let run: RequestListener | undefined;
  return (req, res) => {
    if (req.method === 'POST') (run ??= inFramework({ ...mounted, handler }))(req, res);
    else res.writeHead(405, { allow: 'POST' }).end();
  };
}

/** A function of a task queue. Like the platform, it refuses every call but those of its queue with 403. */
function taskListener(mounted: MountedFunction, secret: Buffer | undefined): RequestListener {
  const handler = Object.assign(
    (req: IncomingMessage, res: ServerResponse) => withinTimeout(mounted, req, res),
    mounted.handler,
  );
  let run: RequestListener | undefined;
  return (req, res) => {
    if (secret && isTaskToken(secret, req.headers.authorization, mounted.name))
      (run ??= inFramework({ ...mounted, handler }))(req, res);
    else res.writeHead(403, { 'content-type': 'text/plain' }).end('Only the queue of this function calls it.\n');
  };
}

/**
 * Runs a function that the platform calls. Like the platform, it answers 504 when the function has not ended within its
 * timeout. The next run may begin then. The platform also stops the instance; this process cannot stop the function.
 */
async function withinTimeout(mounted: MountedFunction, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { name, handler } = mounted;
  const seconds = timeoutSecondsOf(mounted);
  const waiting = new AbortController();
  const late = pause(seconds * 1000, undefined, { signal: waiting.signal, ref: false }).then(
    () => {
      console.error(`The function ${name} has not ended within its timeout of ${seconds} seconds.`);
      if (!res.headersSent) res.writeHead(504);
      res.end();
    },
    () => {},
  );
  await Promise.race([handler(req, res), late]).finally(() => waiting.abort());
}

/** The function's name, and the URL as the function receives it. Undefined for a URL outside of the prefix. */
function splitUrl(url: string, prefix: string): { name: string; url: string } | undefined {
  if (!url.startsWith(prefix)) return undefined;
  const [name = ''] = url.slice(prefix.length).split(/[/?]/, 1);
  const rest = url.slice(prefix.length + name.length);
  return { name, url: rest.startsWith('/') ? rest : `/${rest}` };
}

/** How long the host waits for the work of a function whose client has its answer or has disconnected. */
const WORK_MS = 5_000;

/**
 * Calls the function. Settles when the answer is sent or the client has disconnected, and the function has ended its
 * work. So the host stops before the database and the bucket on which that work depends.
 */
async function dispatch(listener: RequestListener, req: IncomingMessage, res: ServerResponse, url: string) {
  const closed = new Promise<void>((resolve) => res.once('close', resolve));
  req.url = url;
  const work = Promise.resolve(listener(req, res) as unknown);
  await closed;
  await withinWorkTime(work);
}

/** Settles as `work` does, or resolves when its time is over. */
function withinWorkTime(work: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(resolve, WORK_MS);
    void work.then(resolve, reject).finally(() => clearTimeout(late));
  });
}

function notFound(res: ServerResponse, name: string | undefined): void {
  const message = name ? `There is no function ${JSON.stringify(name)}.` : 'There is no function at this address.';
  res.writeHead(404, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  res.end(`${message}\n`);
}
