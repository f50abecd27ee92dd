import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import net from 'node:net';
import { serve } from '../http/serve';
import { sortExports } from './exports';
import { frameworkFor } from './framework';

const REGION = 'us-central1';

export interface HostOptions {
  /** The exports of functions/. */
  functions: Record<string, unknown>;
  project: string;
  /** 0 (the default) picks a free port. */
  port?: number;
  /** Whether the cloud's limit of 32 MiB for a request applies. */
  platformLimits?: boolean;
}

/** A running functions host. `baseUrl` has no trailing slash. `close` closes open connections and is idempotent. */
export interface Host {
  baseUrl: string;
  port: number;
  functionNames: string[];
  close(): Promise<void>;
}

/**
 * Serves every HTTP function at `/<project>/us-central1/<name>`, mounted as on the platform: `req.url` and `req.path`
 * are the path after the name, `req.originalUrl` is the whole path. Scheduled functions answer POST only. Responses are
 * not buffered and not compressed. When the client disconnects, the function's response emits `close`.
 */
export async function startHost({ functions, project, port = 0, platformLimits = false }: HostOptions): Promise<Host> {
  const { mounted, ignored } = sortExports(functions);
  if (ignored.length > 0) console.error(`Not reachable over HTTP, so not served locally: ${ignored.join(', ')}.`);
  const listeners = new Map(mounted.map((each) => [each.name, frameworkFor(each, platformLimits)]));
  const prefix = `/${project}/${REGION}/`;

  const server = await serve('functions', port, async (req, res) => {
    const target = splitUrl(req.url ?? '/', prefix);
    const listener = target && listeners.get(target.name);
    if (!listener) return notFound(res, target?.name);
    await dispatch(listener, req, res, target.url);
  });
  return {
    baseUrl: `${server.url}/${project}/${REGION}`,
    port: server.port,
    functionNames: [...listeners.keys()],
    close: () => server.close(),
  };
}

/** The function's name, and the URL as the function receives it. Undefined for a URL outside of the prefix. */
function splitUrl(url: string, prefix: string): { name: string; url: string } | undefined {
  if (!url.startsWith(prefix)) return undefined;
  const [name = ''] = url.slice(prefix.length).split(/[/?]/, 1);
  const rest = url.slice(prefix.length + name.length);
  return { name, url: rest.startsWith('/') ? rest : `/${rest}` };
}

/** Calls the function. Settles when the answer is sent or the client has disconnected. */
async function dispatch(listener: RequestListener, req: IncomingMessage, res: ServerResponse, url: string) {
  const closed = new Promise<void>((resolve) => res.once('close', resolve));
  lingerUntilRead(req, res);
  Object.assign(req, { originalUrl: req.url, url });
  listener(req, res);
  await closed;
}

/**
 * A function may answer before it has read the body. The host reads and discards the rest before it closes the
 * connection. An immediate close would reset the connection, and a client that is still sending would miss the answer.
 */
function lingerUntilRead(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = req;
  const destroySoon = () => net.Socket.prototype.destroySoon.call(socket);
  socket.destroySoon = () => {
    if (req.complete) destroySoon();
    else req.once('close', destroySoon);
  };
  res.once('finish', () => {
    if (!req.complete) req.unpipe().resume();
  });
  req.once('close', () => Reflect.deleteProperty(socket, 'destroySoon'));
}

function notFound(res: ServerResponse, name: string | undefined): void {
  const message = name ? `There is no function ${JSON.stringify(name)}.` : 'There is no function at this address.';
  res.writeHead(404, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  res.end(`${message}\n`);
}
