import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuse } from './answer-deck';

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** A server on 127.0.0.1. `close` ends its open connections, too. */
export interface SiteServer {
  origin: string;
  server: Server;
  close: () => Promise<void>;
}

/**
 * Serves on a port of 127.0.0.1; 0 takes a free one. Only requests for this host are answered: another site could give
 * its own name this address and read the deck (DNS rebinding). Rejects with EADDRINUSE for a port that is taken.
 */
export async function serveSite(port: number, answer: Answer): Promise<SiteServer> {
  const server = createServer((request, response) => {
    if (!isOwnHost(request)) return refuse(request, response, 421, 'This host name does not belong to the deck.');
    // A client that takes this server for a proxy sends the whole address.
    request.url = request.url?.replace(/^http:\/\/[^/?#]*/i, '') || '/';
    void Promise.resolve(answer(request, response)).catch((error: unknown) => answerError(request, response, error));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: opened } = server.address() as AddressInfo;
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { origin: `http://127.0.0.1:${opened}`, server, close };
}

function isOwnHost({ headers: { host = '' }, socket: { localPort } }: IncomingMessage): boolean {
  const [, name, port = '80'] = /^(127\.0\.0\.1|localhost)(?::(\d+))?$/i.exec(host) ?? [];
  return name !== undefined && Number(port) === localPort;
}

/** A range outside of a file has a status of its own. Other errors tell why the folder cannot be read. */
function answerError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status = 500, details } = error as { status?: number; details?: { size?: number } };
  for (const name of ['ETag', 'Accept-Ranges']) response.removeHeader(name);
  if (status === 416) response.setHeader('Content-Range', `bytes */${details?.size}`);
  const text = error instanceof Error ? error.message : String(error);
  refuse(request, response, status, text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
}
