import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What the proxy does with a call: it forwards it, it has answered it itself, or it forwards it and drops the answer.
 */
export type Fate = 'forward' | 'answered' | 'lose the answer';

type Watcher = (call: Call, response: ServerResponse) => Fate | Promise<Fate>;

export interface Call {
  /** The function's name. */
  name: string;
  /** How often the function has been called, this call included. */
  number: number;
  headers: IncomingMessage['headers'];
}

/**
 * A proxy between the client and the real service. It counts the calls, and injects the faults that a test asks for.
 */
export class FaultProxy {
  calls: Record<string, number> = {};
  /** Decides about each call before it is forwarded. */
  watch: Watcher = () => 'forward';
  private port = 0;
  private server: Server | undefined;

  constructor(private readonly target: URL) {}

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}${this.target.pathname}`;
  }

  /** Starts to listen. After `close` it listens on the same port again, as a service does that restarts. */
  async open(): Promise<void> {
    this.server = createServer((incoming, outgoing) => {
      void this.pass(incoming, outgoing);
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = this.server && once(this.server, 'close');
    this.server?.close();
    this.server?.closeAllConnections();
    await closed;
  }

  /** Resets the counts, and forwards every call again. */
  reset(): void {
    this.calls = {};
    this.watch = () => 'forward';
  }

  /** Loses the answer to the first call of each of the functions. */
  loseAnswer(...names: string[]): void {
    this.watch = ({ name, number }) => (names.includes(name) && number === 1 ? 'lose the answer' : 'forward');
  }

  /** Answers the calls of a function in place of the service: with an object as JSON. */
  answer(wanted: string, status: number, body: object | string = ''): void {
    this.watch = ({ name }, response) => {
      if (name !== wanted) return 'forward';
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
      return 'answered';
    };
  }

  /** Does something before each call of a function is forwarded. */
  before(wanted: string, work: (number: number) => unknown): void {
    this.watch = async ({ name, number }): Promise<Fate> => {
      if (name === wanted) await work(number);
      return 'forward';
    };
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const name = (incoming.url ?? '').slice(this.target.pathname.length + 1).replace(/[/?].*/, '');
    const number = (this.calls[name] = (this.calls[name] ?? 0) + 1);
    const fate = await this.watch({ name, number, headers: incoming.headers }, outgoing);
    if (fate === 'answered' || outgoing.destroyed) return;
    const { hostname, port } = this.target;
    const { method, url: path, headers } = incoming;
    const onward = request({ hostname, port, method, path, headers }, (answer) => {
      if (fate === 'lose the answer') {
        answer.resume().on('end', () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }
}
