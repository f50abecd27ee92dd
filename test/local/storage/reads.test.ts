import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { BUCKET, type StorageFixture } from './fixture';
import { json, put, related, relatedBody, storageFixture } from './requests';

let fixture: StorageFixture;
const started = storageFixture();
beforeAll(() => (fixture = started()));

test('the links of an object have a host, also for a request of HTTP/1.0 without one', async () => {
  await put('without-host', 'x');
  const { host, port, pathname } = new URL(fixture.object('without-host'));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`GET ${pathname} HTTP/1.0\r\n\r\n`);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  const { mediaLink } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { mediaLink: string };
  expect(new URL(mediaLink).host).toBe(host);
  expect(await (await fetch(mediaLink)).text()).toBe('x');
});

describe('names and metadata', () => {
  test.each([
    'a'.repeat(1024),
    'ä'.repeat(512),
    'a/b//c',
    '/',
    '../x',
    'with space+plus%25?#&=',
    '🂡/…',
    '.well-known/acme',
    'a\tb',
    '__proto__',
    'b/x/o/y',
  ])('the name %j is stored unchanged', async (name) => {
    expect(await json(await put(name, 'x'))).toMatchObject({ name });
    expect((await fixture.bucket.file(name).download())[0].toString()).toBe('x');
    expect((await fixture.bucket.getFiles({ prefix: name }))[0].map((file) => file.name)).toEqual([name]);
    await fixture.bucket.file(name).delete();
  });

  test.each([[''], ['.'], ['..'], ['a\rb'], ['a\nb'], ['a'.repeat(1025)], ['ä'.repeat(513)]])(
    'the name %j is refused',
    async (name) => {
      expect((await put(name, 'x')).status).toBe(400);
      expect((await related(name, {}, Buffer.from('x'))).status).toBe(400);
    },
  );

  test('too large metadata is answered with 400; above 2 MiB in plain text, as the upload protocol does', async () => {
    const metadata = { metadata: { big: 'x'.repeat(2.1e6) } };
    const start = { method: 'POST', body: JSON.stringify(metadata) };
    for (const response of [
      await related('big', metadata, Buffer.from('x')),
      await fetch(fixture.upload('uploadType=resumable&name=big'), start),
    ]) {
      expect([response.status, await response.text()]).toEqual([400, 'Metadata part is too large.']);
    }
    await expect(fixture.bucket.file('big').save('x', { resumable: false, metadata })).rejects.toThrow(
      'Metadata part is too large',
    );
    expect((await related('big', { metadata: { big: 'x'.repeat(8000) } }, Buffer.from('x'))).status).toBe(200);
    const patch = await fetch(fixture.object('big'), {
      method: 'PATCH',
      body: JSON.stringify({ metadata: { more: 'x'.repeat(200) } }),
    });
    expect(patch.status).toBe(400);
  });

  test.each(['{', '[]', '"x"', '{"contentType": 7}', '{"metadata": "x"}', '{"metadata": {"a": {}}}'])(
    'metadata %s is answered with 400',
    async (text) => {
      await put('meta', 'x');
      expect((await fetch(fixture.object('meta'), { method: 'PATCH', body: text })).status).toBe(400);
    },
  );

  test('selfLink and mediaLink are addresses of the object', async () => {
    const { selfLink, mediaLink } = (await json(await put('links/a b?', 'linked'))) as {
      selfLink: string;
      mediaLink: string;
    };
    expect(await json(await fetch(selfLink))).toMatchObject({ name: 'links/a b?' });
    expect(await (await fetch(mediaLink)).text()).toBe('linked');
  });
});

describe('reading', () => {
  test.each(['', '?alt=media'])('an object of a bucket that does not exist: 404 (%s)', async (query) => {
    await put('prefix\0name', 'x');
    const of = (bucket: string, name: string) =>
      fetch(fixture.object('name').replace(`/b/${BUCKET}/o/name`, `/b/${bucket}/o/${name}`) + query);
    for (const bucket of ['missing', `${BUCKET}%00prefix`]) {
      const answer = await of(bucket, 'name');
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('The specified bucket does not exist.');
    }
    expect((await of(BUCKET, 'prefix%00name')).status).toBe(200);
    expect(await (await of(BUCKET, 'missing')).text()).toContain('No such object');
  });

  test('ranges: 206 and 416 with their headers', async () => {
    await put('range', '0123456789');
    const get = async (range: string) => {
      const response = await fetch(`${fixture.object('range')}?alt=media`, { headers: { range } });
      return [
        response.status,
        response.headers.get('content-range'),
        response.status < 300 ? await response.text() : '',
      ];
    };
    expect(await get('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await get('bytes=8-')).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await get('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await get('bytes=-99')).toEqual([206, 'bytes 0-9/10', '0123456789']);
    expect(await get('bytes=9-99')).toEqual([206, 'bytes 9-9/10', '9']);
    expect(await get('bytes=10-')).toEqual([416, 'bytes */10', '']);
    expect(await get('bytes=-0')).toEqual([416, 'bytes */10', '']);
    for (const nonsense of ['bytes=4-2', 'bytes=a-b', 'lines=1-2', 'bytes=-', 'bytes=0-1,3-4']) {
      expect(await get(nonsense)).toEqual([200, null, '0123456789']);
    }
  });

  test('a gzip object is sent compressed to clients that accept gzip, decompressed to others', async () => {
    const plain = 'compressed '.repeat(1000);
    await put('zipped', gzipSync(plain), '&contentEncoding=gzip', { 'content-type': 'text/plain' });
    const get = async (acceptEncoding: string) => {
      const req = request(`${fixture.object('zipped')}?alt=media`, {
        headers: { 'accept-encoding': acceptEncoding },
      }).end();
      const [response] = (await once(req, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      return { headers: response.headers, body: Buffer.concat(chunks) };
    };
    const taken = await get('gzip');
    expect(taken.headers).toMatchObject({ 'content-encoding': 'gzip', 'x-goog-stored-content-encoding': 'gzip' });
    expect(taken.body.equals(gzipSync(plain))).toBe(true);
    const { headers, body } = await get('identity');
    expect(body.toString()).toBe(plain);
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('content-length');
    expect((await fixture.bucket.file('zipped').download())[0].toString()).toBe(plain);
  });

  test('a replacement or deletion does not affect a running download', async () => {
    const first = randomBytes(4 * 1024 * 1024);
    await put('replaced', first);
    const response = await fetch(`${fixture.object('replaced')}?alt=media`);
    await put('replaced', 'second');
    await fetch(fixture.object('replaced'), { method: 'DELETE' });
    expect(Buffer.from(await response.arrayBuffer()).equals(first)).toBe(true);
  });

  test('an uploaded page is sandboxed', async () => {
    await put('page.html', '<script>1</script>', '', { 'content-type': 'text/html' });
    const { headers } = await fetch(`${fixture.object('page.html')}?alt=media`);
    expect(headers.get('content-security-policy')).toBe('sandbox');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('requests without permission', () => {
  test('a page of another site can use sessions and signed URLs only', async () => {
    await put('private', 'x');
    const asPage = { 'sec-fetch-site': 'cross-site', origin: 'null' };
    const status = (path: string, method = 'GET') =>
      new Promise((resolve) => {
        request(fixture.server.url + path, { method, headers: asPage }, (response) =>
          resolve((response.resume(), response.statusCode)),
        ).end();
      });
    expect(await status(`/storage/v1/b/${BUCKET}/o`)).toBe(403);
    expect(await status(`/storage/v1/b/${BUCKET}/o/private?alt=media`)).toBe(403);
    expect(await status(`/upload/storage/v1/b/${BUCKET}/o?uploadType=media&name=evil`, 'POST')).toBe(403);
    expect((await fetch(fixture.object('private'))).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('the XML path needs a signature or credentials', async () => {
    await put('private', 'secret');
    const url = `${fixture.server.url}/${BUCKET}/private`;
    const anonymous = await fetch(url);
    expect([anonymous.status, await anonymous.text()]).toEqual([
      403,
      expect.stringContaining('<Code>AccessDenied</Code>'),
    ]);
    expect(await (await fetch(url, { headers: { authorization: 'Bearer owner' } })).text()).toBe('secret');
    expect(await fixture.bucket.file('private').isPublic()).toEqual([false]);
  });

  test.each([
    ['no upload type is a media upload', 'name=typed', {}, 'application/octet-stream', 'plain'],
    ['the protocol may be named by a header', '', { 'x-goog-upload-protocol': 'multipart' }, 'text/x-part', 'in parts'],
    [
      'the type of the media may be named by a header',
      'uploadType=multipart',
      { 'x-upload-content-type': 'image/png' },
      'image/png',
      'in parts',
    ],
  ])('%s', async (_rule, query, headers, contentType, content) => {
    const isMultipart = content === 'in parts';
    const answer = await fetch(fixture.upload(query), {
      method: 'POST',
      body: isMultipart ? relatedBody('typed', {}, Buffer.from(content), 'b') : Buffer.from(content),
      headers: { ...(isMultipart && { 'content-type': 'multipart/related; boundary=b' }), ...headers },
    });
    expect([answer.status, await json(answer)]).toMatchObject([200, { name: 'typed', contentType }]);
    const media = await fetch(`${fixture.object('typed')}?alt=media`);
    expect([media.headers.get('content-disposition'), await media.text()]).toEqual(['attachment', content]);
  });

  test('a multipart upload of another content type is refused in plain text', async () => {
    const init = {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'foo', 'x-goog-upload-protocol': 'multipart' },
    };
    const answer = await fetch(fixture.upload('name=x'), init);
    expect([answer.status, await answer.text()]).toEqual([400, 'Bad content type.  Please use multipart.']);
  });

  test('unknown paths and malformed requests are answered with 404 or 400', async () => {
    expect((await fetch(`${fixture.server.url}/`)).status).toBe(404);
    expect((await fetch(`${fixture.server.url}/storage/v1/b/${BUCKET}/o/x/y/z`)).status).toBe(404);
    expect((await fetch(`${fixture.object('x')}/compose`, { method: 'POST', body: '{}' })).status).toBe(400);
    expect((await fetch(fixture.upload('uploadType=strange&name=x'), { method: 'POST', body: 'x' })).status).toBe(400);
    expect((await fetch(`${fixture.object()}?maxResults=-1`)).status).toBe(400);
    expect((await fetch(`${fixture.object()}?pageToken=*`)).status).toBe(400);
    const socket = connect(fixture.server.port, '127.0.0.1');
    socket.write('GET /storage/v1/b/%ff/o/%zz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});
