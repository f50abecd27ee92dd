import { createHash, randomBytes } from 'node:crypto';
import { copyFile, rename } from 'node:fs/promises';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { aFolder } from '../folders';
import { BUCKET, json, relatedBody, startStorageFixture, storageFixture } from './fixture';

const OTHER_BUCKET = 'other-bucket';
const fixture = storageFixture({ buckets: [BUCKET, OTHER_BUCKET] });
const KIB = 1024;
const generation = async (name: string) => String((await fixture.metadataOf(name)).generation);
const post = (path: string, body = '{}') => fetch(path, { method: 'POST', body });

test.each([
  ['in one request', { resumable: false }],
  ['resumable', { resumable: true }],
  ['resumable in chunks', { resumable: true, chunkSize: 256 * KIB }],
])('uploads of the SDK (%s) store bytes and metadata, also of no byte and of a stream', async (_how, options) => {
  const bytes = randomBytes(700 * KIB);
  const metadata = { contentType: 'text/x-deck', metadata: { a: '1' } };
  await fixture.bucket.file('up').save(bytes, { ...options, validation: 'md5', metadata });
  expect((await fixture.read('up')).equals(bytes)).toBe(true);
  expect(await fixture.metadataOf('up')).toMatchObject({ size: String(bytes.length), ...metadata });
  await fixture.bucket.file('empty').save('', options);
  expect(await fixture.read('empty')).toHaveLength(0);
  expect((await fixture.metadataOf('empty')).size).toBe('0');
  const pieces = Array.from({ length: 13 }, () => randomBytes(100 * KIB + 7));
  await pipeline(Readable.from(pieces), fixture.bucket.file('streamed').createWriteStream(options));
  expect((await fixture.read('streamed')).equals(Buffer.concat(pieces))).toBe(true);
});

test('a copy, also in another bucket, has the bytes and the metadata, unless new ones are given, and is independent of its source', async () => {
  const source = fixture.bucket.file('source.txt');
  await fixture.save('source.txt', 'original', { cacheControl: 'no-store', metadata: { by: 'me' } });
  const other = fixture.bucket.storage.bucket(OTHER_BUCKET);
  const [kept, answer] = await source.copy(other.file('kept'));
  const sizes = { totalBytesRewritten: '8', objectSize: '8' };
  expect(answer).toMatchObject({ kind: 'storage#rewriteResponse', ...sizes, done: true });
  expect((answer as { resource: object }).resource).toEqual((await kept.getMetadata())[0]);
  const [replaced] = await source.copy('replaced', { metadata: { foo: 'bar' }, cacheControl: 'private' });
  await fixture.save('source.txt', 'changed');
  await source.delete();
  expect((await kept.getMetadata())[0]).toMatchObject({ cacheControl: 'no-store', metadata: { by: 'me' } });
  const [metadata] = await replaced.getMetadata();
  expect(metadata).toMatchObject({ cacheControl: 'private', contentType: 'text/plain' });
  expect(metadata.metadata).toEqual({ foo: 'bar' });
  for (const copy of [kept, replaced]) expect(String((await copy.download())[0])).toBe('original');
});

test('a custom value of null becomes the empty string in a copy and in an upload; a patch deletes by null', async () => {
  const metadata = { foo: 'bar', nothing: null };
  await fixture.save('null/source', 'x', { metadata });
  expect((await fixture.metadataOf('null/source')).metadata).toEqual({ foo: 'bar', nothing: '' });
  const [copy] = await fixture.bucket.file('null/source').copy('null/target', { metadata });
  expect((await copy.getMetadata())[0].metadata).toEqual({ foo: 'bar', nothing: '' });
  await copy.setMetadata({ metadata: { nothing: null } });
  expect((await copy.getMetadata())[0].metadata).toEqual({ foo: 'bar' });
});

test('an object with a temporary hold cannot be deleted or replaced; its copy has no hold', async () => {
  const file = fixture.bucket.file('held');
  await fixture.save('held', 'x');
  await file.setMetadata({ temporaryHold: true });
  for (const call of [file.delete(), fixture.save('held', 'y')])
    await expect(call).rejects.toMatchObject({ code: 403 });
  await file.copy('copy of held');
  await fixture.bucket.file('copy of held').delete();
  expect(String(await fixture.read('held'))).toBe('x');
  await file.setMetadata({ temporaryHold: false });
  await file.delete();
  expect(await fixture.exists('held')).toBe(false);
});

const message = 'At least one of the pre-conditions you specified did not hold.';
const errors = [{ domain: 'global', reason: 'conditionNotMet', locationType: 'header', location: 'If-Match' }];

test('exactly one of 20 parallel saves with ifGenerationMatch=0 succeeds', async () => {
  const options = { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } };
  const save = (_: unknown, i: number) =>
    fixture.bucket
      .file('race')
      .save(`writer ${i}`, options)
      .catch(({ code }: { code: number }) => code);
  const results = await Promise.all(Array.from({ length: 20 }, save));
  expect(results.filter((code) => code !== 412)).toEqual([undefined]);
  expect(String(await fixture.read('race'))).toBe(`writer ${results.indexOf(undefined)}`);
});

const pre = () => fixture.object('pre');
const race = () => fixture.object('race');
test.each<[operation: string, call: () => Promise<Response>]>([
  ['objects.insert', () => fixture.put('pre', 'x', '&ifGenerationMatch=0')],
  ['objects.insert, expecting another generation', () => fixture.put('pre', 'x', '&ifGenerationMatch=7')],
  [
    'objects.insert, excluding the live one',
    async () => fixture.put('pre', 'x', `&ifGenerationNotMatch=${await generation('pre')}`),
  ],
  ['objects.insert, by metageneration', () => fixture.put('pre', 'x', '&ifMetagenerationMatch=9')],
  ['a resumable upload', () => post(fixture.upload('uploadType=resumable&name=pre&ifGenerationMatch=0'))],
  ['objects.get', () => fetch(`${pre()}?ifGenerationMatch=7`)],
  ['objects.patch', () => fetch(`${pre()}?ifMetagenerationMatch=7`, { method: 'PATCH', body: '{}' })],
  ['objects.delete', () => fetch(`${pre()}?ifGenerationMatch=7`, { method: 'DELETE' })],
  ['objects.rewrite', () => post(`${race()}/rewriteTo/b/${BUCKET}/o/pre?ifGenerationMatch=0`)],
  ['objects.rewrite, by source', () => post(`${race()}/rewriteTo/b/${BUCKET}/o/new?ifSourceGenerationMatch=7`)],
])('%s answers 412 as the cloud does, and changes nothing', async (_operation, call) => {
  await fixture.put('pre', 'kept');
  const [before, files] = [await fixture.metadataOf('pre'), await fixture.blobs()];
  const response = await call();
  expect([response.status, await json(response)]).toMatchObject([412, { error: { code: 412, message, errors } }]);
  expect([await fixture.metadataOf('pre'), await fixture.blobs()]).toEqual([before, files]);
});

test('a read with ifGenerationNotMatch of the live generation answers 304', async () => {
  await fixture.put('pre', 'kept');
  expect((await fetch(`${pre()}?ifGenerationNotMatch=${await generation('pre')}`)).status).toBe(304);
  const etag = (await fetch(`${pre()}?alt=media`)).headers.get('etag')!;
  expect((await fetch(`${pre()}?alt=media`, { headers: { 'if-none-match': etag } })).status).toBe(304);
});

test('generations increase over restarts, even when the clock goes back, and only the live one can be read', async () => {
  const dataDir = aFolder();
  const generationAt = async (before: number, now?: string) => {
    if (now) jest.spyOn(Date, 'now').mockReturnValue(Date.parse(now));
    const own = await startStorageFixture({ dataDir });
    await own.save('x', 'x');
    const { generation: live } = await own.metadataOf('x');
    const read = async (of: unknown) => (await fetch(`${own.object('x')}?generation=${String(of)}`)).status;
    expect([await read(live), await read(before)]).toEqual([200, 404]);
    await own.stop();
    jest.restoreAllMocks();
    return Number(live);
  };
  const first = await generationAt(1);
  expect(await generationAt(first, '2001-01-01')).toBeGreaterThan(first);
});

const body = randomBytes(5000);
const crc32c = `Provided CRC32C "AAAAAA==" doesn't match calculated CRC32C`;
const other = `Provided MD5 hash "AAAA" doesn't match`;

test('an object has its md5 and crc32c, and correct hashes are accepted', async () => {
  const md5Hash = createHash('md5').update('123456789').digest('base64');
  const digest = await fixture.put('digest', '123456789', '', { 'x-goog-hash': `md5=${md5Hash}` });
  // The check value of CRC-32C, 0xE3069283.
  const crc32c = Buffer.from('e3069283', 'hex').toString('base64');
  expect(await json(digest)).toMatchObject({ md5Hash, crc32c });
  expect((await fixture.related('good', { md5Hash, crc32c }, Buffer.from('123456789'))).status).toBe(200);
});

test.each([
  ['X-Goog-Hash crc32c', () => fixture.put('bad', body, '', { 'x-goog-hash': 'crc32c=AAAAAA==' }), crc32c],
  ['X-Goog-Hash md5', () => fixture.put('bad', body, '', { 'x-goog-hash': `md5=AAAA` }), other],
  ['md5Hash in the metadata', () => fixture.related('bad', { md5Hash: 'AAAA' }, body), other],
  ['crc32c in the metadata', () => fixture.related('bad', { crc32c: 'AAAAAA==' }, body), crc32c],
])('a wrong %s is answered with 400, and no object or file is left', async (_where, call, message) => {
  const files = await fixture.blobs();
  const response = await call();
  const error = { message: expect.stringContaining(message) as string };
  expect([response.status, await json(response)]).toMatchObject([400, { error }]);
  expect([await fixture.exists('bad'), await fixture.blobs()]).toEqual([false, files]);
});

test('a boundary may be split over chunks, and a part of it may occur in the media', async () => {
  const media = Buffer.concat([randomBytes(100), Buffer.from('\r\n--edge\r\n--edg--\r\n'), randomBytes(100)]);
  const headers = { 'content-type': 'multipart/related; boundary="edge-of-parts"' };
  const req = request(fixture.upload('uploadType=multipart'), { method: 'POST', headers });
  for (const byte of relatedBody('pieces', {}, media, 'edge-of-parts')) req.write(Buffer.from([byte]));
  const [response] = (await once(req.end(), 'response')) as [IncomingMessage];
  expect([response.resume().statusCode, (await fixture.read('pieces')).equals(media)]).toEqual([200, true]);
});

test('a body without its closing boundary is answered with 400, and no object or file is left', async () => {
  const files = await fixture.blobs();
  const response = await fetch(fixture.upload('uploadType=multipart'), {
    method: 'POST',
    body: relatedBody('open', {}, Buffer.from('media')).subarray(0, -4),
    headers: { 'content-type': 'multipart/related; boundary=b' },
  });
  expect([response.status, await fixture.exists('open'), await fixture.blobs()]).toEqual([400, false, files]);
});

test.each([
  ['media', 'text/plain', randomBytes(300_000)],
  ['multipart', 'multipart/related; boundary=b', relatedBody('cut', {}, randomBytes(300_000))],
])('an interrupted upload (%s) leaves no object and no file', async (type, contentType, body) => {
  const files = await fixture.blobs();
  const headers = { 'content-type': contentType, 'content-length': body.length };
  const req = request(fixture.upload(`uploadType=${type}&name=cut`), { method: 'POST', headers });
  req.on('error', () => {});
  req.write(body.subarray(0, 200_000));
  // The file exists when the server has started to write. Only then is the upload interrupted in the middle.
  while ((await fixture.blobs()).length === files.length) await new Promise(setImmediate);
  req.destroy();
  while ((await fixture.blobs()).length > files.length) await new Promise(setImmediate);
  expect([await fixture.exists('cut'), await fixture.blobs()]).toEqual([false, files]);
});

test('the next start deletes a file without an object, which an upload leaves that a kill interrupts', async () => {
  const own = await startStorageFixture();
  await own.save('whole', 'whole');
  await own.stop();
  const [file = ''] = await own.blobs();
  const folder = join(own.dataDir, 'storage', 'blobs');
  await copyFile(join(folder, file), join(folder, 'cut'));
  const again = await startStorageFixture({ dataDir: own.dataDir });
  expect([await again.names(), await again.blobs()]).toEqual([['whole'], [file]]);
  await again.stop();
});

test('a disk error is answered with an error, and no object changes', async () => {
  await fixture.put('disk', 'before');
  const before = await json(await fetch(fixture.object()));
  const folder = join(fixture.dataDir, 'storage', 'blobs');
  const reported = jest.spyOn(console, 'error').mockReturnValue();
  await rename(folder, `${folder}-gone`);
  try {
    expect((await fixture.put('disk', 'after')).status).toBe(500);
    expect((await post(`${fixture.object('disk')}/rewriteTo/b/${BUCKET}/o/copy`)).status).toBe(404);
    expect(reported).toHaveBeenCalledTimes(1);
  } finally {
    await rename(`${folder}-gone`, folder);
    reported.mockRestore();
  }
  expect([await json(await fetch(fixture.object())), String(await fixture.read('disk'))]).toEqual([before, 'before']);
});

test('the statistics count bytes, and calls by operation', async () => {
  await fixture.put('counted', 'x');
  fixture.server.resetStats();
  await fixture.put('counted', '0123456789');
  const url = fixture.object('counted');
  await (await fetch(`${url}?alt=media`, { headers: { range: 'bytes=0-3' } })).text();
  for (const [address, method] of [[url], [fixture.object()], [url, 'DELETE']]) await fetch(address!, { method });
  expect(fixture.server.stats()).toEqual({
    calls: { 'objects.insert': 1, 'objects.get:media': 1, 'objects.get': 1, 'objects.list': 1, 'objects.delete': 1 },
    bytesIn: 10,
    bytesOut: 4,
  });
});
