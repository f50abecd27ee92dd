import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';
import { startStorageFixture, type StorageFixture } from './fixture';

// Buffers that nobody holds any more must not count, or the figures would depend on when the collector happens to run.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const MIB = 1024 * 1024;
const SIZE = 64 * MIB;
const STEP = 4 * MIB;
const ALLOWED = SIZE / 2;
const chunk = Buffer.alloc(MIB, 'deck');

let fixture: StorageFixture;
let baseline: number;
let peak: number;

const sample = () => {
  collect();
  peak = Math.max(peak, process.memoryUsage().arrayBuffers - baseline);
};

beforeEach(async () => {
  fixture ??= await startStorageFixture();
  collect();
  baseline = process.memoryUsage().arrayBuffers;
  peak = 0;
});
afterAll(() => fixture.end());

/** Sends 64 MiB and measures after every fourth. */
async function send(url: string, method: string): Promise<IncomingMessage> {
  const req = request(url, { method, headers: { 'content-type': 'application/octet-stream' } });
  const answered = once(req, 'response') as Promise<[IncomingMessage]>;
  for (let sent = 0; sent < SIZE; sent += chunk.length) {
    if (!req.write(chunk)) await once(req, 'drain');
    if (sent % STEP === 0) sample();
  }
  req.end();
  const [response] = await answered;
  response.resume();
  await once(response, 'end');
  sample();
  return response;
}

test('an upload of 64 MiB is never held in memory', async () => {
  expect((await send(fixture.upload('uploadType=media&name=simple'), 'POST')).statusCode).toBe(200);
  expect(peak).toBeLessThan(ALLOWED);
});

test('nor is a resumable one', async () => {
  const [uri] = await fixture.bucket.file('resumable').createResumableUpload();
  expect((await send(uri, 'PUT')).statusCode).toBe(200);
  expect(peak).toBeLessThan(ALLOWED);
});

test('nor is a download, however slowly it is read', async () => {
  const stalled = request(`${fixture.object('simple')}?alt=media`).end();
  const [waiting] = (await once(stalled, 'response')) as [IncomingMessage];
  fixture.server.resetStats();

  const req = request(`${fixture.object('simple')}?alt=media`).end();
  const [response] = (await once(req, 'response')) as [IncomingMessage];
  let size = 0;
  for await (const bytes of response) {
    const before = Math.floor(size / STEP);
    size += (bytes as Buffer).length;
    if (Math.floor(size / STEP) > before) sample();
  }
  expect(size).toBe(SIZE);
  expect(peak).toBeLessThan(ALLOWED);
  // The reader that never read got what fits into the sockets' buffers, and no more was read from disk for it.
  expect(fixture.server.stats().bytesOut - SIZE).toBeLessThan(SIZE / 2);
  waiting.destroy();
});

test('nor is a copy or a composition', async () => {
  const [copy] = await fixture.bucket.file('simple').copy('copied');
  sample();
  await fixture.bucket.combine(['simple', 'copied'], 'composed');
  sample();
  expect((await copy.getMetadata())[0].size).toBe(String(SIZE));
  expect((await fixture.bucket.file('composed').getMetadata())[0].size).toBe(String(2 * SIZE));
  expect(peak).toBeLessThan(ALLOWED);
});
