import { passSeconds } from '../../support/clock';
import { aKey, BUCKET, bucketAt, startStorageFixture, storageFixture } from './fixture';

const OTHER_NAME = 'demo-decks.appspot.com';
const NAME = 'dir/a b+ü.txt';
const fixture = storageFixture({
  aliases: { [OTHER_NAME]: BUCKET },
  cors: [{ origin: ['*'], method: ['GET', 'HEAD'], responseHeader: ['Content-Range'] }],
});
beforeAll(() => fixture.save(NAME, 'secret', { contentType: 'text/plain' }));

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
