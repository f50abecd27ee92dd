import {
  connect,
  constants,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { framed, MessageReader } from './framing';
import { errorOf, GrpcError, ProtocolError, status } from './status';

/** How much the server may send before the client has taken it, for the connection and for each call. */
const WINDOW_BYTES = 1024 * 1024;

export interface Call {
  path: string;
  headers: OutgoingHttpHeaders;
  message: Buffer;
  /** Cancels the call. One that is cancelled before it is sent is not sent. */
  signal: AbortSignal;
  /** Gets each message of the answer. The call fails with `ProtocolError` when it throws. */
  receive: (message: Buffer) => void;
}

export interface Limits {
  /** How long the server may take to accept a connection. */
  connectMs: number;
  /** A connection with calls on which nothing has arrived for this time is asked for a sign of life. */
  keepaliveMs: number;
  /** How long that sign may take. Then the connection is given up. */
  pingMs: number;
}

/** The error of a connection on which Node found bytes that are not HTTP/2. */
const misunderstandingOf = (error: Error, isUnprocessed: boolean) =>
  'code' in error && error.code === 'ERR_HTTP2_ERROR' ? new ProtocolError(error.message, isUnprocessed) : undefined;

const givenUp = () => new GrpcError(status.cancelled, 'The call was given up.');

/** A connection to a gRPC server. It does not keep the process running while it has no calls. */
export class Connection {
  readonly #session: ClientHttp2Session;
  readonly #limits: Limits;
  #running = 0;
  #heardAt = performance.now();
  #watch: NodeJS.Timeout | undefined;

  private constructor(session: ClientHttp2Session, limits: Limits) {
    this.#session = session;
    this.#limits = limits;
    session.once('close', () => clearTimeout(this.#watch));
  }

  /** Connects to `https://host:port`, or to `http://host:port` without encryption. Rejects when that takes too long. */
  static async open(url: string, limits: Limits): Promise<Connection> {
    const session = connect(url, {
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
      // In megabytes. By default Node refuses calls while the session needs more than 10 MB.
      maxSessionMemory: 1000,
    });
    let reason = new Error('it stayed silent');
    // A call learns from its stream that the connection was lost. Without a listener the error would end the process.
    session.on('error', (error: Error) => (reason = error));
    const timer = setTimeout(() => session.destroy(), limits.connectMs);
    try {
      // With its settings the server says how many calls it takes at the same time. Node makes further calls wait.
      await new Promise<void>((resolve, reject) => {
        session.once('remoteSettings', () => resolve());
        session.once('close', () => {
          const details = `The connection was not accepted: ${reason.message}.`;
          reject(misunderstandingOf(reason, true) ?? new GrpcError(status.unavailable, details));
        });
      });
    } finally {
      clearTimeout(timer);
    }
    session.setLocalWindowSize(WINDOW_BYTES);
    session.unref();
    return new Connection(session, limits);
  }

  /**
   * Whether new calls may be made: the connection was not lost, and the server has not asked for another one (GOAWAY).
   */
  get isUsable(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** Settles when the call has ended. Rejects with `GrpcError`. */
  async call(call: Call): Promise<void> {
    if (call.signal.aborted) throw givenUp();
    if (this.#running++ === 0) this.#session.ref();
    this.#keepAlive();
    try {
      await this.#send(call);
    } finally {
      if (--this.#running === 0) this.#session.unref();
    }
  }

  #send({ path, headers, message, signal, receive }: Call): Promise<void> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...headers,
      });
      const reader = new MessageReader(receive);
      let [answer, trailers]: (IncomingHttpHeaders | undefined)[] = [];
      let failure: Error | undefined;
      let misunderstanding: ProtocolError | undefined;
      const cancel = () => stream.close(constants.NGHTTP2_CANCEL);
      const end = () => {
        signal.removeEventListener('abort', cancel);
        if (answer) this.#heardAt = performance.now();
        const isConnected = !this.#session.destroyed;
        failure ??= signal.aborted ? givenUp() : misunderstanding;
        failure ??= errorOf({ headers: answer, trailers, resetCode: stream.rstCode, isConnected });
        if (!failure && !reader.isAtEnd) failure = new ProtocolError('The last message was cut off.');
        if (failure) reject(failure);
        else resolve();
      };
      signal.addEventListener('abort', cancel);
      stream.on('response', (sent) => (answer = sent));
      stream.on('trailers', (sent: IncomingHttpHeaders) => (trailers = sent));
      stream.on('data', (piece: Buffer) => {
        try {
          if (!failure) reader.push(piece);
        } catch (error) {
          failure = error instanceof GrpcError ? error : new ProtocolError(String(error));
          cancel();
        }
      });
      // The code of the reset, or the state of the connection, tells of other errors.
      stream.on('error', (error: Error) => (misunderstanding = misunderstandingOf(error, false)));
      stream.on('close', end);
      stream.end(framed(message));
    });
  }

  /** Watches the connection while calls run. After a pause without calls the first one asks for a sign of life. */
  #keepAlive(): void {
    if (this.#watch || this.#running === 0) return;
    const silentMs = performance.now() - this.#heardAt;
    const { keepaliveMs, pingMs } = this.#limits;
    const ping = () => {
      let isAnswered = false;
      const giveUp = () => isAnswered || this.#session.destroy();
      // When the process has paused, its timers end before it reads what has arrived meanwhile.
      this.#watch = setTimeout(() => setImmediate(giveUp), pingMs).unref();
      this.#session.ping(() => {
        isAnswered = true;
        clearTimeout(this.#watch);
        this.#watch = undefined;
        this.#heardAt = performance.now();
        if (!this.#session.destroyed) this.#keepAlive();
      });
    };
    const check = () => {
      this.#watch = undefined;
      if (performance.now() - this.#heardAt < keepaliveMs) this.#keepAlive();
      else if (this.#running > 0 && !this.#session.destroyed) ping();
    };
    this.#watch = setTimeout(check, Math.max(0, keepaliveMs - silentMs)).unref();
  }
}
