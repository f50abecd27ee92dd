import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { startStorageFixture, bucketAt, type StorageFixture } from './fixture';

const KIB = 1024;
const QUANTUM = 256 * KIB;
let fixture: StorageFixture;
beforeEach(async () => (fixture = await startStorageFixture()));
afterEach(() => fixture.end());

async function session(
  name: string,
  query = '',
  headers: Record<string, string> = {},
  metadata: object = {},
): Promise<string> {
  const response = await fetch(fixture.upload(`uploadType=resumable&name=${name}${query}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(metadata),
  });
  expect(response.status).toBe(200);
  return response.headers.get('location')!;
}

/** Sends a `PUT` to a session. Returns the status and `Range`, or the object. */
async function put(uri: string, body: Buffer | '', contentRange?: string, headers: Record<string, string> = {}) {
  const response = await fetch(uri, {
    method: 'PUT',
    body,
    headers: { ...headers, ...(contentRange && { 'content-range': contentRange }) },
  });
  const text = await response.text();
  return {
    status: response.status,
    range: response.headers.get('range'),
    body: text ? (JSON.parse(text) as Record<string, unknown>) : undefined,
  };
}

const blobs = () => readdir(join(fixture.dataDir, 'storage', 'blobs'));
const download = async (name: string) => (await fixture.bucket.file(name).download())[0];

test('an object is made from chunks and does not exist before the last one', async () => {
  const bytes = randomBytes(2 * QUANTUM + 1000);
  const uri = await session(
    'chunks',
    '',
    { 'x-upload-content-type': 'text/x-deck', 'x-upload-content-length': String(bytes.length) },
    { metadata: { a: 1 } },
  );
  expect(await put(uri, '', 'bytes */*')).toMatchObject({ status: 308, range: null });
  expect(await put(uri, bytes.subarray(0, QUANTUM), `bytes 0-${QUANTUM - 1}/${bytes.length}`)).toMatchObject({
    status: 308,
    range: `bytes=0-${QUANTUM - 1}`,
  });
  expect((await fixture.bucket.file('chunks').exists())[0]).toBe(false);
  expect(await put(uri, bytes.subarray(QUANTUM, 2 * QUANTUM), `bytes ${QUANTUM}-${2 * QUANTUM - 1}/*`)).toMatchObject({
    status: 308,
    range: `bytes=0-${2 * QUANTUM - 1}`,
  });
  expect(await put(uri, '', `bytes */${bytes.length}`)).toMatchObject({
    status: 308,
    range: `bytes=0-${2 * QUANTUM - 1}`,
  });
  const last = await put(uri, bytes.subarray(2 * QUANTUM), `bytes ${2 * QUANTUM}-${bytes.length - 1}/${bytes.length}`);
  expect(last).toMatchObject({
    status: 200,
    body: { name: 'chunks', size: String(bytes.length), contentType: 'text/x-deck', metadata: { a: '1' } },
  });
  expect((await download('chunks')).equals(bytes)).toBe(true);
  // A complete session answers again with its object.
  expect(await put(uri, '', 'bytes */*')).toEqual(last);
});

test('the server keeps multiples of 256 KiB, and the answer names the kept bytes', async () => {
  const bytes = randomBytes(2 * QUANTUM);
  const uri = await session('quanta');
  expect(await put(uri, bytes.subarray(0, QUANTUM + 5), `bytes 0-${QUANTUM + 4}/*`)).toMatchObject({
    status: 308,
    range: `bytes=0-${QUANTUM - 1}`,
  });
  expect(await put(uri, bytes.subarray(QUANTUM), `bytes ${QUANTUM}-${2 * QUANTUM - 1}/${2 * QUANTUM}`)).toMatchObject({
    status: 200,
  });
  expect((await download('quanta')).equals(bytes)).toBe(true);
});

test('repeated bytes are ignored; a gap, and a small chunk that is not the last, are refused', async () => {
  const bytes = randomBytes(2 * QUANTUM);
  const uri = await session('overlap');
  await put(uri, bytes.subarray(0, QUANTUM), `bytes 0-${QUANTUM - 1}/*`);
  expect((await put(uri, bytes.subarray(0, 10), `bytes ${QUANTUM + 1}-${QUANTUM + 10}/*`)).status).toBe(503);
  expect((await put(uri, bytes.subarray(0, 10), `bytes ${QUANTUM}-${QUANTUM + 9}/*`)).status).toBe(400);
  expect((await put(uri, bytes.subarray(0, 10), 'bytes x-y/z')).status).toBe(400);
  expect((await put(uri, bytes.subarray(0, 10), `bytes ${QUANTUM}-${2 * QUANTUM - 1}/${2 * QUANTUM}`)).status).toBe(
    400,
  );
  expect(await put(uri, bytes, `bytes 0-${2 * QUANTUM - 1}/${2 * QUANTUM}`)).toMatchObject({ status: 200 });
  expect((await download('overlap')).equals(bytes)).toBe(true);
});

test('any HTTP client can upload to the URL of createResumableUpload', async () => {
  const [uri] = await fixture.bucket
    .file('signed/up.png')
    .createResumableUpload({ origin: 'https://decks.example', metadata: { contentType: 'image/png' } });
  const bytes = randomBytes(100_000);
  expect((await put(uri, bytes)).body).toMatchObject({
    name: 'signed/up.png',
    contentType: 'image/png',
    size: '100000',
  });
  expect((await download('signed/up.png')).equals(bytes)).toBe(true);
});

test('a page may use a session that was started for its origin, and no other', async () => {
  const uri = await session('cors', '', { origin: 'https://decks.example' });
  const ask = (address: string, origin: string) =>
    fetch(address, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-range',
      },
    });
  expect((await ask(uri, 'https://other.example')).status).toBe(403);
  expect((await ask(await session('of-a-program'), 'https://decks.example')).status).toBe(403);
  const preflight = await ask(uri, 'https://decks.example');
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://decks.example');
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('content-range');
  const answer = await fetch(uri, { method: 'PUT', body: 'x', headers: { origin: 'https://decks.example' } });
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://decks.example');
  expect(answer.headers.get('access-control-expose-headers')).toContain('Range');
});

test('cancelling a session deletes the session and its bytes', async () => {
  const uri = await session('cancelled');
  await put(uri, randomBytes(QUANTUM), `bytes 0-${QUANTUM - 1}/*`);
  expect(await blobs()).toHaveLength(1);
  expect((await fetch(uri, { method: 'DELETE' })).status).toBe(499);
  expect((await put(uri, '', 'bytes */*')).status).toBe(404);
  expect(await blobs()).toEqual([]);
});

test('a wrong hash on the last request is answered with 400, and no object or bytes are left', async () => {
  const uri = await session('wrong');
  const answer = await put(uri, Buffer.from('123456789'), 'bytes 0-8/9', { 'x-goog-hash': 'crc32c=AAAAAA==' });
  expect(answer).toMatchObject({
    status: 400,
    body: { error: { message: `Provided CRC32C "AAAAAA==" doesn't match calculated CRC32C "4waSgw==".` } },
  });
  expect((await fixture.bucket.file('wrong').exists())[0]).toBe(false);
  expect(await blobs()).toEqual([]);
});

test('the precondition is checked at the end too, not only at the start', async () => {
  const uri = await session('late', '&ifGenerationMatch=0');
  await fixture.bucket.file('late').save('first', { resumable: false });
  expect((await put(uri, Buffer.from('second'))).status).toBe(412);
  expect((await download('late')).toString()).toBe('first');
  expect(await blobs()).toHaveLength(1);
});

test('fewer or more bytes than announced make no object, and no byte beyond the announced size is kept', async () => {
  const announced = (name: string, bytes: number) => session(name, '', { 'x-upload-content-length': String(bytes) });
  const short = await announced('short', 10);
  expect((await put(short, Buffer.from('12345'))).status).toBe(400);
  expect((await put(await announced('one piece', 10), Buffer.alloc(11))).status).toBe(400);
  expect((await put(await announced('nothing', 0), Buffer.alloc(1))).status).toBe(400);

  const pieces = await announced('pieces', QUANTUM + 1);
  expect((await put(pieces, Buffer.alloc(QUANTUM), `bytes 0-${QUANTUM - 1}/*`)).status).toBe(308);
  // A different total is refused before the server reads a byte. The session stays usable.
  const next = `bytes ${QUANTUM}-${3 * QUANTUM - 1}`;
  expect((await put(pieces, Buffer.alloc(2 * QUANTUM), `${next}/${3 * QUANTUM}`)).status).toBe(400);
  expect((await put(pieces, '', 'bytes */*')).range).toBe(`bytes=0-${QUANTUM - 1}`);
  // Without a total, the server counts the bytes.
  expect((await put(pieces, Buffer.alloc(2 * QUANTUM), `${next}/*`)).status).toBe(400);
  expect(await blobs()).toEqual([]);
  const long = await session('long');
  expect((await put(long, Buffer.from('12345'), 'bytes 0-*/3')).status).toBe(400);
  expect((await fixture.bucket.getFiles())[0]).toEqual([]);
});

test('the last announced byte completes the object, even when the request names no total', async () => {
  const bytes = randomBytes(2 * QUANTUM);
  const uri = await session('whole', '', { 'x-upload-content-length': String(bytes.length) });
  expect((await put(uri, bytes.subarray(0, QUANTUM), `bytes 0-${QUANTUM - 1}/*`)).status).toBe(308);
  expect(await put(uri, bytes.subarray(QUANTUM), `bytes ${QUANTUM}-${2 * QUANTUM - 1}/*`)).toMatchObject({
    status: 200,
  });
  const empty = await session('empty', '', { 'x-upload-content-length': '0' });
  expect((await put(empty, '')).status).toBe(200);
  expect((await download('whole')).equals(bytes)).toBe(true);
});

/** Sends the first `sent` bytes of a `PUT`, waits until the server has at least `held` of them, and disconnects. */
async function cutOff(uri: string, bytes: Buffer, sent: number, held: number): Promise<void> {
  const req = request(uri, {
    method: 'PUT',
    headers: { 'content-length': bytes.length, 'content-range': `bytes 0-*/${bytes.length}` },
  });
  req.on('error', () => {});
  req.write(bytes.subarray(0, sent));
  let range: string | null = null;
  while (Number(/-(\d+)$/.exec(range ?? '')?.[1] ?? -1) + 1 < held) ({ range } = await put(uri, '', 'bytes */*'));
  const closed = new Promise((resolve) => req.once('close', resolve));
  req.destroy();
  await closed;
}

test('an interrupted upload resumes at its last kept byte, also after a restart', async () => {
  const bytes = randomBytes(8 * QUANTUM + 77);
  const uri = await session('resumed');
  await cutOff(uri, bytes, 6 * QUANTUM, 2 * QUANTUM);
  expect((await fixture.bucket.file('resumed').exists())[0]).toBe(false);

  const { port } = fixture.server;
  await fixture.stop();
  const { dataDir } = fixture;
  fixture = await startStorageFixture({ dataDir, port });
  const { range } = await put(uri, '', 'bytes */*');
  const kept = Number(/^bytes=0-(\d+)$/.exec(range!)![1]) + 1;
  expect(kept % QUANTUM).toBe(0);
  expect(kept).toBeGreaterThanOrEqual(2 * QUANTUM);
  const rest = await put(uri, bytes.subarray(kept), `bytes ${kept}-${bytes.length - 1}/${bytes.length}`);
  expect(rest).toMatchObject({ status: 200 });
  expect((await download('resumed')).equals(bytes)).toBe(true);
});

test('the SDK resumes its session', async () => {
  const bytes = randomBytes(4 * QUANTUM + 5);
  const [uri] = await fixture.bucket.file('sdk').createResumableUpload();
  await put(uri, bytes.subarray(0, 2 * QUANTUM), `bytes 0-${2 * QUANTUM - 1}/*`);
  const stream = fixture.bucket
    .file('sdk')
    .createWriteStream({ uri, offset: 2 * QUANTUM, resumable: true, validation: false });
  stream.end(bytes.subarray(2 * QUANTUM));
  await once(stream, 'finish');
  expect((await download('sdk')).equals(bytes)).toBe(true);
});

test('of two concurrent requests for one session, the later one succeeds', async () => {
  const bytes = randomBytes(4 * QUANTUM);
  const uri = await session('takeover');
  const stuck = request(uri, { method: 'PUT', headers: { 'content-length': bytes.length } });
  const broken = once(stuck, 'error');
  stuck.write(bytes.subarray(0, QUANTUM));
  let range: string | null = null;
  while (range === null) ({ range } = await put(uri, '', 'bytes */*'));
  expect(await put(uri, bytes, `bytes 0-${bytes.length - 1}/${bytes.length}`)).toMatchObject({ status: 200 });
  await broken;
  expect((await download('takeover')).equals(bytes)).toBe(true);
});

test('sessions expire after a week, and the next start deletes their bytes', async () => {
  const uri = await session('old');
  await put(uri, randomBytes(QUANTUM), `bytes 0-${QUANTUM - 1}/*`);
  const week = 7 * 24 * 3600 * 1000;
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + week + 1);
  try {
    expect((await put(uri, '', 'bytes */*')).status).toBe(404);
    const { dataDir } = fixture;
    await fixture.stop();
    fixture = await startStorageFixture({ dataDir });
    expect(await blobs()).toEqual([]);
  } finally {
    now.mockRestore();
  }
});

test("a second client's SDK reads what the first one wrote", async () => {
  await fixture.bucket.file('shared').save('x', { resumable: false });
  const other = bucketAt(fixture.server.url);
  expect((await other.bucket.file('shared').download())[0].toString()).toBe('x');
  await other.release();
});
