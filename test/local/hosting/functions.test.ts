import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { startHost } from '../../../local/host';
import { startHosting } from '../../../local/hosting';
import { each } from '../../support/each';
import { config, functions, get, host, root, site, siteFixture, state } from './site';

siteFixture();

const MEBIBYTE = 1024 * 1024;

/** The raw answer to a request of HTTP/1.0 that has no header. */
async function withoutHost(port: number, path: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
  return text(socket);
}

describe('functions', () => {
  test('the function receives method, path, query and body of a rewritten request', async () => {
    const headers = { 'content-type': 'application/json' };
    const { status, text } = await get('/share/a%20b/c?x=1&x=2', { method: 'POST', body: '{"a":1}', headers });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ method: 'POST', url: '/share/a%20b/c?x=1&x=2', body: '{"a":1}' });
  });

  test('a request of HTTP/1.0 without a host gets the same answers, of files and of functions', async () => {
    for (const [path, text] of [
      ['/about', 'about'],
      ['/share/x?token=1', '"url":"/share/x?token=1"'],
      ['/nothing', 'nothing here'],
    ] as const) {
      const answer = await withoutHost(site.port, path);
      expect(answer).toMatch(path === '/nothing' ? /^HTTP\/1\.1 404 / : /^HTTP\/1\.1 200 /);
      expect(answer).toContain(text);
    }
  });

  test('a client that half-closes its connection is not waited for at the end', async () => {
    const own = await startHosting({ config, root, functionsBaseUrl: host.baseUrl });
    await text(connect(own.port, '127.0.0.1').end('GET /about HTTP/1.0\r\n\r\n'));
    await own.close();
  });

  test("the function receives the client's address, the requested host, and of the cookies only __session", async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7', cookie: 'a=1; __session=kept; b=2' };
    expect(JSON.parse((await get('/share/x', { headers })).text)).toMatchObject({
      host: `127.0.0.1:${host.port}`,
      forwarded: ['203.0.113.7, 127.0.0.1', `127.0.0.1:${site.port}`, 'http'],
      cookie: '__session=kept',
    });
  });

  test("a configured header overrides the function's own", async () => {
    const answer = await get('/share/x');
    expect([answer.headers.get('x-rule'), answer.headers.get('x-everywhere')]).toEqual(['from firebase.json', 'yes']);
  });

  const hostingVary = 'x-fh-requested-host, accept-encoding, cookie, authorization';
  const privately = { 'set-cookie': '__session=1', 'cache-control': 'private, max-age=5' };
  test.each<[string, Record<string, string>, Record<string, string | null>]>([
    ['no headers', {}, { 'cache-control': 'private', vary: hostingVary }],
    ['its own Vary', { vary: 'Accept-Encoding, X-My-Custom-Header' }, { vary: `X-My-Custom-Header, ${hostingVary}` }],
    ['a private cookie', privately, privately],
    ['a public cookie', { 'set-cookie': '__session=1', 'cache-control': 'public, max-age=5' }, { 'set-cookie': null }],
    ['its own address', { location: 'FUNCTIONS/x?y=1' }, { location: '/x?y=1' }],
    ['a foreign address', { location: 'https://example.com/' }, { location: 'https://example.com/' }],
  ])('an answer with %s gets the headers of the cloud', async (_which, sent, expected) => {
    const { origin } = new URL(host.baseUrl);
    const location = sent['location']?.replace('FUNCTIONS', origin);
    state.answerHeaders = { ...sent, ...(location && { location }) };
    const { headers } = await get('/echo');
    for (const [name, value] of each(Object.entries(expected)))
      expect([name, headers.get(name)]).toEqual([name, value]);
  });

  test('a function passes a request on to the 404 page with X-Cascade', async () => {
    Object.assign(state, { answerStatus: 404, answerHeaders: { 'x-cascade': 'PASS' } });
    expect(await get('/echo')).toMatchObject({ status: 404, text: 'nothing here' });
    Object.assign(state, { answerStatus: 200, answerHeaders: {} });
  });

  test.each(['POST', 'DELETE'])('a large chunked %s body is streamed', async (method) => {
    const sent = request(`${site.url}/count`, {
      method,
      agent: false,
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'transfer-encoding': 'chunked' },
    });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    for (let i = 0; i < 4; i++) if (!sent.write(Buffer.alloc(MEBIBYTE))) await once(sent, 'drain');
    sent.end();
    const [answer] = await answered;
    const body = await new Promise((resolve) => answer.once('data', resolve));
    expect([answer.statusCode, JSON.parse(String(body))]).toEqual([201, { bytes: 4 * MEBIBYTE }]);
  });

  test('an answer without a length is held back until its end', async () => {
    const reached = new Promise<void>((resolve) => (state.waiting = resolve));
    let isAnswered = false;
    const answer = fetch(`${site.url}/stream`).finally(() => (isAnswered = true));
    await reached;
    // A proxy that streams would have passed on the first bytes by now.
    for (let i = 0; i < 20; i++) await get('/echo');
    expect(isAnswered).toBe(false);
    state.goOn();
    expect(await (await answer).text()).toBe('first last');
  });

  test("a client's disconnect reaches the function", async () => {
    const left = new Promise<boolean>((resolve) => (state.wait = resolve));
    const aborted = new AbortController();
    expect((await fetch(`${site.url}/hang/started`, { signal: aborted.signal })).status).toBe(200);
    aborted.abort();
    expect(await left).toBe(true);
  });

  test('a function that does not answer within a minute is answered with 504', async () => {
    const reached = new Promise<void>((resolve) => (state.waiting = resolve));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    try {
      const sent = request(`${site.url}/hang/silent`, { agent: false }).end();
      const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
      await reached;
      jest.advanceTimersByTime(60_000);
      const [answer] = await answered;
      answer.resume();
      expect(answer.statusCode).toBe(504);
    } finally {
      jest.useRealTimers();
    }
  });

  test('functions that cannot be reached are answered with 502', async () => {
    const gone = await startHost({ project: 'demo-gone', functions });
    await gone.close();
    const own = await startHosting({ config, root, functionsBaseUrl: gone.baseUrl });
    expect((await get('/share/x', {}, own)).status).toBe(502);
    await own.close();
  });
});
