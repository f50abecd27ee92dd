import { once } from 'node:events';
import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect } from 'node:net';
import type { Writable } from 'node:stream';
import { startHost, type Host } from '../../../local/host';
import { onRequest, onSchedule } from './functions';

const MEBIBYTE = 1024 * 1024;
const PROJECT = 'demo-host';

let scheduledRuns = 0;
const echo = onRequest((req, res) => {
  res.json({
    method: req.method,
    url: req.url,
    path: req.path,
    originalUrl: req.originalUrl,
    query: req.query,
    ip: req.ip,
    body: Buffer.isBuffer(req.body) ? { bytes: req.body.toString('latin1') } : (req.body as unknown),
    raw: (req.rawBody as Buffer | undefined)?.toString('latin1'),
  });
});
/** Reads the unread rest of the body as a stream. */
const count = onRequest(async (req, res) => {
  let streamedBytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) streamedBytes += chunk.length;
  res.json({ streamedBytes, rawBytes: (req.rawBody as Buffer | undefined)?.length });
});
const refuse = onRequest((req, res) => void res.status(413).json({ hasRawBody: req.rawBody !== undefined }));

let host: Host;
let limited: Host;
beforeAll(async () => {
  const functions = { echo, count, refuse, tidy: onSchedule('every 24 hours', () => void scheduledRuns++) };
  host = await startHost({ project: PROJECT, functions });
  limited = await startHost({ project: PROJECT, functions, platformLimits: true });
});
afterAll(async () => {
  await host.close();
  await limited.close();
});

interface Echo {
  method: string;
  url: string;
  path: string;
  originalUrl: string;
  query: unknown;
  ip: string;
  body?: unknown;
  raw?: string;
}

async function callEcho(path: string, init?: RequestInit): Promise<Echo> {
  const answer = await fetch(`${host.baseUrl}/echo${path}`, init);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Echo;
}

const post = (body: Buffer, contentType?: string): RequestInit => ({
  method: 'POST',
  body,
  headers: contentType ? { 'content-type': contentType } : {},
});

describe('addresses', () => {
  test.each([
    ['', '/', '/'],
    ['/', '/', '/'],
    ['?a=1', '/?a=1', '/'],
    ['/deck/_t/token/a%20b.png?x=1&x=2', '/deck/_t/token/a%20b.png?x=1&x=2', '/deck/_t/token/a%20b.png'],
    ['//twice', '//twice', '//twice'],
  ])('a function called at "%s" receives the path after its name', async (path, url, pathname) => {
    const seen = await callEcho(path);
    expect(seen).toMatchObject({ url, path: pathname, originalUrl: `/${PROJECT}/us-central1/echo${path}` });
  });

  test('query strings are parsed as the platform does, nested keys included', async () => {
    expect((await callEcho('?a=1&b[c]=2&d=3&d=4')).query).toEqual({ a: '1', b: { c: '2' }, d: ['3', '4'] });
  });

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s reaches the function', async (method) => {
    const answer = await fetch(`${host.baseUrl}/echo`, { method });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-powered-by')).toBeNull();
    expect(answer.headers.get('etag')).toBeNull();
  });

  test('an unknown function, project or region is answered with a plain 404', async () => {
    const root = new URL(host.baseUrl).origin;
    for (const path of [
      `/${PROJECT}/us-central1/absent`,
      `/${PROJECT}/us-central1/toString`,
      `/other/us-central1/echo`,
      `/${PROJECT}/europe-west1/echo`,
      '/',
    ]) {
      const answer = await fetch(root + path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toContain('text/plain');
    }
  });

  test('requests for /favicon.ico and /robots.txt do not reach a function', async () => {
    for (const file of ['favicon.ico', 'robots.txt']) {
      expect((await fetch(`${host.baseUrl}/echo/${file}`)).status).toBe(404);
      expect((await fetch(`${host.baseUrl}/echo/deck/${file}`)).status).toBe(200);
    }
  });

  test('req.ip is the first address in X-Forwarded-For, as on the platform', async () => {
    const seen = await callEcho('', { headers: { 'x-forwarded-for': '203.0.113.7, 198.51.100.1' } });
    expect(seen.ip).toBe('203.0.113.7');
  });
});

describe('bodies', () => {
  test.each([
    ['JSON', 'application/json', '{"a":[1,"ü"]}', { a: [1, 'ü'] }],
    ['JSON with a charset', 'application/json; charset=utf-8', '{"a":1}', { a: 1 }],
    ['an empty JSON body', 'application/json', '', {}],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b[c]=2', { a: '1', b: { c: '2' } }],
    ['text', 'text/plain', 'hello', 'hello'],
    ['bytes', 'application/octet-stream', 'xyz', { bytes: 'xyz' }],
    ['a type of its own', 'image/png', 'xyz', { bytes: 'xyz' }],
  ])('%s is parsed, and rawBody is set', async (_what, contentType, sent, body) => {
    const seen = await callEcho('', post(Buffer.from(sent), contentType));
    expect(seen.body).toEqual(body);
    expect(seen.raw).toBe(Buffer.from(sent).toString('latin1'));
  });

  test('a request without a body has an empty `body` and no rawBody', async () => {
    const seen = await callEcho('');
    expect(seen.body).toEqual({});
    expect(seen.raw).toBeUndefined();
  });

  test('a POST without Content-Type is not parsed and has no rawBody', async () => {
    const seen = await callEcho('', post(Buffer.from('{"a":1}')));
    expect(seen.body).toEqual({});
    expect(seen.raw).toBeUndefined();
  });

  test.each(['{"a":', '"text"', '5', 'null', '{{{'])(
    'malformed JSON (%s) reaches the function as rawBody, so that the function answers itself',
    async (sent) => {
      const seen = await callEcho('', post(Buffer.from(sent), 'application/json'));
      expect(seen.body).toBeUndefined();
      expect(seen.raw).toBe(sent);
    },
  );

  test('a body with an unsupported charset or encoding reaches the function', async () => {
    expect((await callEcho('', post(Buffer.from('{}'), 'application/json; charset=latin1'))).body).toBeUndefined();
    const seen = await callEcho('', {
      method: 'POST',
      body: Buffer.from('not gzip'),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    expect(seen.body).toBeUndefined();
  });

  test('a multipart body reaches the function as a stream without rawBody', async () => {
    const form = new FormData();
    form.set('file', new Blob([Buffer.alloc(100_000, 'x')]), 'a.bin');
    const answer = await fetch(`${host.baseUrl}/count`, { method: 'POST', body: form });
    const { streamedBytes, rawBytes } = (await answer.json()) as { streamedBytes: number; rawBytes?: number };
    expect(streamedBytes).toBeGreaterThan(100_000);
    expect(rawBytes).toBeUndefined();
  });

  test('a multipart body of 320 MB is streamed with constant memory', async () => {
    const chunk = Buffer.alloc(MEBIBYTE, 'x');
    const before = process.memoryUsage().rss;
    let peak = before;
    const { status, body } = await send(`${host.baseUrl}/count`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      chunks: (function* () {
        for (let sent = 0; sent < 320; sent++) {
          peak = Math.max(peak, process.memoryUsage().rss);
          yield chunk;
        }
      })(),
    });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ streamedBytes: 320 * MEBIBYTE });
    expect((peak - before) / MEBIBYTE).toBeLessThan(160);
  });

  test.each(['close', 'keep-alive'])(
    'a client (Connection: %s) receives the answer although the function does not read the whole body',
    async (connection) => {
      const socket = connect(host.port, '127.0.0.1');
      let answer = '';
      socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
      const ended = once(socket, 'end');
      socket.write(
        `POST /${PROJECT}/us-central1/refuse HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n` +
          `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${40 * MEBIBYTE}\r\n\r\n`,
      );
      for (let sent = 0; sent < 40; sent++) if (!socket.write(Buffer.alloc(MEBIBYTE))) await once(socket, 'drain');
      socket.end();
      await ended;
      expect(answer).toMatch(/^HTTP\/1.1 413 /);
      expect(answer).toContain('{"hasRawBody":false}');
    },
  );

  test('an interrupted upload is a stream error in the function', async () => {
    const failed = deferred<string>();
    const read = onRequest(async (req, res) => {
      try {
        for await (const chunk of req as AsyncIterable<Buffer>) if (chunk.length === 0) break;
      } catch (error) {
        failed.resolve((error as NodeJS.ErrnoException).code ?? '');
      }
      res.end();
    });
    const own = await startHost({ project: PROJECT, functions: { read } });
    const sent = request(`${own.baseUrl}/read`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 1000 },
    });
    sent.on('error', () => {});
    sent.write('--b\r\n', () => sent.destroy());
    expect(await failed.promise).toBe('ECONNRESET');
    await own.close();
  });
});

describe('with platform limits', () => {
  test('a multipart body arrives as rawBody', async () => {
    const sent = Buffer.from('--b\r\n\r\nx\r\n--b--\r\n');
    const answer = await fetch(`${limited.baseUrl}/count`, post(sent, 'multipart/form-data; boundary=b'));
    expect(await answer.json()).toEqual({ streamedBytes: 0, rawBytes: sent.length });
  });

  test('a body of exactly 32 MiB arrives as rawBody', async () => {
    const sent = Buffer.alloc(32 * MEBIBYTE);
    const answer = await fetch(`${limited.baseUrl}/count`, post(sent, 'application/octet-stream'));
    expect(await answer.json()).toEqual({ streamedBytes: 0, rawBytes: sent.length });
  });

  test('a body that declares one more byte reaches the function unread', async () => {
    const sent = Buffer.alloc(32 * MEBIBYTE + 1);
    for (const type of ['application/json', 'multipart/form-data; boundary=b']) {
      const answer = await fetch(`${limited.baseUrl}/refuse`, post(sent, type));
      expect(answer.status).toBe(413);
      expect(await answer.json()).toEqual({ hasRawBody: false });
    }
  });

  test('a chunked body above the limit is refused before the function', async () => {
    const { status, body } = await send(`${limited.baseUrl}/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' },
      chunks: Array.from({ length: 33 }, () => Buffer.alloc(MEBIBYTE)),
    });
    expect(status).toBe(413);
    expect(body).not.toContain('originalUrl');
  });
});

describe('answers', () => {
  test('a response is not buffered: the client receives each write before the next one', async () => {
    let next: () => void = () => {};
    const drip = onRequest(async (_req, res) => {
      for (let i = 0; i < 3; i++) {
        res.write(`part ${i}\n`);
        await new Promise<void>((resolve) => (next = resolve));
      }
      res.end('end');
    });
    const own = await startHost({ project: PROJECT, functions: { drip } });
    const answer = await fetch(`${own.baseUrl}/drip`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(answer.headers.get('content-encoding')).toBeNull();
    const reader = answer.body!.getReader();
    for (let i = 0; i < 3; i++) {
      const { value } = (await reader.read()) as { value: Uint8Array };
      expect(Buffer.from(value).toString()).toBe(`part ${i}\n`);
      next();
    }
    await own.close();
  });

  test('a slow client applies backpressure to the function', async () => {
    let written = 0;
    const stalled = deferred<true>();
    const firehose = onRequest(async (_req, res) => {
      const chunk = Buffer.alloc(MEBIBYTE);
      for (; written < 256; written++) {
        if (res.write(chunk)) continue;
        // The socket buffers take the first chunks. After that, `drain` is emitted only when the client reads.
        const drained = once(res as Writable, 'drain').then(() => true);
        const idle = new Promise<false>((resolve) => setImmediate(() => setImmediate(() => resolve(false))));
        if (!(await Promise.race([drained, idle]))) stalled.resolve(true);
        await drained;
      }
      res.end();
    });
    const own = await startHost({ project: PROJECT, functions: { firehose } });
    const answer = await open(`${own.baseUrl}/firehose`);
    await stalled.promise;
    expect(written).toBeLessThan(256);

    let received = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) received += chunk.length;
    expect(received).toBe(256 * MEBIBYTE);
    await own.close();
  });

  test("a client's disconnect reaches the function", async () => {
    const started = deferred<true>();
    const left = deferred<boolean>();
    const wait = onRequest((_req, res) => {
      res.once('close', () => left.resolve(res.writableFinished));
      res.write('first');
      started.resolve(true);
    });
    const own = await startHost({ project: PROJECT, functions: { wait } });
    const answer = await open(`${own.baseUrl}/wait`);
    await started.promise;
    answer.destroy();
    expect(await left.promise).toBe(false);
    await own.close();
  });
});

describe('exports', () => {
  test('a scheduled function runs on POST only', async () => {
    expect((await fetch(`${host.baseUrl}/tidy`)).status).toBe(405);
    expect(scheduledRuns).toBe(0);
    expect((await fetch(`${host.baseUrl}/tidy`, { method: 'POST' })).status).toBe(200);
    expect(scheduledRuns).toBe(1);
  });

  test('an export that is not an HTTP function is not served, and its name is logged', async () => {
    const logged = jest.spyOn(console, 'error').mockImplementation(() => {});
    const own = await startHost({ project: PROJECT, functions: { echo, settings: { a: 1 }, plain: () => {} } });
    expect(own.functionNames).toEqual(['echo']);
    expect(logged).toHaveBeenCalledWith(expect.stringContaining('settings, plain'));
    logged.mockRestore();
    await own.close();
  });
});

describe('closing', () => {
  test('does not wait for idle or running connections, and is idempotent', async () => {
    const hang = onRequest((_req, res) => void res.write('started'));
    const own = await startHost({ project: PROJECT, functions: { hang } });
    const idle = connect(own.port, '127.0.0.1');
    await once(idle, 'connect');
    const answer = await open(`${own.baseUrl}/hang`);
    const cut = new Promise((resolve) => answer.once('close', resolve));
    answer.on('error', () => {});
    answer.resume();
    await Promise.all([own.close(), own.close()]);
    await cut;
    idle.destroy();
  });

  test('the error for a port in use names the port', async () => {
    await expect(startHost({ project: PROJECT, functions: {}, port: host.port })).rejects.toThrow(String(host.port));
  });
});

/** A promise with its resolve function. */
function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

/** Resolves when the headers arrive. Does not read the body. */
async function open(url: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  const sent = request(url, { agent: false, ...options });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

/** Sends a body in chunks, with backpressure, and reads the whole answer. */
async function send(url: string, options: RequestOptions & { chunks: Iterable<Buffer> }) {
  const { chunks, ...rest } = options;
  const sent = request(url, { agent: false, ...rest });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  for (const chunk of chunks) if (!sent.write(chunk)) await once(sent, 'drain');
  sent.end();
  const [answer] = await answered;
  let body = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) body += chunk.toString();
  return { status: answer.statusCode, body };
}
