import { getEventListeners } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client, credentials, Server, ServerCredentials, status } from '@grpc/grpc-js';
import type { sendUnaryData, ServerWritableStream } from '@grpc/grpc-js';
import { runIn } from '../../../functions/src/context';
import { BackendTimeout } from '../../../functions/src/deadlines';
import { callOnce } from '../../../functions/src/records/firestore/channel';
import { commitDocuments, getDocuments } from '../../../functions/src/records/firestore/client';
import { sdkSettings } from '../../../functions/src/records/sdk-calls';
import { PROJECT } from '../../local/firestore/fixture';
import { rawMethod } from '../../support/lossy-firestore';
import { listen, upstreamOf } from '../../support/sockets';

/** What the client of the hot calls does when the database is slow, silent, or sends malformed answers. */

type Stream = ServerWritableStream<Buffer, Buffer>;

const silence = () => {};
const noBytes = Buffer.alloc(0);
/** What the database does with a read, a commit and a new connection. Each test sets what it needs. */
let onRead: (call: Stream) => void = silence;
let commitError: { code: status } | null = null;
let onSocket: (() => void) | undefined;
const calls: string[] = [];
const sockets: Socket[] = [];
const passed: [Socket, Socket][] = [];
const server = new Server();
let port = 0;
/** Connects a client with the server. */
function pass(socket: Socket): void {
  const upstream = upstreamOf(socket, port);
  passed.push([socket, upstream]);
  socket.pipe(upstream).pipe(socket);
}
const listener = createServer((socket) => {
  sockets.push(socket);
  if (onSocket) onSocket();
  else pass(socket);
});

const handlers = {
  read: (call: Stream) => {
    calls.push('read');
    onRead(call);
  },
  commit: (_call: unknown, reply: sendUnaryData<Buffer>) => {
    calls.push('commit');
    reply(commitError, noBytes);
  },
};

beforeAll(async () => {
  server.addService({ read: rawMethod('BatchGetDocuments', true), commit: rawMethod('Commit', false) }, handlers);
  port = await promisify(server.bindAsync.bind(server))('127.0.0.1:0', ServerCredentials.createInsecure());
  process.env['GCLOUD_PROJECT'] = PROJECT;
  process.env['FIRESTORE_EMULATOR_HOST'] = `127.0.0.1:${await listen(listener)}`;
  process.env['RETRY_PAUSE_MS'] = '5';
});
beforeEach(() => {
  process.env['ATTEMPT_TIMEOUT_MS'] = '5000';
  onRead = answer;
  onSocket = undefined;
  commitError = null;
  calls.length = 0;
});
afterAll(() => {
  server.forceShutdown();
  listener.close();
});

/** A BatchGetDocumentsResponse that names a missing document. */
const missing = (path: string) => {
  const name = Buffer.from(`projects/${PROJECT}/databases/(default)/documents/${path}`);
  return Buffer.concat([Buffer.from([0x12, name.length]), name]);
};
function answer(call: Stream): void {
  call.write(missing('a/b'));
  call.end();
}
const read = () => getDocuments(['a/b']);
const commit = () => commitDocuments([{ path: 'a/b', fields: {} }]);
/** A read for a request that has 50 milliseconds left. */
const readInHaste = () =>
  getDocuments(['a/b'], { context: { trail: undefined, endsAt: performance.now() + 50 } }).catch((error) => error);
/** A commit that can be given up. */
function abortable() {
  const abort = new AbortController();
  const call = callOnce('Commit', noBytes, abort.signal);
  return { abort: () => abort.abort(), failed: expect(call).rejects.toThrow('aborted') };
}

/** Loses every connection, and begins a read that opens the next one. What it sends is held back until `release`. */
async function holdConnection(): Promise<{ reading: Promise<unknown>; release: () => void }> {
  await read();
  calls.length = 0;
  const held = new Promise<void>((resolve) => (onSocket = resolve));
  for (const socket of sockets) socket.destroy();
  const reading = read();
  await held;
  onSocket = undefined;
  return { reading, release: () => pass(sockets.at(-1)!) };
}

test('an answer without a document is skipped', async () => {
  onRead = (call) => {
    call.write(noBytes);
    answer(call);
  };
  expect([...(await read())]).toEqual([['a/b', undefined]]);
});

test('a call that was given up before it was sent is not sent', async () => {
  const call = abortable();
  call.abort();
  await call.failed;
  await commit();
  expect(calls).toEqual(['commit']);
});

test('calls that were given up, or whose time ended, while the connection was opened are not sent', async () => {
  const { reading, release } = await holdConnection();
  const call = abortable();
  // Now the call waits for the connection.
  await turn();
  call.abort();
  expect(await readInHaste()).toBeInstanceOf(BackendTimeout);
  release();
  await Promise.all([call.failed, reading]);
  // The server gets the calls of a connection in their order.
  await commit();
  expect(calls).toEqual(['read', 'commit']);
});

test('an attempt that ended leaves no listener on the signal', async () => {
  const { signal } = new AbortController();
  await callOnce('Commit', noBytes, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a read that gets documents goes on after the time of an attempt', async () => {
  process.env['ATTEMPT_TIMEOUT_MS'] = '3000';
  const paths = Array.from({ length: 9 }, (_, i) => `a/${i}`);
  const answerSlowly = async (call: Stream) => {
    for (const path of paths) {
      await pause(400);
      call.write(missing(path));
    }
    call.end();
  };
  onRead = (call) => void answerSlowly(call);
  expect((await getDocuments(paths)).size).toBe(9);
});

test('a call waits for the next connection while one stays silent, and is sent once', async () => {
  process.env['ATTEMPT_TIMEOUT_MS'] = '4000';
  const { reading } = await holdConnection();
  await Promise.all([reading, commit()]);
  expect(calls.sort()).toEqual(['commit', 'read']);
});

test('a read is answered although its connection goes silent', async () => {
  process.env['ATTEMPT_TIMEOUT_MS'] = '3000';
  for (const socket of sockets) socket.destroy();
  await read();
  const before = sockets.length;
  const [socket, upstream] = passed.at(-1)!;
  socket.unpipe(upstream);
  await read();
  expect(sockets).toHaveLength(before + 1);
});

test('a connection is kept for requests that have little time', async () => {
  await read();
  const before = sockets.length;
  onRead = silence;
  for (let i = 0; i < 4; i++) expect(await readInHaste()).toBeInstanceOf(BackendTimeout);
  onRead = answer;
  await read();
  expect(sockets).toHaveLength(before);
});

test('a call of the Admin SDK is not sent again when its time is over, and the library does not repeat it', async () => {
  commitError = { code: status.UNAVAILABLE };
  const { 'grpc.callInvocationTransformer': transform } = sdkSettings(() => undefined);
  const options = { callInvocationTransformer: transform as never };
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), options);
  const { path, requestSerialize: asIs } = rawMethod('Commit', false);
  const commitBySdk = (message: Buffer) =>
    new Promise<status | undefined>((resolve) => {
      client.makeUnaryRequest(path, asIs, asIs, message, (error) => resolve(error?.code));
    });
  const message = Buffer.of();
  const endsAt = performance.now() + 1000;
  // The client of the SDK repeats a call that failed, with the same message.
  const codes = await runIn({ trail: undefined, endsAt }, async () => {
    const inTime = await commitBySdk(message);
    while (performance.now() <= endsAt + 1) await pause(10);
    return [inTime, await commitBySdk(message)];
  });
  // The connection keeps the order of its calls.
  codes.push(await commitBySdk(Buffer.of()));
  expect(codes).toEqual([status.UNAVAILABLE, status.CANCELLED, status.UNAVAILABLE]);
  expect(calls).toEqual(['commit', 'commit']);
  client.close();
});
