import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { passSeconds } from '../../support/clock';
import { BUCKET, json, relatedBody, storageFixture, aKey, bucketAt, startStorageFixture } from './fixture';

const OTHER_NAME = 'demo-decks.appspot.com';
const NAME = 'dir/a b+ü.txt';
const fixture = storageFixture({
  aliases: { [OTHER_NAME]: BUCKET },
  cors: [{ origin: ['*'], method: ['GET', 'HEAD'], responseHeader: ['Content-Range'] }],
});
beforeAll(() => fixture.save(NAME, 'secret', { contentType: 'text/plain' }));
const media = (name: string, headers = {}) => fetch(`${fixture.object(name)}?alt=media`, { headers });

/** The raw answer to a raw request. */
async function answerOf(sent: string): Promise<string> {
  const socket = connect(fixture.server.port, '127.0.0.1');
  socket.write(sent);
  return text(socket);
}

test('the links of an object have a host, also for a request of HTTP/1.0 without one', async () => {
  const { selfLink } = (await json(await fixture.put('links/a b?', 'x'))) as { selfLink: string };
  expect(await json(await fetch(selfLink))).toMatchObject({ name: 'links/a b?' });
  const { host, pathname } = new URL(fixture.object('links/a b?'));
  const answer = await answerOf(`GET ${pathname} HTTP/1.0\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  const { mediaLink } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { mediaLink: string };
  expect(new URL(mediaLink).host).toBe(host);
  expect(await (await fetch(mediaLink)).text()).toBe('x');
});

test.each([
  ...['a'.repeat(1024), 'ä'.repeat(512), 'a/b//c', '/', '../x', 'with space+plus%25?#&=', '🂡/…'],
  ...['.well-known/acme', 'a\tb', '__proto__', 'b/x/o/y'],
])('the name %j is stored unchanged', async (name) => {
  expect(await json(await fixture.put(name, 'x'))).toMatchObject({ name });
  expect([String(await fixture.read(name)), await fixture.names({ prefix: name })]).toEqual(['x', [name]]);
  await fixture.bucket.file(name).delete();
});

const refused = ['', '.', '..', 'a\rb', 'a\nb', 'a'.repeat(1025), 'ä'.repeat(513)];
test.each(refused)('the name %j is refused', async (name) => {
  expect((await fixture.put(name, 'x')).status).toBe(400);
  expect((await fixture.related(name, {}, Buffer.from('x'))).status).toBe(400);
});

test('too large metadata is answered with 400; above 2 MiB in plain text, as the upload protocol does', async () => {
  const metadata = { metadata: { big: 'x'.repeat(2.1e6) } };
  const start = { method: 'POST', body: JSON.stringify(metadata) };
  for (const response of [
    await fixture.related('big', metadata, Buffer.from('x')),
    await fetch(fixture.upload('uploadType=resumable&name=big'), start),
  ]) {
    expect([response.status, await response.text()]).toEqual([400, 'Metadata part is too large.']);
  }
  await expect(fixture.save('big', 'x', metadata)).rejects.toThrow('Metadata part is too large');
  const largest = { metadata: { big: 'x'.repeat(8000) } };
  expect((await fixture.related('big', largest, Buffer.from('x'))).status).toBe(200);
  const more = JSON.stringify({ metadata: { more: 'x'.repeat(200) } });
  expect((await fetch(fixture.object('big'), { method: 'PATCH', body: more })).status).toBe(400);
});

const malformed = ['{', '[]', '"x"', '{"contentType": 7}', '{"metadata": "x"}', '{"metadata": {"a": {}}}'];
test.each(malformed)('metadata %s is answered with 400', async (body) => {
  await fixture.put('meta', 'x');
  expect((await fetch(fixture.object('meta'), { method: 'PATCH', body })).status).toBe(400);
});

test('a patch replaces the named fields; null removes a field; values become strings', async () => {
  await fixture.save('patched', 'x', { cacheControl: 'no-store', metadata: { a: 1, b: true, c: 'c' } });
  expect((await fixture.metadataOf('patched')).metadata).toEqual({ a: '1', b: 'true', c: 'c' });
  await fixture.bucket.file('patched').setMetadata({ contentType: 'text/css', metadata: { a: null, b: 'two' } });
  const metadata = await fixture.metadataOf('patched');
  expect(metadata).toMatchObject({ contentType: 'text/css', cacheControl: 'no-store', metageneration: '2' });
  expect(metadata.metadata).toEqual({ b: 'two', c: 'c' });
});

test.each(['', '?alt=media'])('an object of a bucket that does not exist: 404 (%s)', async (query) => {
  await fixture.put('prefix\0name', 'x');
  const of = (bucket: string, name: string) =>
    fetch(fixture.object('name').replace(`/b/${BUCKET}/o/name`, `/b/${bucket}/o/${name}`) + query);
  for (const bucket of ['missing', `${BUCKET}%00prefix`]) {
    const answer = await of(bucket, 'name');
    const message = expect.stringContaining('The specified bucket does not exist.') as string;
    expect([answer.status, await answer.text()]).toEqual([404, message]);
  }
  expect((await of(BUCKET, 'prefix%00name')).status).toBe(200);
});

test('a missing object has the message and the reason of the cloud, and a missing download the message only', async () => {
  const missing = fixture.bucket.file('blah');
  const message = `No such object: ${fixture.bucket.name}/blah`;
  for (const call of [missing.delete(), missing.getMetadata()])
    await expect(call).rejects.toMatchObject({ code: 404, message, errors: [{ reason: 'notFound' }] });
  const error = await missing.download().catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 404, message: expect.stringContaining(message) as string });
  expect([(error as { errors?: unknown[] }).errors?.[0], await fixture.exists('blah')]).toEqual([undefined, false]);
  await expect(missing.delete({ ignoreNotFound: true })).resolves.toBeDefined();
});

test.each([
  ['bytes=2-4', 206, 'bytes 2-4/10', '234'],
  ['bytes=8-', 206, 'bytes 8-9/10', '89'],
  ['bytes=-3', 206, 'bytes 7-9/10', '789'],
  ['bytes=-99', 206, 'bytes 0-9/10', '0123456789'],
  ['bytes=9-99', 206, 'bytes 9-9/10', '9'],
  ['bytes=10-', 416, 'bytes */10', expect.any(String) as string],
  ['bytes=-0', 416, 'bytes */10', expect.any(String) as string],
  ...['bytes=4-2', 'bytes=a-b', 'lines=1-2', 'bytes=-', 'bytes=0-1,3-4'].map(
    (nonsense) => [nonsense, 200, null, '0123456789'] as [string, number, null, string],
  ),
])('the range %s is answered with %d and %s', async (range, status, contentRange, bytes) => {
  await fixture.put('range', '0123456789');
  const response = await media('range', { range });
  const answer = [response.status, response.headers.get('content-range'), await response.text()];
  expect(answer).toEqual([status, contentRange, bytes]);
});

test('a replacement or deletion does not affect a running download', async () => {
  const first = randomBytes(4 * 1024 * 1024);
  await fixture.put('replaced', first);
  const response = await media('replaced');
  await fixture.put('replaced', 'second');
  await fetch(fixture.object('replaced'), { method: 'DELETE' });
  expect(Buffer.from(await response.arrayBuffer()).equals(first)).toBe(true);
});

test('an uploaded page is sandboxed', async () => {
  await fixture.put('page.html', '<script>1</script>', '', { 'content-type': 'text/html' });
  const { headers } = await media('page.html');
  expect(headers.get('content-security-policy')).toBe('sandbox');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('a page of another site can use sessions and signed URLs only', async () => {
  await fixture.put('private', 'x');
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'null' };
  const status = async (path: string, method = 'GET') => {
    const sent = request(fixture.server.url + path, { method, headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response.resume().statusCode;
  };
  expect(await status(`/storage/v1/b/${BUCKET}/o`)).toBe(403);
  expect(await status(`/storage/v1/b/${BUCKET}/o/private?alt=media`)).toBe(403);
  expect(await status(`/upload/storage/v1/b/${BUCKET}/o?uploadType=media&name=evil`, 'POST')).toBe(403);
  expect((await fetch(fixture.object('private'))).headers.get('access-control-allow-origin')).toBeNull();
});

test('the XML path needs a signature or credentials', async () => {
  await fixture.put('private', 'secret');
  const url = `${fixture.server.url}/${BUCKET}/private`;
  const anonymous = await fetch(url);
  const denied = expect.stringContaining('<Code>AccessDenied</Code>') as string;
  expect([anonymous.status, await anonymous.text()]).toEqual([403, denied]);
  expect(await (await fetch(url, { headers: { authorization: 'Bearer owner' } })).text()).toBe('secret');
  expect(await fixture.bucket.file('private').isPublic()).toEqual([false]);
});

const named = { 'x-goog-upload-protocol': 'multipart' };
test.each([
  ['no type is a media upload', 'name=typed', {}, 'application/octet-stream', 'plain'],
  ['a header may name the protocol', '', named, 'text/x-part', 'in parts'],
  ['a header may name the type', 'uploadType=multipart', { 'x-upload-content-type': 'a/b' }, 'a/b', 'in parts'],
])('%s', async (_rule, query, headers, contentType, content) => {
  const isMultipart = content === 'in parts';
  const answer = await fetch(fixture.upload(query), {
    method: 'POST',
    body: isMultipart ? relatedBody('typed', {}, Buffer.from(content)) : Buffer.from(content),
    headers: { ...(isMultipart && { 'content-type': 'multipart/related; boundary=b' }), ...headers },
  });
  expect([answer.status, await json(answer)]).toMatchObject([200, { name: 'typed', contentType }]);
  const read = await media('typed');
  expect([read.headers.get('content-disposition'), await read.text()]).toEqual(['attachment', content]);
});

test('a multipart upload of another content type is refused in plain text', async () => {
  const answer = await fixture.related('x', {}, Buffer.from('x'), 'foo');
  expect([answer.status, await answer.text()]).toEqual([400, 'Bad content type.  Please use multipart.']);
});

test('unknown paths and malformed requests are answered with 404 or 400', async () => {
  const post = { method: 'POST', body: '{}' };
  const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;
  expect([await status(fixture.server.url), await status(`${fixture.object()}/x/y/z`)]).toEqual([404, 404]);
  expect(await status(`${fixture.object('x')}/compose`, post)).toBe(404);
  expect(await status(fixture.upload('uploadType=strange&name=x'), post)).toBe(400);
  for (const query of ['maxResults=-1', 'pageToken=*']) expect(await status(`${fixture.object()}?${query}`)).toBe(400);
  const malformed = 'GET /storage/v1/b/%ff/o/%zz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n';
  expect(await answerOf(malformed)).toMatch(/^HTTP\/1\.1 400 /);
});

describe('lists', () => {
  const own = storageFixture();
  const other = storageFixture();
  const names = ['a.txt', 'b/1.css', 'b/2.js', 'b/c/3.js', 'b/c/d/4.js', 'b0', 'e/', 'e/f', 'é', 'ﬀ', '🂡'];
  // Those of the conformance suite of firebase-tools, which also runs against the cloud.
  const conformance = ['prefix', 'prefix/1.txt', 'prefix/2.txt', 'prefix/dir/file.txt', 'testing/shoveler.svg'];
  beforeAll(async () => {
    for (const name of names.toReversed()) await own.save(name, name);
    for (const name of conformance) await other.save(name, name);
  });

  async function list({ bucket }: typeof own, query: object) {
    const [files, next, response] = await bucket.getFiles({ autoPaginate: false, ...query });
    const { prefixes } = response as { prefixes?: string[] };
    return { names: files.map(({ name }) => name), prefixes, next: next as object | null };
  }

  // In UTF-16 order, the card (a surrogate pair) would precede the ligature.
  test.each<[query: object, names: string[], prefixes?: string[], from?: typeof own]>([
    [{}, names],
    [{ delimiter: '/' }, ['a.txt', 'b0', 'é', 'ﬀ', '🂡'], ['b/', 'e/']],
    [{ prefix: 'b/', delimiter: '/' }, ['b/1.css', 'b/2.js'], ['b/c/']],
    [{ prefix: 'b/c' }, ['b/c/3.js', 'b/c/d/4.js']],
    [{ delimiter: '/', includeTrailingDelimiter: true }, ['a.txt', 'b0', 'e/', 'é', 'ﬀ', '🂡'], ['b/', 'e/']],
    [{ startOffset: 'b/2.js', endOffset: 'b0' }, ['b/2.js', 'b/c/3.js', 'b/c/d/4.js']],
    [{ prefix: 'prefix' }, conformance.slice(0, 4), undefined, other],
    [{ delimiter: 'dir' }, ['prefix', 'prefix/1.txt', 'prefix/2.txt', 'testing/shoveler.svg'], ['prefix/dir'], other],
    [{ prefix: 'p', delimiter: 'p' }, conformance.slice(0, 4), undefined, other],
    [{ prefix: 't', delimiter: 't' }, [], ['test'], other],
    [{ prefix: 'p', delimiter: 't' }, ['prefix'], ['prefix/1.t', 'prefix/2.t', 'prefix/dir/file.t'], other],
    [{ prefix: 'prefi', delimiter: 'i' }, ['prefix', 'prefix/1.txt', 'prefix/2.txt'], ['prefix/di'], other],
  ])(
    '%j lists the objects in the order of their UTF-8 bytes, and the prefixes',
    async (query, found, prefixes = undefined, from = own) => {
      expect(await list(from, query)).toMatchObject({ names: found, prefixes });
    },
  );

  test.each([1, 2, 3, 100])('pages of %i list every object and prefix exactly once', async (maxResults) => {
    for (const [delimiter, expected] of [
      [undefined, names],
      ['/', ['a.txt', 'b/', 'b0', 'e/', 'é', 'ﬀ', '🂡']],
    ] as const) {
      const seen: string[] = [];
      for (let query: object | null = { maxResults, delimiter }; query;) {
        const { names: found, prefixes = [], next } = await list(own, query);
        expect(found.length + prefixes.length).toBeLessThanOrEqual(maxResults);
        seen.push(...found, ...prefixes);
        query = next;
      }
      expect(seen.sort()).toEqual([...expected].sort());
    }
  });

  test('deletion by prefix deletes only the objects below the prefix', async () => {
    await own.bucket.deleteFiles({ prefix: 'b/' });
    expect(await own.names()).toEqual(names.filter((name) => !name.startsWith('b/')));
  });
});

const codeOf = async (response: Response) => [response.status, /<Code>(.*?)<\/Code>/.exec(await response.text())?.[1]];
const mismatch = [403, 'SignatureDoesNotMatch'];

async function sign(name: string, options: object = {}, bucket = fixture.bucket): Promise<string> {
  const all = { version: 'v4' as const, action: 'read' as const, expires: Date.now() + 3600_000, ...options };
  return (await bucket.file(name).getSignedUrl(all))[0];
}

describe('a signed URL', () => {
  test('lets any client read its object, and only read it', async () => {
    const url = await sign(NAME);
    const response = await fetch(url, { headers: { origin: 'null' } });
    expect([response.status, await response.text()]).toEqual([200, 'secret']);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await (await fetch(url, { headers: { range: 'bytes=1-3' } })).text()).toBe('ecr');
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect(await codeOf(await fetch(url, { method }))).toEqual(mismatch);
  });

  test('is refused when it was altered or signed by another key', async () => {
    const url = await sign(NAME);
    await fixture.save('dir/other', 'other');
    const stranger = bucketAt(fixture.server.url, aKey().privateKey);
    for (const altered of [
      Object.assign(new URL(url), { pathname: `/${BUCKET}/dir/other` }).href,
      url.replace(/(Signature=)(.)/, (_all, name: string, first: string) => name + (first === 'a' ? 'b' : 'a')),
      url.replace(/Expires=(\d+)/, (_all, at: string) => `Expires=${Number(at) + 1}`),
      await sign(NAME, {}, stranger.bucket),
    ]) {
      expect(altered).not.toBe(url);
      expect(await codeOf(await fetch(altered))).toEqual(mismatch);
    }
    await stranger.release();
  });

  test('is refused after it has expired, and answered with 404 for a missing object', async () => {
    const url = await sign(NAME);
    expect(await codeOf(await fetch(await sign('nothing')))).toEqual([404, 'NoSuchKey']);
    passSeconds(3601);
    expect(await codeOf(await fetch(url))).toEqual([400, 'ExpiredToken']);
  });
});

test('a signed download may set the content type and the file name', async () => {
  const disposition = 'attachment; filename="x.css"';
  const { headers } = await fetch(await sign(NAME, { responseType: 'text/css', responseDisposition: disposition }));
  expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual(['text/css', disposition]);
});

test('a server without a key refuses every signature', async () => {
  const keyless = await startStorageFixture({ signingKey: undefined });
  expect(await codeOf(await fetch(await sign('x', {}, keyless.bucket)))).toEqual(mismatch);
  await keyless.stop();
});

test('without a CORS configuration, pages of other origins cannot read a signed URL', async () => {
  const bare = await startStorageFixture();
  await bare.save('x', 'secret');
  const url = await sign('x', {}, bare.bucket);
  const headers = { origin: 'https://example.org', 'access-control-request-method': 'GET' };
  const response = await fetch(url, { headers: { origin: headers.origin } });
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  expect((await fetch(url, { method: 'OPTIONS', headers })).status).toBe(403);
  await bare.stop();
});

test('a bucket has the same objects under its other name: signed URLs, copies, sessions and lists', async () => {
  const other = fixture.bucket.storage.bucket(OTHER_NAME);
  const url = await sign(NAME, {}, other);
  expect(new URL(url).pathname).toContain(`/${OTHER_NAME}/`);
  expect(await (await fetch(url)).text()).toBe('secret');
  await other.file(NAME).copy(other.file('aliased/copy'));
  const [session] = await other.file('aliased/sent').createResumableUpload();
  expect((await fetch(session, { method: 'PUT', body: 'sent' })).status).toBe(200);
  const ofOther = (await other.getFiles({ prefix: 'aliased/' }))[0].map(({ name }) => name);
  expect(await fixture.names({ prefix: 'aliased/' })).toEqual(['aliased/copy', 'aliased/sent']);
  expect([ofOther, await other.exists()]).toEqual([['aliased/copy', 'aliased/sent'], [true]]);
});

test('a bucket exists when the server was started with it', async () => {
  const absent = fixture.bucket.storage.bucket('absent-bucket');
  expect([await fixture.bucket.exists(), await absent.exists()]).toEqual([[true], [false]]);
  await expect(absent.file('x').save('x', { resumable: false })).rejects.toMatchObject({ code: 404 });
});
