import { passSeconds } from '../../support/clock';
import { aKey, BUCKET, bucketAt, startStorageFixture, storageFixture, type StorageFixture } from './fixture';

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

describe.each(['v2', 'v4'] as const)('a signed URL (%s)', (version) => {
  test('lets any client read its object, and only read it', async () => {
    const url = await sign(NAME, { version });
    const response = await fetch(url, { headers: { origin: 'null' } });
    expect([response.status, await response.text()]).toEqual([200, 'secret']);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await (await fetch(url, { headers: { range: 'bytes=1-3' } })).text()).toBe('ecr');
    expect((await fetch(url, { method: 'POST' })).status).toBe(403);
  });

  test('for a PUT accepts only the signed content type', async () => {
    const name = `put-${version}`;
    const url = await sign(name, { version, action: 'write', contentType: 'image/png' });
    const put = (type: string) => fetch(url, { method: 'PUT', body: 'png', headers: { 'content-type': type } });
    expect([await codeOf(await put('text/html')), await fixture.exists(name)]).toEqual([mismatch, false]);
    expect((await put('image/png')).status).toBe(200);
    expect(await fixture.metadataOf(name)).toMatchObject({ contentType: 'image/png', size: '3' });
    expect(await codeOf(await fetch(url))).toEqual(mismatch);
  });

  test('is refused when it was altered or signed by another key', async () => {
    const url = await sign(NAME, { version });
    await fixture.save('dir/other', 'other');
    const stranger = bucketAt(fixture.server.url, aKey().privateKey);
    for (const altered of [
      Object.assign(new URL(url), { pathname: `/${BUCKET}/dir/other` }).href,
      url.replace(/(Signature=)(.)/, (_all, name: string, first: string) => name + (first === 'a' ? 'b' : 'a')),
      url.replace(/Expires=(\d+)/, (_all, at: string) => `Expires=${Number(at) + 1}`),
      await sign(NAME, { version }, stranger.bucket),
    ]) {
      expect(altered).not.toBe(url);
      expect(await codeOf(await fetch(altered))).toEqual(mismatch);
    }
    await stranger.release();
  });

  test('is refused after it has expired, and answered with 404 for a missing object', async () => {
    const url = await sign(NAME, { version });
    expect(await codeOf(await fetch(await sign('nothing', { version })))).toEqual([404, 'NoSuchKey']);
    passSeconds(3601);
    expect(await codeOf(await fetch(url))).toEqual([400, 'ExpiredToken']);
  });

  test('for a POST starts a resumable upload', async () => {
    const url = await sign(`signed-${version}`, { version, action: 'resumable' });
    const started = await fetch(url, { method: 'POST', headers: { 'x-goog-resumable': 'start' } });
    expect(started.status).toBe(201);
    expect((await fetch(started.headers.get('location')!, { method: 'PUT', body: 'whole' })).status).toBe(200);
    expect(String(await fixture.read(`signed-${version}`))).toBe('whole');
  });
});

test('v4 signs extension headers: size limits and preconditions are enforced and cannot be omitted', async () => {
  const extensionHeaders = { 'x-goog-content-length-range': '2,4', 'x-goog-if-generation-match': '0' };
  const url = await sign('limited', { action: 'write', extensionHeaders });
  const put = (body: string, headers: Record<string, string> = extensionHeaders) =>
    fetch(url, { method: 'PUT', body, headers }).then(codeOf);
  expect([await put('123', {}), await put('1')]).toEqual([mismatch, [400, 'EntityTooSmall']]);
  expect([await put('x'.repeat(3_000_000)), await put('123')]).toEqual([
    [400, 'EntityTooLarge'],
    [200, undefined],
  ]);
  expect([await put('456'), String(await fixture.read('limited'))]).toEqual([[412, 'PreconditionFailed'], '123']);
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

describe('buckets', () => {
  test('a bucket exists when the server was started with it', async () => {
    const absent = fixture.bucket.storage.bucket('absent-bucket');
    expect([await fixture.bucket.exists(), await absent.exists()]).toEqual([[true], [false]]);
    expect((await fixture.bucket.storage.getBuckets())[0].map(({ name }) => name)).toEqual([BUCKET]);
    await expect(absent.file('x').save('x', { resumable: false })).rejects.toMatchObject({ code: 404 });
  });

  test('a created bucket holds objects, survives a restart, and is deleted when it is empty', async () => {
    const own = await startStorageFixture();
    const bucketOf = ({ bucket }: StorageFixture) => bucket.storage.bucket('more-decks');
    const options = { location: 'eu', storageClass: 'nearline', labels: { for: 'tests' } } as never;
    const created = await Promise.allSettled([bucketOf(own).create(options), bucketOf(own).create(options)]);
    const refused = created.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    const message = 'Your previous request to create the named bucket succeeded and you already own it.';
    expect(refused).toMatchObject([{ code: 409, message, errors: [{ reason: 'conflict' }] }]);
    const names = { kind: 'storage#bucket', id: 'more-decks', name: 'more-decks', metageneration: '1' };
    const place = { location: 'EU', locationType: 'multi-region', storageClass: 'NEARLINE', labels: { for: 'tests' } };
    expect((await bucketOf(own).getMetadata())[0]).toMatchObject({ ...names, ...place });
    await bucketOf(own).file('x').save('x', { resumable: false });
    const full = { code: 409, message: 'The bucket you tried to delete is not empty.' };
    await expect(bucketOf(own).delete()).rejects.toMatchObject(full);
    await own.stop();

    const again = await startStorageFixture({ dataDir: own.dataDir });
    expect(String((await bucketOf(again).file('x').download())[0])).toBe('x');
    const pages = [await again.bucket.storage.getBuckets({ maxResults: 1, autoPaginate: false })];
    pages.push(await again.bucket.storage.getBuckets({ ...pages[0]![1], autoPaginate: false }));
    expect(pages.map(([buckets]) => buckets.map(({ name }) => name))).toEqual([[BUCKET], ['more-decks']]);
    expect(pages[1]![1]).toBeNull();
    await bucketOf(again).file('x').delete();
    await bucketOf(again).delete();
    expect(await bucketOf(again).exists()).toEqual([false]);
    const gone = { code: 404, message: 'The specified bucket does not exist.' };
    await expect(bucketOf(again).getMetadata()).rejects.toMatchObject(gone);
    await again.stop();
  });

  test('a bucket is created by its other name', async () => {
    const own = await startStorageFixture({ aliases: { 'other-name': BUCKET } });
    const other = own.bucket.storage.bucket('other-name');
    await other.delete();
    const [created] = await other.create();
    expect(created.metadata).toMatchObject({ kind: 'storage#bucket', name: BUCKET });
    expect(await own.bucket.exists()).toEqual([true]);
    await own.stop();
  });

  const versioned = { name: 'fine-name', versioning: { enabled: true } };
  test.each([
    ['without a project', '', { name: 'fine-name' }, 400, 'required', 'Required parameter: project'],
    ['with an invalid name', '?project=p', { name: 'Upper' }, 400, 'invalid', "Invalid bucket name: 'Upper'"],
    ['with a reserved name', '?project=p', { name: 'my-google' }, 400, 'invalid', "Invalid bucket name: 'my-google'"],
    ['without a name', '?project=p', {}, 400, 'required', 'Required'],
    ['with versioning', '?project=p', versioned, 501, 'notImplemented', 'versioning'],
  ])('a bucket %s is refused', async (_how, query, body, code, reason, words) => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${fixture.server.url}/storage/v1/b${query}`, init);
    const message = expect.stringContaining(words) as string;
    const error = { code, message, errors: [{ domain: 'global', reason, message }] };
    expect([answer.status, await answer.json()]).toMatchObject([code, { error }]);
    expect((await fixture.bucket.storage.bucket('fine-name').exists())[0]).toBe(false);
  });

  test('an object cannot be stored in a bucket that is being deleted', async () => {
    const bucket = fixture.bucket.storage.bucket('short-lived');
    await bucket.create();
    const saving = bucket.file('x').save('x', { resumable: false });
    const [saved, removed] = await Promise.allSettled([saving, bucket.delete()]);
    const isKept = (await bucket.exists())[0];
    expect([saved.status, removed.status]).toEqual(isKept ? ['fulfilled', 'rejected'] : ['rejected', 'fulfilled']);
  });
});
