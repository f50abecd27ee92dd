import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request. A rejection is logged to standard error and answered with 500. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** A listening server. `close` closes open connections and waits for the handlers to settle. Idempotent. */
export interface Listening {
  port: number;
  url: string;
  close(): Promise<void>;
}

/** A server cannot listen on its port. The message names both. */
export class PortUnavailable extends Error {
  constructor(
    readonly port: number,
    part: string,
    cause: Error,
  ) {
    const reason = cause.message.includes('EACCES') ? 'is not allowed for this user' : 'is taken';
    super(`Port ${port} ${reason}: ${part} cannot listen there.`, { cause });
  }
}

/** The error of a server that cannot listen: a PortUnavailable when the port is the reason. */
export function listenError(port: number, part: string, error: NodeJS.ErrnoException): Error {
  return ['EADDRINUSE', 'EACCES'].includes(error.code ?? '') ? new PortUnavailable(port, part, error) : error;
}

const HOST = '127.0.0.1';
const connectionErrorCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
]);
/** Whether a server answers for the host name of a request. */
export type ServesHost = (name: string) => boolean;
const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);
export const isLoopback: ServesHost = (name) => loopbackNames.has(name);

/**
 * Serves `handler` on 127.0.0.1 only. Port 0 picks a free port. Rejects when the port is in use; the error names the
 * port. `part` is the server's name in messages.
 */
export async function serve(
  part: string,
  port: number,
  handler: Handler,
  servesHost: ServesHost = isLoopback,
): Promise<Listening> {
  const running = new Set<Promise<void>>();
  const server = createServer((req, res) => {
    const answered = answer({ part, handler, servesHost }, req, res).finally(() => running.delete(answered));
    running.add(answered);
  });
  // No time limit for uploads and slow readers: only this machine can connect.
  server.requestTimeout = 0;
  // Clients close idle connections. If the server closed one, a request could arrive at the same moment and fail.
  server.keepAliveTimeout = 0;

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(port, part, error)));
    server.listen(port, HOST, resolve);
  });

  const actualPort = (server.address() as AddressInfo).port;
  let closing: Promise<void> | undefined;
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
    await Promise.all(running);
  };
  return { port: actualPort, url: `http://${HOST}:${actualPort}`, close: () => (closing ??= close()) };
}

interface Served {
  part: string;
  handler: Handler;
  servesHost: ServesHost;
}

async function answer({ part, handler, servesHost }: Served, req: IncomingMessage, res: ServerResponse): Promise<void> {
  // DNS rebinding: a foreign page whose host name resolves to 127.0.0.1 would be "same origin". Its host name differs.
  const hostName = (req.headers.host ?? HOST).replace(/:\d+$/, '').toLowerCase();
  if (!servesHost(hostName)) {
    res.writeHead(421, { 'content-type': 'text/plain' }).end('This server answers on 127.0.0.1 and localhost only.\n');
    return;
  }
  try {
    await handler(req, res);
  } catch (error) {
    // The client disconnected or the server is closing: there is no connection for an answer.
    if (req.socket.destroyed && connectionErrorCodes.has(String((error as NodeJS.ErrnoException).code))) return;
    // The address may hold a share token.
    console.error(`${part}: a ${req.method} request failed:`, error);
    if (res.headersSent) res.destroy();
    else res.writeHead(500, { 'content-type': 'text/plain' }).end('Internal error\n');
  }
}
