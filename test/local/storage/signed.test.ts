import { generateKeyPairSync } from 'node:crypto';
import { initializeApp, deleteApp, cert } from 'firebase-admin/app';
import { getStorage } from 'firebase-admin/storage';
import { startStorageFixture, BUCKET, signingKey, type StorageFixture } from './fixture';

const OTHER_NAME = 'demo-decks.appspot.com';
let fixture: StorageFixture;
beforeAll(async () => {
  fixture = await startStorageFixture({
    aliases: { [OTHER_NAME]: BUCKET },
    cors: [{ origin: ['*'], method: ['GET', 'HEAD'], responseHeader: ['Content-Range'] }],
  });
  await fixture.bucket
    .file('dir/a b+ü.txt')
    .save('secret', { resumable: false, metadata: { contentType: 'text/plain' } });
});
afterAll(() => fixture.end());

const file = () => fixture.bucket.file('dir/a b+ü.txt');
const inAnHour = () => Date.now() + 3600_000;
const codeOf = async (response: Response) => [response.status, /<Code>(.*?)<\/Code>/.exec(await response.text())?.[1]];

describe.each(['v2', 'v4'] as const)('%s', (version) => {
  const sign = async (options: object = {}) =>
    (await file().getSignedUrl({ version, action: 'read', expires: inAnHour(), ...options }))[0];

  test('a signed URL lets any client read its object, and only read it', async () => {
    const url = await sign();
    const response = await fetch(url, { headers: { origin: 'null' } });
    expect([response.status, await response.text()]).toEqual([200, 'secret']);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await (await fetch(url, { headers: { range: 'bytes=1-3' } })).text()).toBe('ecr');
    expect((await fetch(await sign(), { method: 'POST' })).status).toBe(403);
  });

  test('a signed PUT accepts only the signed content type', async () => {
    const [url] = await fixture.bucket
      .file(`put-${version}`)
      .getSignedUrl({ version, action: 'write', expires: inAnHour(), contentType: 'image/png' });
    const put = (type: string) => fetch(url, { method: 'PUT', body: 'png', headers: { 'content-type': type } });
    expect(await codeOf(await put('text/html'))).toEqual([403, 'SignatureDoesNotMatch']);
    expect((await fixture.bucket.file(`put-${version}`).exists())[0]).toBe(false);
    expect((await put('image/png')).status).toBe(200);
    expect((await fixture.bucket.file(`put-${version}`).getMetadata())[0]).toMatchObject({
      contentType: 'image/png',
      size: '3',
    });
    expect(await codeOf(await fetch(url))).toEqual([403, 'SignatureDoesNotMatch']);
  });

  test('an altered URL is refused', async () => {
    const url = await sign();
    await fixture.bucket.file('dir/other').save('other', { resumable: false });
    const path = `/${BUCKET}/dir/other`;
    const altered = [
      Object.assign(new URL(url), { pathname: path }).href,
      url.replace(/(Signature=)(.)/, (_all, name: string, first: string) => name + (first === 'a' ? 'b' : 'a')),
      version === 'v4'
        ? url
            .replace('X-Goog-Expires=3600', 'X-Goog-Expires=7200')
            .replace('X-Goog-Expires=3599', 'X-Goog-Expires=7199')
        : url.replace(/Expires=(\d+)/, (_all, at: string) => `Expires=${Number(at) + 1}`),
    ];
    for (const one of altered) {
      expect(one).not.toBe(url);
      expect(await codeOf(await fetch(one))).toEqual([403, 'SignatureDoesNotMatch']);
    }
  });

  test('an expired URL is refused', async () => {
    const url = await sign();
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3600_001);
    try {
      expect(await codeOf(await fetch(url))).toEqual([400, 'ExpiredToken']);
    } finally {
      now.mockRestore();
    }
  });

  test('the signature of another key is refused', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const credential = cert({
      projectId: 'demo-decks',
      clientEmail: signingKey.clientEmail,
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    });
    const app = initializeApp({ projectId: 'demo-decks', credential }, `stranger-${version}`);
    const [url] = await getStorage(app)
      .bucket(BUCKET)
      .file('dir/a b+ü.txt')
      .getSignedUrl({ version, action: 'read', expires: inAnHour() });
    expect(await codeOf(await fetch(url))).toEqual([403, 'SignatureDoesNotMatch']);
    await deleteApp(app);
  });

  test('a signed URL of a missing object is answered with 404', async () => {
    const [url] = await fixture.bucket.file('nothing').getSignedUrl({ version, action: 'read', expires: inAnHour() });
    expect(await codeOf(await fetch(url))).toEqual([404, 'NoSuchKey']);
  });

  test('a signed POST starts a resumable upload', async () => {
    const [url] = await fixture.bucket
      .file(`signed-${version}`)
      .getSignedUrl({ version, action: 'resumable', expires: inAnHour() });
    const started = await fetch(url, { method: 'POST', headers: { 'x-goog-resumable': 'start' } });
    expect(started.status).toBe(201);
    expect((await fetch(started.headers.get('location')!, { method: 'PUT', body: 'whole' })).status).toBe(200);
    expect((await fixture.bucket.file(`signed-${version}`).download())[0].toString()).toBe('whole');
  });
});

test('v4 signs extension headers: size limits and preconditions are enforced and cannot be omitted', async () => {
  const extensionHeaders = { 'x-goog-content-length-range': '2,4', 'x-goog-if-generation-match': '0' };
  const [url] = await fixture.bucket
    .file('limited')
    .getSignedUrl({ version: 'v4', action: 'write', expires: inAnHour(), extensionHeaders });
  const put = (body: string, headers: Record<string, string> = extensionHeaders) =>
    fetch(url, { method: 'PUT', body, headers }).then(codeOf);
  expect(await put('123', {})).toEqual([403, 'SignatureDoesNotMatch']);
  expect(await put('1')).toEqual([400, 'EntityTooSmall']);
  expect(await put('x'.repeat(3_000_000))).toEqual([400, 'EntityTooLarge']);
  expect(await put('123')).toEqual([200, undefined]);
  expect(await put('456')).toEqual([412, 'PreconditionFailed']);
  expect((await fixture.bucket.file('limited').download())[0].toString()).toBe('123');
});

test('a signed download may set the content type and the file name', async () => {
  const [url] = await file().getSignedUrl({
    version: 'v4',
    action: 'read',
    expires: inAnHour(),
    responseType: 'text/css',
    responseDisposition: 'attachment; filename="x.css"',
  });
  const { headers } = await fetch(url);
  expect(headers.get('content-type')).toBe('text/css');
  expect(headers.get('content-disposition')).toBe('attachment; filename="x.css"');
});

test('a server without a key refuses every signature', async () => {
  const keyless = await startStorageFixture({ signingKey: undefined });
  const [url] = await keyless.bucket.file('x').getSignedUrl({ version: 'v4', action: 'read', expires: inAnHour() });
  expect(await codeOf(await fetch(url))).toEqual([403, 'SignatureDoesNotMatch']);
  await keyless.end();
});

test('without a CORS configuration, pages of other origins cannot read a signed URL', async () => {
  const bare = await startStorageFixture();
  try {
    await bare.bucket.file('x').save('secret', { resumable: false });
    const [url] = await bare.bucket.file('x').getSignedUrl({ version: 'v4', action: 'read', expires: inAnHour() });
    const response = await fetch(url, { headers: { origin: 'https://example.org' } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, null]);
    const preflight = { origin: 'https://example.org', 'access-control-request-method': 'GET' };
    expect((await fetch(url, { method: 'OPTIONS', headers: preflight })).status).toBe(403);
  } finally {
    await bare.end();
  }
});

test('a bucket has the same objects under its other name: signed URLs, copies, sessions and lists', async () => {
  const other = fixture.bucket.storage.bucket(OTHER_NAME);
  const [url] = await other.file('dir/a b+ü.txt').getSignedUrl({ version: 'v4', action: 'read', expires: inAnHour() });
  expect(new URL(url).pathname).toContain(`/${OTHER_NAME}/`);
  expect(await (await fetch(url)).text()).toBe('secret');
  await other.file('dir/a b+ü.txt').copy(other.file('aliased/copy'));
  const [session] = await other.file('aliased/sent').createResumableUpload();
  expect((await fetch(session, { method: 'PUT', body: 'sent' })).status).toBe(200);
  const namesIn = async (bucket: typeof other) =>
    (await bucket.getFiles({ prefix: 'aliased/' }))[0].map(({ name }) => name);
  expect(await namesIn(fixture.bucket)).toEqual(['aliased/copy', 'aliased/sent']);
  expect(await namesIn(other)).toEqual(['aliased/copy', 'aliased/sent']);
  expect((await other.exists())[0]).toBe(true);
});
