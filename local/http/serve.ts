import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answered request; a rejected promise becomes a bare 500 that is reported on standard error. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** A server that accepts connections. `close` cuts what is open, waits for handlers to settle and may be called twice. */
export interface Listening {
  port: number;
  url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const connectionErrorCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
]);
const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Serves `handler` on 127.0.0.1 alone; port 0 picks a free one. A port that is taken rejects with an error naming it.
 * `part` is the server's name in messages.
 */
export async function serve(part: string, port: number, handler: Handler): Promise<Listening> {
  const running = new Set<Promise<void>>();
  const server = createServer((req, res) => {
    const answered = answer(part, handler, req, res).finally(() => running.delete(answered));
    running.add(answered);
  });
  // Uploads and slow readers may take as long as they like: this server only ever talks to its own machine.
  server.requestTimeout = 0;
  // Clients close the connections that they do not use: one that the server closes may be closed under a request that is on its way.
  server.keepAliveTimeout = 0;

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken: ${part} cannot listen there.`) : error),
    );
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

async function answer(part: string, handler: Handler, req: IncomingMessage, res: ServerResponse): Promise<void> {
  // A page of a stranger whose host name resolves to 127.0.0.1 (DNS rebinding) would be "same origin": its name betrays it.
  const hostName = (req.headers.host ?? HOST).replace(/:\d+$/, '').toLowerCase();
  if (!loopbackNames.has(hostName)) {
    res.writeHead(421, { 'content-type': 'text/plain' }).end('This server answers on 127.0.0.1 and localhost only.\n');
    return;
  }
  try {
    await handler(req, res);
  } catch (error) {
    // The other side went away, or the server is closing: there is nobody to tell.
    if (req.socket.destroyed && connectionErrorCodes.has(String((error as NodeJS.ErrnoException).code))) return;
    console.error(`${part}: ${req.method} ${req.url?.split('?')[0]} failed:`, error);
    if (res.headersSent) res.destroy();
    else res.writeHead(500, { 'content-type': 'text/plain' }).end('Internal error\n');
  }
}
