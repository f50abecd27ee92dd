import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { randomBytes } from 'node:crypto';
import { BUCKET, startStorageFixture, type StorageFixture } from './fixture';

let fixture: StorageFixture;
beforeAll(async () => (fixture = await startStorageFixture()));
afterAll(() => fixture.end());

const KIB = 1024;

describe('uploads', () => {
  const bytes = randomBytes(700 * KIB);

  test.each([
    ['in one request', { resumable: false }],
    ['resumable', { resumable: true }],
    ['resumable in chunks', { resumable: true, chunkSize: 256 * KIB }],
  ])("bytes saved %s are read back unchanged, with the SDK's hash check", async (_how, options) => {
    const file = fixture.bucket.file(`up/${JSON.stringify(options)}`);
    await file.save(bytes, {
      ...options,
      validation: 'md5',
      metadata: { contentType: 'text/x-deck', metadata: { a: '1' } },
    });
    const [back] = await file.download();
    expect(back.equals(bytes)).toBe(true);
    const [metadata] = await file.getMetadata();
    expect(metadata).toMatchObject({ size: String(bytes.length), contentType: 'text/x-deck', metadata: { a: '1' } });
  });

  test.each([true, false])('an empty object can be stored (resumable: %s)', async (resumable) => {
    const file = fixture.bucket.file(`empty-${resumable}`);
    await file.save('', { resumable });
    const [back] = await file.download();
    expect(back.length).toBe(0);
    expect((await file.getMetadata())[0].size).toBe('0');
  });

  test.each([{ resumable: false }, { resumable: true }, { resumable: true, chunkSize: 512 * KIB }])(
    'a stream of unknown length is stored whole: %j',
    async (options) => {
      const file = fixture.bucket.file('streamed');
      const pieces = Array.from({ length: 13 }, () => randomBytes(100 * KIB + 7));
      await pipeline(Readable.from(pieces), file.createWriteStream(options));
      const [back] = await file.download();
      expect(back.equals(Buffer.concat(pieces))).toBe(true);
    },
  );
});

describe('reads', () => {
  test('a range returns exactly its bytes', async () => {
    const file = fixture.bucket.file('digits');
    await file.save('0123456789', { resumable: false });
    const read = async (start: number, end?: number) => (await file.download({ start, end })).toString();
    expect(await read(2, 4)).toBe('234');
    expect(await read(7)).toBe('789');
    expect(await read(0, 0)).toBe('0');
    expect(await read(5, 99)).toBe('56789');
  });

  test('a missing object is answered with 404, and exists() is false', async () => {
    const file = fixture.bucket.file('nothing');
    expect((await file.exists())[0]).toBe(false);
    await expect(file.download()).rejects.toMatchObject({ code: 404 });
    await expect(file.getMetadata()).rejects.toMatchObject({
      code: 404,
      message: expect.stringContaining('No such object') as string,
    });
    await expect(file.delete()).rejects.toMatchObject({ code: 404 });
    await expect(file.delete({ ignoreNotFound: true })).resolves.toBeDefined();
  });
});

describe('metadata', () => {
  test('a patch replaces the named fields; null removes a field; values become strings', async () => {
    const file = fixture.bucket.file('meta');
    await file.save('x', {
      resumable: false,
      metadata: { cacheControl: 'no-store', metadata: { a: 1, b: true, c: 'c' } as never },
    });
    expect((await file.getMetadata())[0].metadata).toEqual({ a: '1', b: 'true', c: 'c' });
    await file.setMetadata({ contentType: 'text/css', metadata: { a: null, b: 'two' } });
    const [metadata] = await file.getMetadata();
    expect(metadata).toMatchObject({
      contentType: 'text/css',
      cacheControl: 'no-store',
      metadata: { b: 'two', c: 'c' },
    });
    expect(metadata.metadata).not.toHaveProperty('a');
    expect(metadata.metageneration).toBe('2');
  });

  test('an object with a temporary hold cannot be deleted, replaced or moved; its copy has no hold', async () => {
    const file = fixture.bucket.file('held');
    await file.save('x', { resumable: false });
    await file.setMetadata({ temporaryHold: true });
    await expect(file.delete()).rejects.toMatchObject({ code: 403 });
    await expect(file.save('y', { resumable: false })).rejects.toMatchObject({ code: 403 });
    await expect(file.moveFileAtomic('elsewhere')).rejects.toMatchObject({ code: 403 });
    await file.copy('copy of held');
    await fixture.bucket.file('copy of held').delete();
    expect((await file.download())[0].toString()).toBe('x');
    await file.setMetadata({ temporaryHold: false });
    await file.delete();
    expect((await file.exists())[0]).toBe(false);
  });
});

describe('copies and moves', () => {
  test('a copy has the bytes and the metadata, and is independent of its source', async () => {
    const source = fixture.bucket.file('copy/source');
    await source.save('original', {
      resumable: false,
      metadata: { contentType: 'text/plain', metadata: { by: 'me' } },
    });
    const [copy] = await source.copy(fixture.bucket.file('copy/target'));
    await source.save('changed', { resumable: false });
    expect((await copy.download()).toString()).toBe('original');
    expect((await copy.getMetadata())[0]).toMatchObject({ contentType: 'text/plain', metadata: { by: 'me' } });
    await source.delete();
    expect((await copy.download()).toString()).toBe('original');
  });

  test('a custom value of null becomes the empty string in a copy and in an upload; a patch deletes by null', async () => {
    const metadata = { foo: 'bar', nothing: null };
    const source = fixture.bucket.file('null/source');
    await source.save('x', { resumable: false, metadata: { cacheControl: 'no-store', metadata } });
    expect((await source.getMetadata())[0].metadata).toEqual({ foo: 'bar', nothing: '' });
    const [copy] = await source.copy('null/target', { metadata: metadata, contentType: 'text/css' });
    expect((await copy.getMetadata())[0]).toMatchObject({
      contentType: 'text/css',
      metadata: { foo: 'bar', nothing: '' },
    });
    await copy.setMetadata({ metadata: { nothing: null } });
    expect((await copy.getMetadata())[0].metadata).toEqual({ foo: 'bar' });
  });

  test('after a move only the new name exists', async () => {
    await fixture.bucket.file('move/a').save('moved', { resumable: false });
    await fixture.bucket.file('move/a').move('move/b');
    await fixture.bucket.file('move/b').moveFileAtomic('move/c');
    expect((await fixture.bucket.getFiles({ prefix: 'move/' }))[0].map((file) => file.name)).toEqual(['move/c']);
    expect((await fixture.bucket.file('move/c').download()).toString()).toBe('moved');
  });

  test('a composed object contains its sources in order', async () => {
    for (const part of ['one ', 'two ', 'three'])
      await fixture.bucket.file(`parts/${part}`).save(part, { resumable: false });
    await fixture.bucket.combine(['parts/one ', 'parts/two ', 'parts/three'], 'composed.txt');
    const file = fixture.bucket.file('composed.txt');
    expect((await file.download()).toString()).toBe('one two three');
    expect((await file.getMetadata())[0]).toMatchObject({ componentCount: 3, contentType: 'text/plain' });
    expect((await file.getMetadata())[0].md5Hash).toBeUndefined();
  });
});

describe('buckets', () => {
  test('a bucket exists when the server was started with it', async () => {
    expect((await fixture.bucket.exists())[0]).toBe(true);
    expect((await fixture.bucket.storage.bucket('absent-bucket').exists())[0]).toBe(false);
    expect((await fixture.bucket.storage.getBuckets())[0].map((bucket) => bucket.name)).toEqual([fixture.bucket.name]);
    await expect(
      fixture.bucket.storage.bucket('absent-bucket').file('x').save('x', { resumable: false }),
    ).rejects.toMatchObject({ code: 404 });
  });

  test('a created bucket holds objects, survives a restart, and is deleted when it is empty', async () => {
    const own = await startStorageFixture();
    const bucketOf = ({ bucket }: StorageFixture) => bucket.storage.bucket('more-decks');
    const options = { location: 'eu', storageClass: 'nearline', labels: { for: 'tests' } } as never;
    const created = await Promise.allSettled([bucketOf(own).create(options), bucketOf(own).create(options)]);
    const refused = created.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refused).toEqual([
      expect.objectContaining({
        code: 409,
        message: 'Your previous request to create the named bucket succeeded and you already own it.',
        errors: [expect.objectContaining({ reason: 'conflict' })],
      }),
    ]);
    expect((await bucketOf(own).getMetadata())[0]).toMatchObject({
      ...{ kind: 'storage#bucket', id: 'more-decks', name: 'more-decks', metageneration: '1' },
      ...{ location: 'EU', locationType: 'multi-region', storageClass: 'NEARLINE', labels: { for: 'tests' } },
    });
    await bucketOf(own).file('x').save('x', { resumable: false });
    await expect(bucketOf(own).delete()).rejects.toMatchObject({
      code: 409,
      message: 'The bucket you tried to delete is not empty.',
    });
    await own.stop();

    const again = await startStorageFixture({ dataDir: own.dataDir });
    expect((await bucketOf(again).file('x').download())[0].toString()).toBe('x');
    const pages = [await again.bucket.storage.getBuckets({ maxResults: 1, autoPaginate: false })];
    pages.push(await again.bucket.storage.getBuckets({ ...pages[0]![1], autoPaginate: false }));
    expect(pages.map(([buckets]) => buckets.map(({ name }) => name))).toEqual([[again.bucket.name], ['more-decks']]);
    expect(pages[1]![1]).toBeNull();
    await bucketOf(again).file('x').delete();
    await bucketOf(again).delete();
    expect(await bucketOf(again).exists()).toEqual([false]);
    await expect(bucketOf(again).getMetadata()).rejects.toMatchObject({
      code: 404,
      message: 'The specified bucket does not exist.',
    });
    await again.end();
  });

  test('a bucket is created by its other name', async () => {
    const own = await startStorageFixture({ aliases: { 'other-name': BUCKET } });
    const other = own.bucket.storage.bucket('other-name');
    await other.delete();
    const [created] = await other.create();
    expect(created.metadata).toMatchObject({ kind: 'storage#bucket', name: BUCKET });
    expect(await own.bucket.exists()).toEqual([true]);
    await own.end();
  });

  test.each([
    ['without a project', '', { name: 'fine-name' }, 400, 'required', 'Required parameter: project'],
    ['with an invalid name', '?project=p', { name: 'Upper' }, 400, 'invalid', "Invalid bucket name: 'Upper'"],
    ['with a reserved name', '?project=p', { name: 'my-google' }, 400, 'invalid', "Invalid bucket name: 'my-google'"],
    ['without a name', '?project=p', {}, 400, 'required', 'Required'],
    [
      'with versioning',
      '?project=p',
      { name: 'fine-name', versioning: { enabled: true } },
      501,
      'notImplemented',
      'versioning',
    ],
  ])('a bucket %s is refused', async (_how, query, body, code, reason, message) => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${fixture.server.url}/storage/v1/b${query}`, init);
    const named = expect.stringContaining(message) as string;
    expect([answer.status, await answer.json()]).toMatchObject([
      code,
      { error: { code, message: named, errors: [{ domain: 'global', reason, message: named }] } },
    ]);
    expect((await fixture.bucket.storage.bucket('fine-name').exists())[0]).toBe(false);
  });

  test('an object cannot be stored in a bucket that is being deleted', async () => {
    const bucket = fixture.bucket.storage.bucket('short-lived');
    await bucket.create();
    const [saved, removed] = await Promise.allSettled([
      bucket.file('x').save('x', { resumable: false }),
      bucket.delete(),
    ]);
    const isKept = (await bucket.exists())[0];
    expect([saved.status, removed.status]).toEqual(isKept ? ['fulfilled', 'rejected'] : ['rejected', 'fulfilled']);
    if (isKept)
      await bucket
        .file('x')
        .delete()
        .then(() => bucket.delete());
  });
});
