import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { config } from '../config';
import { BodyClock } from './body-clock';

/**
 * The functions framework, which the platform starts with the name of one function, puts middleware in front of the
 * function. The middleware reads every body into memory (up to 1 GB, decompressed), answers a malformed body or path in
 * HTML, and prints a malformed path, which may hold a share token, to standard error. No version of the framework has
 * an option for it. The endpoints read bodies and addresses themselves, so the server hands its requests to the
 * endpoint.
 *
 * Node publishes a request on this channel before the server emits it. The first request is that of the framework's
 * server, whose listener is replaced then. Changes nothing when this instance serves another function, and outside of
 * the framework: at deployment, in Firebase's emulator and under `npm start`.
 */
export function serveWithoutMiddleware(functionName: string, listener: RequestListener): void {
  if (functionName !== config.deployedFunction()) return;
  const takeOver = (message: unknown) => {
    unsubscribe(REQUEST_START, takeOver);
    (message as { server: Server }).server.removeAllListeners('request').on('request', listener);
  };
  subscribe(REQUEST_START, takeOver);
}

/**
 * Runs work when the platform stops an instance of the function. The framework's server then waits for the requests
 * that are open. Changes nothing where `serveWithoutMiddleware` does not.
 */
export function beforeStop(functionName: string, work: () => void): void {
  if (functionName === config.deployedFunction()) process.once('SIGTERM', work);
}

const REQUEST_START = 'http.server.request.start';

/** How long a client that sends too slowly may read its answer before the connection is closed. */
const READING_MS = 2000;

/**
 * An endpoint may answer before it has read the body. The server receives and drops the rest before it closes the
 * connection. An immediate close would reset the connection, and a client that is still sending would miss the answer.
 * The server stops waiting when the rest arrives too slowly (see `BodyClock`): a request that is not complete keeps its
 * instance busy. Such a client has `READING_MS` to read the answer.
 */
export function lingerUntilRead(request: IncomingMessage, response: ServerResponse): void {
  const { socket, headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody) return;
  const destroySoon = () => Socket.prototype.destroySoon.call(socket);
  const endAndDestroy = () => {
    if (socket.writableEnded) return;
    const timer = setTimeout(() => socket.destroy(), READING_MS);
    socket.end().once('close', () => clearTimeout(timer));
  };
  const destroyWhenRead = () => {
    if (request.complete) destroySoon();
    else if (BodyClock.isOver(request)) endAndDestroy();
    else request.once('close', destroySoon);
  };
  socket.destroySoon = destroyWhenRead;
  response.once('finish', () => {
    if (request.complete) return;
    const clock = BodyClock.of(request);
    let received = clock.wait(endAndDestroy);
    request.on('data', ({ length }: Buffer) => {
      received(length);
      if (!BodyClock.isOver(request)) received = clock.wait(endAndDestroy);
    });
    request.once('close', () => received(0));
    request.unpipe().resume();
  });
  request.once('close', () => {
    // The next request of the connection may have set its own.
    if (socket.destroySoon === destroyWhenRead) Reflect.deleteProperty(socket, 'destroySoon');
  });
}
