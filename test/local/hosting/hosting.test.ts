import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startHost } from '../../../local/host';
import { startHosting, type HostingConfig } from '../../../local/hosting';
import { sendPage } from '../../../local/hosting/pages';
import { listenError } from '../../../local/http/serve';
import { projectRoot } from '../../../local/project';
import { each } from '../../support/each';
import { listen } from '../../support/sockets';
import { words } from '../../support/words';
import { get, host, root, siteFixture, config, functions, site, state } from './site';

siteFixture();

const MB = 1024 * 1024;

test.each([
  ['/', 'start'],
  ['/about', 'about'],
  ['/about?a=1', 'about'],
  ['/docs', 'docs'],
  ['/app.js', 'code()'],
  [`/${encodeURIComponent('ünï %41.txt')}`, 'odd name'],
  ['/share/static.txt', 'a file wins over a rewrite'],
])('%s is served', async (path, text) => expect(await get(path)).toMatchObject({ status: 200, text }));

test.each([
  ['/about.html', '/about'],
  ['/about/?a=1', '/about?a=1'],
  ['/docs/', '/docs'],
  ['/dir%231%3F/?a=1', '/dir%231%3F?a=1'],
  ['/docs/index.html', '/docs'],
  ['/index.html', '/'],
  ['//about.html', '/about'],
  ['/index', '/'],
  ['/docs/index?a=1', '/docs?a=1'],
  ['/404.html', '/404'],
  // A redirect of the configuration precedes files and rewrites.
  ['/old/a?b=1', '/about?b=1', 302],
  ['/old/page', '/about', 302],
])('%s redirects to its canonical address %s', async (path, location, status = 301) => {
  const { headers, ...answer } = await get(path);
  expect([answer.status, headers.get('location')]).toEqual([status, location]);
});

const absent = words(`/404 /share /__/init.json /docs%2Findex.html /absent /.secret /..%2foutside.txt
  /%2e%2e/outside.txt /a%00b /..%5coutside.txt`);
test.each(absent)('%s is answered with the 404 page', async (path) => {
  expect(await get(path)).toMatchObject({ status: 404, text: 'nothing here' });
});

test('a malformed path is answered with 400', async () => expect((await get('/%E0%A4%A')).status).toBe(400));

test('a known ETag is answered 304, a range 206, a range past the end 416', async () => {
  const etag = (await get('/app.js')).headers.get('etag') ?? '';
  expect(etag).not.toBe('');
  // By default, fetch adds `no-cache` to a conditional request.
  const conditional = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
  expect((await get('/app.js', { headers: conditional })).status).toBe(304);
  expect(await get('/app.js', { headers: { range: 'bytes=0-3' } })).toMatchObject({ status: 206, text: 'code' });
  expect((await get('/app.js', { headers: { range: 'bytes=100-' } })).status).toBe(416);
});

test("a file has the cloud's headers, and its ETag changes with its bytes", async () => {
  const written = async (text: string) => {
    writeFileSync(join(root, 'public', 'changing.txt'), text);
    return Object.fromEntries((await get('/changing.txt')).headers);
  };
  const etagOf = (text: string) => `"${createHash('sha256').update(text).digest('hex')}"`;
  expect(await written('one')).toMatchObject({
    'cache-control': 'max-age=3600',
    etag: etagOf('one'),
    vary: 'x-fh-requested-host, accept-encoding',
    'accept-ranges': 'bytes',
    'last-modified': expect.any(String) as string,
  });
  expect(await written('other')).toMatchObject({ etag: etagOf('other') });
});

test('the 404 page is sent whole, despite a range or a condition in the request', async () => {
  const headers = { range: 'bytes=0-1', 'if-none-match': '*', 'cache-control': 'max-age=0' };
  expect(await get('/absent', { headers })).toMatchObject({ status: 404, text: 'nothing here' });
});

test('HEAD answers with headers only, and POST finds no file', async () => {
  const head = await get('/app.js', { method: 'HEAD' });
  expect(head).toMatchObject({ status: 200, text: '' });
  expect([head.headers.get('content-length'), (await get('/app.js', { method: 'POST' })).status]).toEqual(['6', 404]);
});

test.each([
  [{ cleanUrls: true }, '/docs', 200, 'docs'],
  [{ cleanUrls: true }, '/docs/', 200, 'docs'],
  [{ cleanUrls: true }, '/about/', 404, 'nothing here'],
  [{ cleanUrls: true, trailingSlash: true }, '/about', 301, '/about/'],
  [{ cleanUrls: true, trailingSlash: true }, '/docs/index.html', 301, '/docs/'],
  [{ trailingSlash: true }, '/docs', 301, '/docs/'],
  [{ trailingSlash: false }, '/docs/', 301, '/docs'],
  [{}, '/404.html', 404, 'nothing here'],
  [{}, '/docs', 301, '/docs/'],
  [{}, '/docs/', 200, 'docs'],
  [{}, '/about.html', 200, 'about'],
  [{}, '/about', 404, 'nothing here'],
])('with %j, %s is answered with %i %s', async (setting, path, status, content) => {
  const own = await startHosting({ config: { public: 'public', ...setting }, root, functionsBaseUrl: host.baseUrl });
  const answer = await get(path, {}, own);
  expect([answer.status, answer.headers.get('location') ?? answer.text]).toEqual([status, content]);
  await own.close();
});

test('headers are set where their glob matches', async () => {
  const script = await get('/app.js');
  expect([script.headers.get('x-everywhere'), script.headers.get('cache-control')]).toEqual(['yes', 'max-age=60']);
  expect((await get('/about')).headers.get('cache-control')).not.toBe('max-age=60');
  expect((await get('/absent')).headers.get('x-everywhere')).toBe('yes');
});

test('a rewrite to a path serves that file', async () => {
  expect(await get('/app/any/where')).toMatchObject({ status: 200, text: 'start' });
});

test.each([
  [{ public: 'public', i18n: { root: '/x' } }, 'i18n'],
  [{ public: 'public', redirects: [{ source: '/a/:id', destination: '/b/:id' }] }, '/b/:id'],
  [{ public: 'public', rewrites: [{ source: '/a', run: { serviceId: 'x' } }] }, 'neither'],
])('the error for an unsupported setting names the setting: %j', async (unknown, named) => {
  const options = { config: unknown as HostingConfig, root, functionsBaseUrl: host.baseUrl };
  await expect(startHosting(options)).rejects.toThrow(named);
});

test("the project's own firebase.json is supported, and its pages load nothing from other sites", async () => {
  const { hosting } = JSON.parse(readFileSync(join(projectRoot, 'firebase.json'), 'utf8')) as {
    hosting: HostingConfig;
  };
  const own = await startHosting({ config: hosting, root: projectRoot, functionsBaseUrl: host.baseUrl });
  const start = await get('/', {}, own);
  expect([start.status, start.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
  expect(start.text.replace(/<link rel="canonical".*>/, '')).not.toMatch(/\bsrc=|url\(|import\(|href="https?:/);
  expect((await get('/absent', {}, own)).status).toBe(404);
  const share = await get('/share/abc?token=t', {}, own);
  expect(JSON.parse(share.text)).toMatchObject({ url: '/share/abc?token=t' });
  expect(share.headers.get('referrer-policy')).toBe('no-referrer');
  await own.close();
});

test('another error of a server that cannot listen is not reported as a port in use', () => {
  const failed = (code: string) => Object.assign(new Error(`listen ${code}`), { code });
  expect(listenError(5000, 'Hosting', failed('EMFILE')).message).toBe('listen EMFILE');
  expect(listenError(5000, 'Hosting', failed('EADDRINUSE')).message).toContain('Port 5000 is taken');
  expect(listenError(80, 'Hosting', failed('EACCES')).message).toContain('Port 80 is not allowed for this user');
});

test('an answer ends when its client leaves while the file is read', async () => {
  let answered: Promise<void> | undefined;
  const server = createServer((req, res) => {
    answered = sendPage(req, res, { folder: join(root, 'public'), replaced: new Map() }, 'about.html');
    res.destroy();
  });
  await expect(fetch(`http://127.0.0.1:${await listen(server)}/`)).rejects.toThrow();
  await answered;
  server.close();
});

/** The raw answer to a request of HTTP/1.0 that has no header. */
async function withoutHost(port: number, path: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
  return text(socket);
}

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
  for (const [name, value] of each(Object.entries(expected))) expect([name, headers.get(name)]).toEqual([name, value]);
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
  for (let i = 0; i < 4; i++) if (!sent.write(Buffer.alloc(MB))) await once(sent, 'drain');
  sent.end();
  const [answer] = await answered;
  const body = await new Promise((resolve) => answer.once('data', resolve));
  expect([answer.statusCode, JSON.parse(String(body))]).toEqual([201, { bytes: 4 * MB }]);
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
