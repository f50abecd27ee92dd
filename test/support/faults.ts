import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { passOn, upstreamOf } from './sockets';

/**
 * What can go wrong between the functions and a backend:
 *
 * - `refused`: nothing listens at the address.
 * - `busy`: the backend answers 429, or RESOURCE_EXHAUSTED.
 * - `unavailable`: the backend answers 503, or UNAVAILABLE.
 * - `reset`: the connection is reset before the backend gets the request.
 * - `half an answer`: the connection is reset in the middle of the answer.
 * - `silence`: the connection stays open, and no answer comes.
 * - `lost answer`: the backend has done the work, and the connection is reset before the answer.
 * - `slow bytes`: the answer comes in small pieces.
 */
export const faults = [
  'refused',
  'busy',
  'unavailable',
  'reset',
  'half an answer',
  'silence',
  'lost answer',
  'slow bytes',
] as const;
export type Fault = (typeof faults)[number];

/** A proxy in front of a backend that plays faults. */
export interface FaultProxy {
  /** `address:port` */
  host: string;
  /** Plays each fault for one request; `pass` stands for a request without a fault. */
  playNext(...faults: (Fault | 'pass')[]): Promise<void>;
  /** Plays the fault until `heal`, after the faults of `playNext`. */
  playAlways(fault: Fault): Promise<void>;
  /** Passes everything on again. Silent connections are closed, but stay silent with `isSilent`. */
  heal(isSilent?: boolean): Promise<void>;
  close(): Promise<void>;
}

/** The faults of the next requests. */
class Plan {
  private next: (Fault | 'pass')[] = [];
  private always: Fault | undefined;
  /** The connections that were silent. */
  readonly silent = new Set<Socket>();

  constructor(private readonly listener: () => Listener) {}

  /** The fault to play now, if it is one of those. */
  take(playable?: readonly Fault[]): Fault | undefined {
    const [fault = this.always] = this.next;
    if (fault === 'pass') this.next.shift();
    if (!fault || fault === 'pass' || (playable && !playable.includes(fault))) return undefined;
    this.next.shift();
    return fault;
  }

  get controls(): Omit<FaultProxy, 'host'> {
    return {
      playNext: (...faults) => Promise.resolve(void (this.next = faults)),
      playAlways: async (fault) => {
        if (fault === 'refused') await this.listener().stop();
        else this.always = fault;
      },
      heal: (isSilent) => {
        [this.next, this.always] = [[], undefined];
        if (!isSilent) for (const socket of this.silent) socket.destroy();
        this.silent.clear();
        return this.listener().start();
      },
      close: () => this.listener().stop(),
    };
  }
}

const SMALLEST_HALF = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
/** The pause between two pieces of a slow answer, in milliseconds. */
const PIECE_PAUSE_MS = 2;

/** A proxy for HTTP. It plays each fault for single requests, but `refused` for the whole backend. */
export async function startHttpFaults(target: string): Promise<FaultProxy> {
  const plan = new Plan(() => listener);

  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const fault = plan.take();
    if (fault === 'reset') return void incoming.socket.resetAndDestroy();
    if (fault === 'silence') {
      plan.silent.add(incoming.socket);
      return void incoming.resume();
    }
    if (fault === 'busy' || fault === 'unavailable') {
      const status = fault === 'busy' ? 429 : 503;
      const error = { statusCode: status, name: 'planned', message: 'as planned', error: { code: status } };
      incoming.resume().on('end', () => {
        outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
      });
      return;
    }
    passOn(target, incoming, outgoing, (answer) => {
      if (fault === 'lost answer') return void answer.resume().on('end', () => outgoing.socket?.resetAndDestroy());
      outgoing.writeHead(answer.statusCode!, answer.headers);
      if (fault === 'half an answer') void sendHalf(answer, outgoing);
      else if (fault === 'slow bytes') void sendSlowly(answer, outgoing);
      else answer.pipe(outgoing);
    });
  }

  const listener: Listener = await Listener.open(() => createServer({ keepAliveTimeout: 0 }, pass));
  return { host: listener.host, ...plan.controls };
}

async function sendHalf(answer: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  // The reader of a range continues behind the last byte. It gets no byte at last.
  const isRest = answer.statusCode === 206 && bytes.length < SMALLEST_HALF;
  if (isRest || bytes.length === 0) outgoing.socket?.resetAndDestroy();
  else outgoing.write(bytes.subarray(0, bytes.length / 2), () => outgoing.socket?.resetAndDestroy());
}

async function sendSlowly(answer: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      outgoing.write(chunk.subarray(start, start + PIECE_BYTES));
      await new Promise((resolve) => setTimeout(resolve, PIECE_PAUSE_MS));
    }
  }
  outgoing.end();
}

/**
 * A proxy for any protocol over TCP. It plays each fault for whole connections, open ones included: for the next one
 * that sends or receives bytes, or for all of them. The faults `busy` and `unavailable` belong to a protocol: this
 * proxy does not play them.
 */
export async function startTcpFaults(target: string): Promise<FaultProxy> {
  const [hostname, port] = target.split(':');
  const plan = new Plan(() => listener);

  function pass(client: Socket): void {
    const backend = upstreamOf(client, Number(port), hostname);
    // A silent connection stays silent.
    let isSilent = false;
    const next = (...faults: Fault[]) => {
      const fault = isSilent ? 'silence' : plan.take(faults);
      isSilent ||= fault === 'silence';
      if (isSilent) plan.silent.add(client);
      return fault;
    };
    client.on('data', (bytes) => {
      const fault = next('reset', 'silence');
      if (fault === 'reset') client.resetAndDestroy();
      else if (!fault) backend.write(bytes);
    });
    backend.on('data', (bytes) => {
      const fault = next('lost answer', 'half an answer', 'silence', 'slow bytes');
      if (fault === 'lost answer') client.resetAndDestroy();
      else if (fault === 'half an answer') {
        client.write(bytes.subarray(0, bytes.length / 2), () => client.resetAndDestroy());
      } else if (fault === 'slow bytes') void dribble(bytes, client, backend);
      else if (!fault) client.write(bytes);
    });
  }

  const listener: Listener = await Listener.open(() => net.createServer({ noDelay: true }, pass));
  return { host: listener.host, ...plan.controls };
}

async function dribble(bytes: Buffer, client: Socket, backend: Socket): Promise<void> {
  backend.pause();
  for (let start = 0; start < bytes.length; start += 16) {
    client.write(bytes.subarray(start, start + 16));
    await new Promise((resolve) => setImmediate(resolve));
  }
  backend.resume();
}

/** A server that can stop, and listen at the same port again. */
class Listener {
  private port = 0;
  private server: Server | net.Server | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly make: () => Server | net.Server) {}

  static async open(make: () => Server | net.Server): Promise<Listener> {
    const listener = new Listener(make);
    await listener.start();
    return listener;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    if (this.server) return;
    this.server = this.make();
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
