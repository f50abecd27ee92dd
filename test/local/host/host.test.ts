import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { startHost, type Host } from '../../../local/host';
import { each } from '../../support/each';
import { words } from '../../support/words';
import { onSchedule, plain } from './functions';

const MEBIBYTE = 1024 * 1024;
const PROJECT = 'demo-host';
let scheduledRuns = 0;
const echo = plain(async (req, res) => {
  await req.toArray();
  res.end(req.url);
});
let host: Host;
beforeAll(async () => {
  const functions = { echo, tidy: onSchedule('every 24 hours', () => void scheduledRuns++) };
  host = await startHost({ project: PROJECT, functions });
});
afterAll(() => host.close());

describe('addresses', () => {
  test.each([
    ['', '/'],
    ['/', '/'],
    ['?a=1', '/?a=1'],
    ['/deck/_t/token/a%20b.png?x=1&x=2', '/deck/_t/token/a%20b.png?x=1&x=2'],
    ['//twice', '//twice'],
    ['/favicon.ico', '/favicon.ico'],
  ])('a function called at "%s" receives the path after its name', async (path, url) => {
    const answer = await fetch(`${host.baseUrl}/echo${path}`);
    expect([answer.status, await answer.text()]).toEqual([200, url]);
  });

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s reaches the function', async (method) => {
    const answer = await fetch(`${host.baseUrl}/echo`, { method });
    expect([answer.status, answer.headers.get('x-powered-by'), answer.headers.get('etag')]).toEqual([200, null, null]);
  });

  test('functions that declare a region are served in it', async () => {
    const europe = plain((_req, res) => void res.end('here'));
    europe.__endpoint.region = ['europe-west1'];
    const other = await startHost({ project: PROJECT, functions: { europe } });
    expect(other.baseUrl).toMatch(/\/europe-west1$/);
    expect(await (await fetch(`${other.baseUrl}/europe`)).text()).toBe('here');
    await other.close();
  });

  test('an unknown function, project or region is answered with a plain 404', async () => {
    const root = new URL(host.baseUrl).origin;
    const paths = words(`/${PROJECT}/us-central1/absent /${PROJECT}/us-central1/toString /other/us-central1/echo
      /${PROJECT}/europe-west1/echo /`);
    for (const path of each(paths)) {
      const { status, headers } = await fetch(root + path);
      expect([status, headers.get('content-type')]).toEqual([404, expect.stringContaining('text/plain')]);
    }
  });
});

describe('bodies', () => {
  test('an interrupted upload is a stream error in the function', async () => {
    const failed = deferred<string>();
    const read = plain(async (req, res) => {
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

describe('answers', () => {
  test('a response is neither buffered nor compressed: a slow client applies backpressure to the function', async () => {
    let written = 0;
    const stalled = deferred<true>();
    const firehose = plain(async (_req, res) => {
      const chunk = Buffer.alloc(MEBIBYTE);
      for (; written < 32; written++) {
        if (res.write(chunk)) continue;
        // The socket buffers take the first chunks. After that, `drain` is emitted only when the client reads.
        const drained = once(res, 'drain').then(() => true);
        const idle = new Promise<false>((resolve) => setImmediate(() => setImmediate(() => resolve(false))));
        if (!(await Promise.race([drained, idle]))) stalled.resolve(true);
        await drained;
      }
      res.end();
    });
    const own = await startHost({ project: PROJECT, functions: { firehose } });
    const answer = await open(`${own.baseUrl}/firehose`, { 'accept-encoding': 'gzip, br' });
    expect(answer.headers).not.toHaveProperty('content-encoding');
    await stalled.promise;
    expect(written).toBeLessThan(32);

    let received = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) received += chunk.length;
    expect(received).toBe(32 * MEBIBYTE);
    await own.close();
  });
});

describe('exports', () => {
  test('a scheduled function runs on POST only', async () => {
    expect([(await fetch(`${host.baseUrl}/tidy`)).status, scheduledRuns]).toEqual([405, 0]);
    expect([(await fetch(`${host.baseUrl}/tidy`, { method: 'POST' })).status, scheduledRuns]).toEqual([200, 1]);
  });

  test('a scheduled function that does not end is answered with 504 after its timeout, and runs again', async () => {
    const logged = jest.spyOn(console, 'error').mockImplementation(() => {});
    let runs = 0;
    const options = { schedule: 'every 24 hours', timeoutSeconds: 1 };
    const hang = onSchedule(options, () => (++runs === 1 ? new Promise<void>(() => {}) : undefined));
    const own = await startHost({ project: PROJECT, functions: { hang } });
    const run = async () => (await fetch(`${own.baseUrl}/hang`, { method: 'POST' })).status;
    expect([await Promise.all([run(), run()]), runs]).toEqual([[504, 200], 2]);
    expect(logged.mock.calls).toEqual([['The function hang has not ended within its timeout of 1 seconds.']]);
    logged.mockRestore();
    await own.close();
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
    const hang = plain((_req, res) => void res.write('started'));
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
});

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

/** Resolves when the headers arrive. Does not read the body. */
async function open(url: string, headers = {}): Promise<IncomingMessage> {
  const [answer] = (await once(request(url, { agent: false, headers }).end(), 'response')) as [IncomingMessage];
  return answer;
}
