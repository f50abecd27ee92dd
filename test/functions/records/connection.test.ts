import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import {
  constants,
  createSecureServer,
  createServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { status as codes } from '@grpc/grpc-js';
import { build } from 'esbuild';
import fc from 'fast-check';
import { callOnce } from '../../../functions/src/records/firestore/channel';
import { Connection } from '../../../functions/src/records/firestore/connection';
import { framed, MessageReader } from '../../../functions/src/records/firestore/framing';
import { ProtocolError } from '../../../functions/src/records/firestore/status';
import { aFolder } from '../../local/folders';
import { localhostCertificate } from '../../support/localhost-certificate';
import { listen, upstreamOf } from '../../support/sockets';

/** The HTTP/2 of the hot calls, against the server of grpc-js and against servers that break the rules. */

const LIMITS = { connectMs: 20_000, keepaliveMs: 60_000, pingMs: 60_000 };
const {
  NGHTTP2_NO_ERROR: NO_ERROR,
  NGHTTP2_INTERNAL_ERROR: INTERNAL_ERROR,
  NGHTTP2_REFUSED_STREAM: REFUSED_STREAM,
  NGHTTP2_CANCEL: CANCEL,
  NGHTTP2_ENHANCE_YOUR_CALM: ENHANCE_YOUR_CALM,
} = constants;
/** Lets a server listen. Returns its URL. */
const urlOf = async (to: TcpServer, protocol = 'http') => `${protocol}://localhost:${await listen(to, 'localhost')}`;

/** What the server does with a call. Each test sets what it needs. */
let onCall: (stream: ServerHttp2Stream) => void;
let url: string;
const peers: ServerHttp2Session[] = [];
const server = createServer();
server.on('session', (session) => void peers.push(session.on('error', () => {})));
server.on('stream', (stream) => onCall(stream.on('error', () => {})));
const bytesOf = (text: string) => framed(Buffer.from(text));

beforeAll(async () => (url = await urlOf(server)));
beforeEach(() => void (onCall = (stream) => answer(stream, bytesOf('an answer'))));
afterAll(() => {
  for (const peer of peers) peer.destroy();
  server.close();
});

function answer(stream: ServerHttp2Stream, bytes: Buffer, trailers: Record<string, string> = { 'grpc-status': '0' }) {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(bytes);
}

const path = '/google.firestore.v1.Firestore/Commit';
/** Makes a call. Returns the messages of its answer. */
async function call(connection: Connection, signal = new AbortController().signal): Promise<string[]> {
  const received: string[] = [];
  const receive = (message: Buffer) => received.push(message.toString());
  const headers = { 'grpc-timeout': '60000m' };
  await connection.call({ path, headers, message: Buffer.from('a message'), signal, receive });
  return received;
}
const open = () => Connection.open(url, LIMITS);
/** Demands the error of a call on a new connection. */
const demand = async (error: object) => expect(call(await open())).rejects.toMatchObject(error);
/** A call that can be cancelled. */
function cancellable(connection: Connection) {
  const abort = new AbortController();
  const cancelled = expect(call(connection, abort.signal)).rejects.toMatchObject({ code: codes.CANCELLED });
  return { abort: () => abort.abort(), cancelled };
}

test('messages are found in pieces of any size', () =>
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.infiniteStream(fc.nat(30)), (messages, sizes) => {
      const sent = messages.map((message) => Buffer.from(message));
      const bytes = Buffer.concat(sent.map(framed));
      const found: Buffer[] = [];
      const reader = new MessageReader((message) => found.push(message));
      for (let start = 0; start < bytes.length;) {
        const end = start + sizes.next().value!;
        reader.push(bytes.subarray(start, end));
        start = end;
      }
      expect([found, reader.isAtEnd]).toEqual([sent, true]);
    }),
  ));

test('a call is answered, and the server learns its path, its headers and its message', async () => {
  let seen: unknown;
  server.once('stream', (_stream, headers) => (seen = headers));
  const chunks: Buffer[] = [];
  onCall = (stream) => {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => answer(stream, Buffer.concat([bytesOf('1'), bytesOf('')])));
  };
  expect(await call(await open())).toEqual(['1', '']);
  const own = { ':method': 'POST', ':path': path, te: 'trailers', 'grpc-timeout': '60000m' };
  expect(seen).toMatchObject({ ...own, 'content-type': 'application/grpc' });
  expect(Buffer.concat(chunks)).toEqual(bytesOf('a message'));
});

describe('a call fails', () => {
  test('with the status and the message that the server sends instead of an answer', async () => {
    const headers = { ':status': 200, 'grpc-status': '5', 'grpc-message': 'no %C3%A9, 100% sure' };
    onCall = (stream) => stream.respond(headers, { endStream: true });
    await demand({ code: codes.NOT_FOUND, message: 'gRPC 5: no %C3%A9, 100% sure' });
  });

  test('with the status and the message that follow an answer', async () => {
    const trailers = { 'grpc-status': '10', 'grpc-message': 'a %22lock%22 %C3%A9' };
    onCall = (stream) => answer(stream, bytesOf(''), trailers);
    await demand({ code: codes.ABORTED, message: 'gRPC 10: a "lock" é' });
  });

  const hex = (digits: string) => Buffer.from(digits, 'hex');
  const half = framed(Buffer.alloc(9)).subarray(0, 9);
  test.each<[string, codes, (stream: ServerHttp2Stream) => void]>([
    ['ended without a status', codes.INTERNAL, (stream) => answer(stream, hex(''), { other: '1' })],
    ['ended in the middle of a message', codes.INTERNAL, (stream) => answer(stream, half)],
    ['compressed', codes.INTERNAL, (stream) => answer(stream, hex('0100000001ff'))],
    ['too large', codes.INTERNAL, (stream) => answer(stream, hex('00ffffffff'))],
    ['503 of a proxy', codes.UNAVAILABLE, (stream) => stream.respond({ ':status': 503 }, { endStream: true })],
    ['403 of a proxy', codes.PERMISSION_DENIED, (stream) => stream.respond({ ':status': 403 }, { endStream: true })],
    ['reset with CANCEL', codes.CANCELLED, (stream) => stream.close(CANCEL)],
    ['reset with INTERNAL_ERROR', codes.INTERNAL, (stream) => stream.close(INTERNAL_ERROR)],
    ['reset with ENHANCE_YOUR_CALM', codes.RESOURCE_EXHAUSTED, (stream) => stream.close(ENHANCE_YOUR_CALM)],
    ['lost with its connection', codes.UNAVAILABLE, (stream) => stream.session!.destroy()],
    ['lost in the middle of an answer', codes.UNAVAILABLE, loseHalf],
    ['ended by a GOAWAY with an error', codes.UNAVAILABLE, (stream) => stream.session!.goaway(ENHANCE_YOUR_CALM)],
  ])('when the answer is %s', async (_name, code, play) => {
    onCall = play;
    await demand({ code, isUnprocessed: false });
  });

  function loseHalf(stream: ServerHttp2Stream): void {
    stream.respond({ ':status': 200 });
    stream.write(framed(Buffer.alloc(100)).subarray(0, 50), () => stream.session!.destroy());
  }

  test('when its message cannot be read', async () => {
    const receive = () => {
      throw new RangeError('index out of range');
    };
    const { signal } = new AbortController();
    const reading = (await open()).call({ path: '/', headers: {}, message: Buffer.alloc(0), signal, receive });
    await expect(reading).rejects.toThrow(ProtocolError);
  });

  test('and says so when the server has refused the call unseen', async () => {
    onCall = (stream) => stream.close(REFUSED_STREAM);
    await demand({ code: codes.UNAVAILABLE, isUnprocessed: true });
  });

  test('when its connection is not accepted', async () => {
    const silent = createTcpServer(() => {});
    const accepted = once(silent, 'connection');
    const opening = Connection.open(await urlOf(silent), { ...LIMITS, connectMs: 100 });
    await expect(opening).rejects.toMatchObject({ code: codes.UNAVAILABLE });
    const [socket] = (await accepted) as [Socket];
    const ended = once(socket, 'close');
    socket.resume();
    await ended;
    silent.close();
    await once(silent, 'close');
    await expect(Connection.open(`http://localhost:1`, LIMITS)).rejects.toMatchObject({ code: codes.UNAVAILABLE });
  });
});

test('a call that is cancelled is ended at the server, and the others go on', async () => {
  const connection = await open();
  const streams: ServerHttp2Stream[] = [];
  const both = new Promise<void>((resolve) => (onCall = (stream) => streams.push(stream) === 2 && resolve()));
  const { abort, cancelled } = cancellable(connection);
  const other = call(connection);
  await both;
  const ended = once(streams[0]!, 'close');
  abort();
  await Promise.all([cancelled, ended]);
  expect(streams[0]!.rstCode).toBe(CANCEL);
  answer(streams[1]!, bytesOf('still here'));
  expect(await other).toEqual(['still here']);
});

test('a call that is cancelled before it is made, or while the server takes no more calls, is not sent', async () => {
  const narrow = createServer({ settings: { maxConcurrentStreams: 1 } });
  const accepted = once(narrow, 'session') as Promise<[ServerHttp2Session]>;
  const streams: ServerHttp2Stream[] = [];
  const first = new Promise<void>((resolve) => {
    narrow.on('stream', (stream) => {
      if (streams.push(stream.on('error', () => {})) === 1) resolve();
      else answer(stream, bytesOf('the third'));
    });
  });
  const connection = await Connection.open(await urlOf(narrow), LIMITS);
  await expect(call(connection, AbortSignal.abort())).rejects.toMatchObject({ code: codes.CANCELLED });
  const running = call(connection);
  await first;
  const { abort, cancelled } = cancellable(connection);
  const last = call(connection);
  abort();
  answer(streams[0]!, bytesOf('the first'));
  await cancelled;
  expect([await running, await last]).toEqual([['the first'], ['the third']]);
  expect(streams).toHaveLength(2);
  (await accepted)[0].destroy();
  narrow.close();
});

test('after a GOAWAY the running call is answered, and the connection takes no more calls', async () => {
  const connection = await open();
  const begun = new Promise<ServerHttp2Stream>((resolve) => (onCall = resolve));
  const running = call(connection);
  const stream = await begun;
  stream.session!.goaway(NO_ERROR, 2 ** 31 - 1);
  while (connection.isUsable) await turn();
  answer(stream, bytesOf('the last'));
  expect(await running).toEqual(['the last']);
});

test('a GOAWAY refuses the calls that the server has not seen', async () => {
  const connection = await open();
  await call(connection);
  onCall = (stream) => stream.session!.goaway(NO_ERROR, stream.id! - 2);
  await expect(call(connection)).rejects.toMatchObject({ isUnprocessed: true });
});

const commit = (signal = new AbortController().signal) => callOnce('Commit', Buffer.alloc(0), signal);

test('a call that the server refuses unseen is made again, at most twice', async () => {
  process.env['GCLOUD_PROJECT'] = 'demo-decks';
  process.env['FIRESTORE_EMULATOR_HOST'] = new URL(url).host;
  let refusals = 2;
  let seen = 0;
  onCall = (stream) => {
    seen++;
    if (refusals-- > 0) stream.close(REFUSED_STREAM);
    else answer(stream, bytesOf('committed'));
  };
  expect((await commit()).toString()).toBe('committed');
  refusals = 3;
  await expect(commit()).rejects.toMatchObject({ code: codes.UNAVAILABLE });
  expect(seen).toBe(6);
});

test('a call that is given up between two tries is not made again', async () => {
  await commit();
  let seen = 0;
  onCall = (stream) => {
    seen++;
    stream.session!.goaway(NO_ERROR, stream.id! - 2);
  };
  const abort = new AbortController();
  // The call waits for its next connection, which the server has just accepted.
  server.once('session', () => abort.abort());
  await expect(commit(abort.signal)).rejects.toThrow('aborted');
  onCall = (stream) => answer(stream, bytesOf('committed'));
  await commit();
  expect(seen).toBe(1);
});

test('a connection that answers no ping is given up, and its calls fail', async () => {
  onCall = () => {};
  const upstreams: Socket[] = [];
  const proxy = createTcpServer((socket) => {
    const upstream = upstreamOf(socket, Number(new URL(url).port), 'localhost');
    socket.pipe(upstream).pipe(socket);
    upstreams.push(upstream);
  });
  const connection = await Connection.open(await urlOf(proxy), { ...LIMITS, keepaliveMs: 20, pingMs: 2000 });
  // The server answers the pings of a slow call.
  const pinged = new Promise((resolve) => peers.at(-1)!.on('ping', resolve));
  const slow = call(connection);
  await pinged;
  expect(connection.isUsable).toBe(true);
  upstreams[0]!.pause();
  await expect(slow).rejects.toMatchObject({ code: codes.UNAVAILABLE });
  expect(connection.isUsable).toBe(false);
  proxy.close();
});

test('a process calls over TLS, refuses an unknown certificate, and does not wait for an idle connection', async () => {
  const folder = aFolder();
  const outfile = join(folder, 'secure-call.js');
  const entryPoints = [join(__dirname, '../programs/secure-call.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', logLevel: 'error' });
  writeFileSync(join(folder, 'cert.pem'), localhostCertificate.cert);
  const secure = createSecureServer(localhostCertificate);
  secure.on('stream', (stream) => void stream.once('data', (bytes: Buffer) => answer(stream, bytes)));
  secure.on('sessionError', () => {});
  const address = await urlOf(secure, 'https');
  const run = (env: object) =>
    promisify(execFile)(process.execPath, [outfile, address], { env: { ...process.env, ...env } });
  expect((await run({ NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') })).stdout).toBe('over TLS\n');
  await expect(run({})).rejects.toMatchObject({ stderr: expect.stringContaining('was not accepted') });
  secure.close();
});
