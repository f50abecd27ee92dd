// The load client: keep-alive connections that send the next request as soon as an answer has ended. It reads only
// what it needs of an answer, so that it costs less than the servers that it measures.
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:net';

/** Answers may be read in parts of this size. */
const READ_BYTES = 256 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');

/** One connection, which sends one request at a time. */
export class Connection {
  #socket;
  #head = Buffer.alloc(0);
  #missing = 0;
  #answer;
  #pending;

  static async open(port) {
    const connection = new Connection();
    connection.#socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafe(READ_BYTES), callback: (length, bytes) => connection.#read(length, bytes) },
    });
    await once(connection.#socket, 'connect');
    connection.#socket.on('error', (error) => connection.#fail(error));
    connection.#socket.on('close', () => connection.#fail(new Error('The server closed the connection.')));
    return connection;
  }

  /** Sends a request of `requestText`. Resolves with the status, the head and the length of the answer's body. */
  send(request) {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#socket.write(request, 'latin1');
    });
  }

  close() {
    this.#pending = undefined;
    this.#socket.destroy();
  }

  /** Returns true: the socket goes on reading. */
  #read(length, bytes) {
    let body = length;
    if (!this.#answer) {
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, length)]);
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return true;
      body = this.#head.length - end - HEAD_END.length;
      this.#begin(this.#head.latin1Slice(0, end));
      this.#head = Buffer.alloc(0);
    }
    this.#missing -= body;
    if (this.#missing < 0) this.#fail(new Error('The server sent more bytes than it declared.'));
    if (this.#missing === 0) this.#end();
    return true;
  }

  #begin(head) {
    const status = Number(head.slice(9, 12));
    const declared = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (declared === undefined && status !== 304) this.#fail(new Error(`An answer ${status} without a length.`));
    const length = status === 304 ? 0 : Number(declared);
    this.#missing = length;
    this.#answer = { status, head, length };
  }

  #end() {
    const [answer, pending] = [this.#answer, this.#pending];
    this.#answer = this.#pending = undefined;
    pending?.resolve(answer);
  }

  #fail(error) {
    this.#pending?.reject(error);
    this.#pending = undefined;
    this.#socket.destroy();
  }
}

/** The text of a GET request. */
export function requestText(path, headers = {}) {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/**
 * Sends requests over all connections until `ms` have passed, and waits for the last answers. `next` returns the text
 * of the next request. Rejects when an answer has another status or length than `expected`.
 */
export async function loadFor(ms, connections, next, expected) {
  const begunAt = performance.now();
  const latencies = [];
  await Promise.all(
    connections.map(async (connection) => {
      for (let sentAt = performance.now(); sentAt - begunAt < ms;) {
        const { status, length } = await connection.send(next());
        if (status !== expected.status || length !== expected.length)
          throw new Error(`An answer ${status} of ${length} bytes instead of ${expected.status}, ${expected.length}.`);
        const now = performance.now();
        latencies.push(now - sentAt);
        sentAt = now;
      }
    }),
  );
  return { seconds: (performance.now() - begunAt) / 1000, latencies };
}
