import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { passSeconds } from '../../support/clock';
import { startStorageFixture, storageFixture } from './fixture';

const QUANTUM = 256 * 1024;
const fixture = storageFixture();
let before: string[];
beforeEach(async () => (before = await fixture.blobs()));
/** The number of files that the test has left so far. */
const left = async () => (await fixture.blobs()).filter((name) => !before.includes(name)).length;

async function session(name: string, query = '', headers: Record<string, string> = {}, metadata: object = {}) {
  const response = await fetch(fixture.upload(`uploadType=resumable&name=${name}${query}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(metadata),
  });
  expect(response.status).toBe(200);
  return response.headers.get('location')!;
}
const announced = (name: string, bytes: number, headers: Record<string, string> = {}, metadata = {}) =>
  session(name, '', { 'x-upload-content-length': String(bytes), ...headers }, metadata);

/** Sends a `PUT` to a session. Returns the status and `Range`, or the object. */
async function put(uri: string, body: Buffer | '', contentRange?: string, headers: Record<string, string> = {}) {
  const response = await fetch(uri, {
    method: 'PUT',
    body,
    headers: { ...headers, ...(contentRange && { 'content-range': contentRange }) },
  });
  const [text, range] = [await response.text(), response.headers.get('range')];
  return { status: response.status, range, body: text ? (JSON.parse(text) as Record<string, unknown>) : undefined };
}
/** Sends the bytes from `start` on, with their place and the total or `*`. */
const putFrom = (uri: string, bytes: Buffer, start: number, total: number | '*') =>
  put(uri, bytes, `bytes ${start}-${start + bytes.length - 1}/${total}`);
const incomplete = (bytes: number) => ({ status: 308, range: bytes ? `bytes=0-${bytes - 1}` : null });
const isWhole = async (name: string, bytes: Buffer) => (await fixture.read(name)).equals(bytes);

test('an object is made from chunks and does not exist before the last one', async () => {
  const bytes = randomBytes(2 * QUANTUM + 1000);
  const uri = await announced('chunks', bytes.length, { 'x-upload-content-type': 'a/b' }, { metadata: { a: 1 } });
  expect(await put(uri, '', 'bytes */*')).toMatchObject(incomplete(0));
  expect(await putFrom(uri, bytes.subarray(0, QUANTUM), 0, bytes.length)).toMatchObject(incomplete(QUANTUM));
  expect(await fixture.exists('chunks')).toBe(false);
  expect(await putFrom(uri, bytes.subarray(QUANTUM, 2 * QUANTUM), QUANTUM, '*')).toMatchObject(incomplete(2 * QUANTUM));
  expect(await put(uri, '', `bytes */${bytes.length}`)).toMatchObject(incomplete(2 * QUANTUM));
  const last = await putFrom(uri, bytes.subarray(2 * QUANTUM), 2 * QUANTUM, bytes.length);
  const body = { name: 'chunks', size: String(bytes.length), contentType: 'a/b', metadata: { a: '1' } };
  expect(last).toMatchObject({ status: 200, body });
  expect(await isWhole('chunks', bytes)).toBe(true);
  // A complete session answers again with its object.
  expect(await put(uri, '', 'bytes */*')).toEqual(last);
});

test('the server keeps multiples of 256 KiB, and the answer names the kept bytes', async () => {
  const bytes = randomBytes(2 * QUANTUM);
  const uri = await session('quanta');
  expect(await putFrom(uri, bytes.subarray(0, QUANTUM + 5), 0, '*')).toMatchObject(incomplete(QUANTUM));
  expect(await putFrom(uri, bytes.subarray(QUANTUM), QUANTUM, bytes.length)).toMatchObject({ status: 200 });
  expect(await isWhole('quanta', bytes)).toBe(true);
});

test('repeated bytes are ignored; a gap, and a small chunk that is not the last, are refused', async () => {
  const bytes = randomBytes(2 * QUANTUM);
  const [first, ten] = [bytes.subarray(0, QUANTUM), bytes.subarray(0, 10)];
  const uri = await session('overlap');
  await putFrom(uri, first, 0, '*');
  expect((await putFrom(uri, ten, QUANTUM + 1, '*')).status).toBe(503);
  expect((await putFrom(uri, ten, QUANTUM, '*')).status).toBe(400);
  expect((await put(uri, ten, 'bytes x-y/z')).status).toBe(400);
  expect((await put(uri, ten, `bytes ${QUANTUM}-${2 * QUANTUM - 1}/${2 * QUANTUM}`)).status).toBe(400);
  expect(await putFrom(uri, bytes, 0, bytes.length)).toMatchObject({ status: 200 });
  expect(await isWhole('overlap', bytes)).toBe(true);
});

test('a page may use a session that was started for its origin, and no other', async () => {
  const origin = 'https://decks.example';
  const uri = await session('cors', '', { origin });
  const ask = (address: string, from: string) => {
    const asked = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-range' };
    return fetch(address, { method: 'OPTIONS', headers: { origin: from, ...asked } });
  };
  expect((await ask(uri, 'https://other.example')).status).toBe(403);
  expect((await ask(await session('of-a-program'), origin)).status).toBe(403);
  const preflight = await ask(uri, origin);
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('content-range');
  const answer = await fetch(uri, { method: 'PUT', body: 'x', headers: { origin } });
  expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
  expect(answer.headers.get('access-control-expose-headers')).toContain('Range');
});

test('cancelling a session deletes the session and its bytes', async () => {
  const uri = await session('cancelled');
  await putFrom(uri, randomBytes(QUANTUM), 0, '*');
  expect([await left(), (await fetch(uri, { method: 'DELETE' })).status]).toEqual([1, 499]);
  expect([(await put(uri, '', 'bytes */*')).status, await left()]).toEqual([404, 0]);
});

test('a wrong hash on the last request is answered with 400, and no object or bytes are left', async () => {
  const uri = await session('wrong');
  const answer = await put(uri, Buffer.from('123456789'), 'bytes 0-8/9', { 'x-goog-hash': 'crc32c=AAAAAA==' });
  const message = `Provided CRC32C "AAAAAA==" doesn't match calculated CRC32C "4waSgw==".`;
  expect(answer).toMatchObject({ status: 400, body: { error: { message } } });
  expect([await fixture.exists('wrong'), await left()]).toEqual([false, 0]);
});

test('the precondition is checked at the end too, not only at the start', async () => {
  const uri = await session('late', '&ifGenerationMatch=0');
  await fixture.save('late', 'first');
  expect((await put(uri, Buffer.from('second'))).status).toBe(412);
  expect([String(await fixture.read('late')), await left()]).toEqual(['first', 1]);
});

test('fewer or more bytes than announced make no object, and no byte beyond the announced size is kept', async () => {
  const names = await fixture.names();
  expect((await put(await announced('short', 10), Buffer.from('12345'))).status).toBe(400);
  expect((await put(await announced('one piece', 10), Buffer.alloc(11))).status).toBe(400);
  expect((await put(await announced('nothing', 0), Buffer.alloc(1))).status).toBe(400);
  const pieces = await announced('pieces', QUANTUM + 1);
  expect((await putFrom(pieces, Buffer.alloc(QUANTUM), 0, '*')).status).toBe(308);
  // A different total is refused before the server reads a byte. The session stays usable.
  expect((await putFrom(pieces, Buffer.alloc(2 * QUANTUM), QUANTUM, 3 * QUANTUM)).status).toBe(400);
  expect(await put(pieces, '', 'bytes */*')).toMatchObject(incomplete(QUANTUM));
  // Without a total, the server counts the bytes.
  expect([(await putFrom(pieces, Buffer.alloc(2 * QUANTUM), QUANTUM, '*')).status, await left()]).toEqual([400, 0]);
  expect((await put(await session('long'), Buffer.from('12345'), 'bytes 0-*/3')).status).toBe(400);
  expect(await fixture.names()).toEqual(names);
});

test('the last announced byte completes the object, even when the request names no total', async () => {
  const bytes = randomBytes(2 * QUANTUM);
  const uri = await announced('whole', bytes.length);
  expect((await putFrom(uri, bytes.subarray(0, QUANTUM), 0, '*')).status).toBe(308);
  expect((await putFrom(uri, bytes.subarray(QUANTUM), QUANTUM, '*')).status).toBe(200);
  expect([(await put(await announced('empty', 0), '')).status, await isWhole('whole', bytes)]).toEqual([200, true]);
});

/** The number of bytes that the server has kept. */
const keptOf = async (uri: string) => {
  const { range } = await put(uri, '', 'bytes */*');
  return Number(/^bytes=0-(\d+)$/.exec(range ?? '')?.[1] ?? -1) + 1;
};

/** Sends the first `sent` bytes of a `PUT`, and waits until the server has at least `held` of them. */
async function begin(uri: string, bytes: Buffer, sent: number, held: number) {
  const headers = { 'content-length': bytes.length, 'content-range': `bytes 0-*/${bytes.length}` };
  const req = request(uri, { method: 'PUT', headers });
  const failed = new Promise((resolve) => req.once('close', resolve));
  req.on('error', () => {});
  req.write(bytes.subarray(0, sent));
  while ((await keptOf(uri)) < held);
  return { req, failed };
}

test('an interrupted upload resumes at its last kept byte, also after a restart', async () => {
  const bytes = randomBytes(8 * QUANTUM + 77);
  const uri = await session('resumed');
  const { req, failed } = await begin(uri, bytes, 6 * QUANTUM, 2 * QUANTUM);
  req.destroy();
  await failed;
  expect(await fixture.exists('resumed')).toBe(false);
  const { port } = fixture.server;
  await fixture.stop();
  Object.assign(fixture, await startStorageFixture({ dataDir: fixture.dataDir, port }));
  const kept = await keptOf(uri);
  expect([kept % QUANTUM, kept >= 2 * QUANTUM]).toEqual([0, true]);
  expect(await putFrom(uri, bytes.subarray(kept), kept, bytes.length)).toMatchObject({ status: 200 });
  expect(await isWhole('resumed', bytes)).toBe(true);
});

test('the SDK resumes a session of another HTTP client', async () => {
  const bytes = randomBytes(4 * QUANTUM + 5);
  const file = fixture.bucket.file('sdk');
  const [uri] = await file.createResumableUpload({ metadata: { contentType: 'image/png' } });
  await putFrom(uri, bytes.subarray(0, 2 * QUANTUM), 0, '*');
  const stream = file.createWriteStream({ uri, offset: 2 * QUANTUM, resumable: true, validation: false });
  await once(stream.end(bytes.subarray(2 * QUANTUM)), 'finish');
  expect([await isWhole('sdk', bytes), (await fixture.metadataOf('sdk')).contentType]).toEqual([true, 'image/png']);
});

test('of two concurrent requests for one session, the later one succeeds', async () => {
  const bytes = randomBytes(4 * QUANTUM);
  const uri = await session('takeover');
  const { failed } = await begin(uri, bytes, QUANTUM, 1);
  expect(await putFrom(uri, bytes, 0, bytes.length)).toMatchObject({ status: 200 });
  await failed;
  expect(await isWhole('takeover', bytes)).toBe(true);
});

test('sessions expire after a week, and the next start deletes their bytes', async () => {
  const uri = await session('old');
  await putFrom(uri, randomBytes(QUANTUM), 0, '*');
  passSeconds(7 * 24 * 3600 + 1);
  expect([(await put(uri, '', 'bytes */*')).status, await left()]).toEqual([404, 1]);
  await fixture.stop();
  Object.assign(fixture, await startStorageFixture({ dataDir: fixture.dataDir }));
  expect(await left()).toBe(0);
});
