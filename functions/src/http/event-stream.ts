import type { ServerResponse as Response } from 'node:http';

/** The most bytes that wait for a client. A client that reads more slowly loses its stream. */
const MAX_WAITING_BYTES = 64 * 1024;

/**
 * The bytes of an event, which may be sent to many clients. See html.spec.whatwg.org/multipage/server-sent-events.html
 */
export const eventOf = (event: string, data: object, id?: string): Buffer =>
  Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

/** What is sent to show that the connection lives. Clients ignore it. */
const HEARTBEAT = Buffer.from(':\n\n');

/** An answer of server-sent events. */
export class EventStream {
  /** Resolves when the answer has ended or the client has gone. */
  readonly closed: Promise<void>;

  /** Sends the headers. `retryMs` is how long the client waits before it opens a stream again. */
  constructor(
    private readonly response: Response,
    retryMs: number,
  ) {
    this.closed = new Promise((resolve) => void response.once('close', resolve));
    response.statusCode = 200;
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.write(`retry: ${retryMs}\n\n`);
  }

  send(event: Buffer): void {
    if (this.response.destroyed || this.response.writableEnded) return;
    if (this.response.writableLength > MAX_WAITING_BYTES) this.response.destroy();
    else this.response.write(event);
  }

  beat(): void {
    this.send(HEARTBEAT);
  }

  /** Ends the answer, after a last event. */
  end(event?: Buffer): void {
    if (event) this.send(event);
    this.response.end();
  }
}
