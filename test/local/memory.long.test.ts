import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { startHost } from '../../local/host';
import { collect } from '../support/garbage';
import { plain } from './host/functions';
import { storageFixture } from './storage/fixture';

const MIB = 1024 * 1024;
const SIZE = 64 * MIB;
const STEP = 8 * MIB;
const ALLOWED = SIZE / 2;
const chunk = Buffer.alloc(MIB, 'deck');
const fixture = storageFixture();
let baseline: number;
let peak: number;

const sample = () => {
  collect();
  peak = Math.max(peak, process.memoryUsage().arrayBuffers - baseline);
};

beforeEach(() => {
  collect();
  baseline = process.memoryUsage().arrayBuffers;
  peak = 0;
});

/** Sends 64 MiB and measures the memory after every 8 MiB. */
async function send(url: string, method: string, type = 'application/octet-stream'): Promise<IncomingMessage> {
  const req = request(url, { method, headers: { 'content-type': type } });
  const answered = once(req, 'response') as Promise<[IncomingMessage]>;
  for (let sent = 0; sent < SIZE; sent += chunk.length) {
    if (!req.write(chunk)) await once(req, 'drain');
    if (sent % STEP === 0) sample();
  }
  req.end();
  const [response] = await answered;
  await once(response.resume(), 'end');
  sample();
  return response;
}

test.each([
  ['in one request', 'POST', () => fixture.upload('uploadType=media&name=simple')],
  ['resumable', 'PUT', async () => (await fixture.bucket.file('resumable').createResumableUpload())[0]],
])('an upload is not buffered in memory (%s)', async (_how, method, address) => {
  expect((await send(await address(), method)).statusCode).toBe(200);
  expect(peak).toBeLessThan(ALLOWED);
});

test('a download is not buffered in memory, even for a reader that does not read', async () => {
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
  // For the reader that does not read, the server reads from disk only what fits into the socket buffers.
  expect(fixture.server.stats().bytesOut - SIZE).toBeLessThan(SIZE / 2);
  waiting.destroy();
});

test('a copy is not buffered in memory', async () => {
  const [copy] = await fixture.bucket.file('simple').copy('copied');
  sample();
  expect((await copy.getMetadata())[0].size).toBe(String(SIZE));
  expect(peak).toBeLessThan(ALLOWED);
});

test('the host of the functions does not buffer a form in memory', async () => {
  const count = plain(async (req, res) => {
    let bytes = 0;
    for await (const part of req as AsyncIterable<Buffer>) bytes += part.length;
    res.writeHead(bytes === SIZE ? 200 : 400).end();
  });
  const host = await startHost({ project: 'demo-host', functions: { count } });
  const { statusCode } = await send(`${host.baseUrl}/count`, 'POST', 'multipart/form-data; boundary=b');
  expect(statusCode).toBe(200);
  expect(peak).toBeLessThan(ALLOWED);
  await host.close();
});
