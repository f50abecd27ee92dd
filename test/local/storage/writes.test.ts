import { createHash, randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { BUCKET, type StorageFixture } from './fixture';
import { blobs, generation, json, put, related, relatedBody, storageFixture } from './requests';

let fixture: StorageFixture;
const started = storageFixture();
beforeAll(() => (fixture = started()));

describe('preconditions', () => {
  const conditionNotMet = {
    error: {
      code: 412,
      message: 'At least one of the pre-conditions you specified did not hold.',
      errors: [{ domain: 'global', reason: 'conditionNotMet', locationType: 'header', location: 'If-Match' }],
    },
  };

  test('exactly one of 20 parallel saves with ifGenerationMatch=0 succeeds', async () => {
    const file = fixture.bucket.file('race');
    const saves = Array.from({ length: 20 }, (_, index) =>
      file.save(`writer ${index}`, { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } }).then(() => index),
    );
    const results = await Promise.allSettled(saves);
    const winners = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(winners).toHaveLength(1);
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 412 });
    expect((await file.download())[0].toString()).toBe(`writer ${winners[0]}`);
  });

  test.each([
    ['objects.insert', () => put('pre', 'x', '&ifGenerationMatch=0')],
    ['objects.insert, expecting another generation', () => put('pre', 'x', '&ifGenerationMatch=7')],
    [
      'objects.insert, excluding the live one',
      async () => put('pre', 'x', `&ifGenerationNotMatch=${await generation('pre')}`),
    ],
    ['objects.insert, by metageneration', () => put('pre', 'x', '&ifMetagenerationMatch=9')],
    [
      'the start of a resumable upload',
      () => fetch(fixture.upload('uploadType=resumable&name=pre&ifGenerationMatch=0'), { method: 'POST' }),
    ],
    ['objects.get', () => fetch(`${fixture.object('pre')}?ifGenerationMatch=7`)],
    ['objects.patch', () => fetch(`${fixture.object('pre')}?ifMetagenerationMatch=7`, { method: 'PATCH', body: '{}' })],
    ['objects.delete', () => fetch(`${fixture.object('pre')}?ifGenerationMatch=7`, { method: 'DELETE' })],
    [
      'objects.rewrite',
      () => fetch(`${fixture.object('race')}/rewriteTo/b/${BUCKET}/o/pre?ifGenerationMatch=0`, { method: 'POST' }),
    ],
    [
      'objects.rewrite, by its source',
      () =>
        fetch(`${fixture.object('race')}/rewriteTo/b/${BUCKET}/o/new?ifSourceGenerationMatch=7`, { method: 'POST' }),
    ],
    ['objects.move', () => fetch(`${fixture.object('race')}/moveTo/o/pre?ifGenerationMatch=0`, { method: 'POST' })],
    [
      'objects.compose',
      () =>
        fetch(`${fixture.object('pre')}/compose?ifGenerationMatch=0`, {
          method: 'POST',
          body: JSON.stringify({ sourceObjects: [{ name: 'race' }] }),
        }),
    ],
  ])('%s answers 412 as the cloud does, and changes nothing', async (_operation, call) => {
    await put('pre', 'kept');
    const before = await json(await fetch(fixture.object('pre')));
    const files = await blobs();
    const response = await call();
    expect([response.status, await response.json()]).toMatchObject([412, conditionNotMet]);
    expect(await json(await fetch(fixture.object('pre')))).toEqual(before);
    expect(await blobs()).toEqual(files);
  });

  test('a read with ifGenerationNotMatch of the live generation answers 304', async () => {
    await put('pre', 'kept');
    expect((await fetch(`${fixture.object('pre')}?ifGenerationNotMatch=${await generation('pre')}`)).status).toBe(304);
    const etag = (await fetch(`${fixture.object('pre')}?alt=media`)).headers.get('etag')!;
    expect((await fetch(`${fixture.object('pre')}?alt=media`, { headers: { 'if-none-match': etag } })).status).toBe(
      304,
    );
  });

  test('generations increase, and only the live generation can be read', async () => {
    await put('gen', 'one');
    const first = await generation('gen');
    await put('gen', 'two');
    expect(Number(await generation('gen'))).toBeGreaterThan(Number(first));
    expect((await fetch(`${fixture.object('gen')}?generation=${first}`)).status).toBe(404);
  });
});

describe('hashes', () => {
  const body = randomBytes(5000);
  const md5 = createHash('md5').update(body).digest('base64');

  test('an object has its md5 and crc32c', async () => {
    expect(await json(await put('digest', '123456789'))).toMatchObject({
      md5Hash: createHash('md5').update('123456789').digest('base64'),
      // The check value of CRC-32C, 0xE3069283.
      crc32c: Buffer.from('e3069283', 'hex').toString('base64'),
    });
  });

  test.each([
    [
      'X-Goog-Hash crc32c',
      () => put('bad', body, '', { 'x-goog-hash': 'crc32c=AAAAAA==' }),
      `Provided CRC32C "AAAAAA==" doesn't match calculated CRC32C`,
    ],
    [
      'X-Goog-Hash md5',
      () => put('bad', body, '', { 'x-goog-hash': `md5=AAAA` }),
      `Provided MD5 hash "AAAA" doesn't match`,
    ],
    [
      'md5Hash in the metadata',
      () => related('bad', { md5Hash: 'AAAA' }, body),
      `Provided MD5 hash "AAAA" doesn't match`,
    ],
    [
      'crc32c in the metadata',
      () => related('bad', { crc32c: 'AAAAAA==' }, body),
      `Provided CRC32C "AAAAAA==" doesn't match`,
    ],
  ])('a wrong %s is answered with 400, and no object or file is left', async (_where, call, message) => {
    const files = await blobs();
    const response = await call();
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining(message) as string } },
    ]);
    expect((await fetch(fixture.object('bad'))).status).toBe(404);
    expect(await blobs()).toEqual(files);
  });

  test('correct hashes are accepted', async () => {
    expect((await related('good', { md5Hash: md5 }, body)).status).toBe(200);
    expect((await put('good', body, '', { 'x-goog-hash': `md5=${md5}` })).status).toBe(200);
  });
});

describe('bodies', () => {
  test('a boundary may be split over chunks, and a part of it may occur in the media', async () => {
    const media = Buffer.concat([randomBytes(100), Buffer.from('\r\n--edge\r\n--edg--\r\n'), randomBytes(100)]);
    const body = relatedBody('pieces', {}, media, 'edge-of-parts');
    const req = request(fixture.upload('uploadType=multipart'), {
      method: 'POST',
      headers: { 'content-type': 'multipart/related; boundary="edge-of-parts"' },
    });
    for (const byte of body) req.write(Buffer.from([byte]));
    req.end();
    const [response] = (await once(req, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
    response.resume();
    expect(response.statusCode).toBe(200);
    expect((await fixture.bucket.file('pieces').download())[0].equals(media)).toBe(true);
  });

  test('a body without its closing boundary is answered with 400, and no object or file is left', async () => {
    const files = await blobs();
    const body = relatedBody('open', {}, Buffer.from('media'), 'b').subarray(0, -4);
    const response = await fetch(fixture.upload('uploadType=multipart'), {
      method: 'POST',
      body,
      headers: { 'content-type': 'multipart/related; boundary=b' },
    });
    expect(response.status).toBe(400);
    expect((await fetch(fixture.object('open'))).status).toBe(404);
    expect(await blobs()).toEqual(files);
  });

  test.each(['media', 'multipart'])('an interrupted upload (%s) leaves no object and no file', async (type) => {
    const files = await blobs();
    const body = type === 'media' ? randomBytes(300_000) : relatedBody('cut', {}, randomBytes(300_000), 'b');
    const req = request(fixture.upload(`uploadType=${type}&name=cut`), {
      method: 'POST',
      headers: {
        'content-type': type === 'media' ? 'text/plain' : 'multipart/related; boundary=b',
        'content-length': body.length,
      },
    });
    req.on('error', () => {});
    req.write(body.subarray(0, 200_000));
    // The file exists when the server has started to write. Only then is the upload interrupted in the middle.
    while ((await blobs()).length === files.length) await new Promise(setImmediate);
    req.destroy();
    while ((await blobs()).length > files.length) await new Promise(setImmediate);
    expect((await fetch(fixture.object('cut'))).status).toBe(404);
    expect(await blobs()).toEqual(files);
  });

  test('a disk error is answered with an error, and no object changes', async () => {
    await put('disk', 'before');
    const before = await json(await fetch(fixture.object()));
    const folder = join(fixture.dataDir, 'storage', 'blobs');
    const reported = jest.spyOn(console, 'error').mockReturnValue();
    await rename(folder, `${folder}-gone`);
    try {
      expect((await put('disk', 'after')).status).toBe(500);
      expect((await fetch(`${fixture.object('disk')}/rewriteTo/b/${BUCKET}/o/copy`, { method: 'POST' })).status).toBe(
        404,
      );
      expect(reported).toHaveBeenCalledTimes(1);
    } finally {
      await rename(`${folder}-gone`, folder);
      reported.mockRestore();
    }
    expect(await json(await fetch(fixture.object()))).toEqual(before);
    expect((await fixture.bucket.file('disk').download())[0].toString()).toBe('before');
  });

  test('the statistics count bytes, and calls by operation', async () => {
    await put('counted', 'x');
    fixture.server.resetStats();
    await put('counted', '0123456789');
    await fetch(`${fixture.object('counted')}?alt=media`, { headers: { range: 'bytes=0-3' } }).then((response) =>
      response.text(),
    );
    await fetch(fixture.object('counted'));
    await fetch(fixture.object());
    await fetch(fixture.object('counted'), { method: 'DELETE' });
    expect(fixture.server.stats()).toEqual({
      calls: { 'objects.insert': 1, 'objects.get:media': 1, 'objects.get': 1, 'objects.list': 1, 'objects.delete': 1 },
      bytesIn: 10,
      bytesOut: 4,
    });
  });
});
