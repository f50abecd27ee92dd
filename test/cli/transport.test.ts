import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { readExactly } from '../../client/src/folder/read-file';
import { inParallel } from '../../client/src/parallel';
import { inForms, Pace } from '../../client/src/push/upload-forms';
import { backoff, waitAfter } from '../../client/src/service/retries';
import { filesForm } from '../../client/src/service/multipart';
import { NodeTransport } from '../../client/src/service/node-transport';
import { sendResumable } from '../../client/src/service/resumable';
import { DeckService } from '../../client/src/service/service';
import type { Outgoing, Transport } from '../../client/src/service/transport';
import { startStorage, type StorageServer } from '../../local/storage';
import { each } from '../support/each';
import { FaultProxy, type Fate } from './fault-proxy';

const MB = 1024 * 1024;

describe('waiting before a retry', () => {
  test.each<[number, string, number | undefined]>([
    [429, '7', 7_000],
    [503, '7', 7_000],
    [503, 'Thu, 01 Jan 2026 00:00:12 GMT', 12_000],
    // More than a minute.
    [429, '3600', undefined],
    ...[200, 400, 401, 403, 404, 409, 413].map((status): [number, string, undefined] => [status, '7', undefined]),
  ])('after %i honours Retry-After: %s', (status, value, expected) => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(waitAfter(status, { 'retry-after': value }, 1, now)).toBe(expected);
  });

  test('is never shorter than the backoff, so that Retry-After: 0 does not make a busy loop', () => {
    expect(waitAfter(429, { 'retry-after': '0' }, 6)).toBeGreaterThanOrEqual(4_000);
  });

  test('doubles up to 8 seconds, and half of it is random', () => {
    const lowest = [125, 250, 500, 1000, 2000, 4000, 4000, 4000];
    const bounds = lowest.map((_, i) => [backoff(i + 1, () => 0), backoff(i + 1, () => 1)]);
    expect(bounds).toEqual(lowest.map((least) => [least, 2 * least]));
  });
});

describe('a form with files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deck-form-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A form with files that have these contents. `sent` is how much of each was sent. */
  async function aForm(contents: Buffer[], declared?: number) {
    const sent = new Map<string, number>();
    const files = await Promise.all(
      contents.map(async (bytes, index) => {
        const absolutePath = join(folder, `${index}.bin`);
        await writeFile(absolutePath, bytes);
        const [name, size] = [`name-${index}`, declared ?? bytes.length];
        const open = () => readExactly(absolutePath, 0, size);
        const onSent = (count: number) => void sent.set(name, count);
        return { name, contentType: `text/x-${index}`, absolutePath, size, open, onSent };
      }),
    );
    const form = filesForm({ sessionId: 's-1' }, files);
    return { form, sent, absolutePath: files[0]!.absolutePath };
  }

  test.each([[[0]], [[1]], [[70_000, 0, 3]]])(
    'of %j bytes tells its length, and another parser reads it',
    async (sizes) => {
      const contents = sizes.map((size) => Buffer.alloc(size, 'deck\r\n--'));
      const { form, sent } = await aForm(contents);
      const body = await buffer(form.open());
      // It can be sent again.
      expect(await buffer(form.open())).toEqual(body);
      expect(body.length).toBe(form.headers['Content-Length']);
      const parsed = await new Response(body, { headers: { 'Content-Type': form.headers['Content-Type'] } }).formData();
      expect([...parsed.keys()]).toEqual(['sessionId', ...sizes.map((_, index) => `name-${index}`)]);
      for (const [index, bytes] of each(contents.entries())) {
        const file = parsed.get(`name-${index}`) as Blob;
        expect(file.type).toBe(`text/x-${index}`);
        expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
      }
      // No file has begun when the head of the first part is sent.
      form.onSent(body.indexOf('\r\n\r\n', body.indexOf('name-0')) + 4);
      expect([...sent.values()]).toEqual(sizes.map(() => 0));
      form.onSent(body.length);
      expect([...sent.values()]).toEqual(sizes);
    },
  );

  test('whose file grew sends the bytes that were hashed, and one whose file shrank fails as changed', async () => {
    const { form, absolutePath } = await aForm([Buffer.from('0123456789')], 4);
    expect((await buffer(form.open())).toString()).toMatch(/\r\n\r\n0123\r\n--/);
    await truncate(absolutePath, 2);
    await expect(buffer(form.open())).rejects.toMatchObject({ code: 'file-changed' });
    await rm(absolutePath);
    await expect(buffer(form.open())).rejects.toMatchObject({ code: 'file-changed' });
  });
});

describe('files are sent in forms', () => {
  const sizesOf = (sizes: number[], formBytes = 8 * MB) => {
    const files = sizes.map((sizeBytes) => ({ sizeBytes }));
    return [...inForms(files, { formBytes })].map((form) => form.length);
  };

  test('of at most 200 files and the bytes that the line sends in a few seconds, and a larger file in a form for itself', () => {
    expect(sizesOf([])).toEqual([]);
    expect(sizesOf(Array<number>(401).fill(10))).toEqual([200, 200, 1]);
    expect(sizesOf([4 * MB, 4 * MB, 1, 24 * MB, 1, 8 * MB])).toEqual([2, 1, 1, 1, 1]);
    expect(sizesOf(Array<number>(4).fill(MB), 2 * MB)).toEqual([2, 2]);
  });

  test('that grow to 8 MB on a fast line, and shrink to 64 KB on a slow one or one that breaks', () => {
    const pace = new Pace();
    const sizes = (step: () => void) => Array.from({ length: 9 }, () => (step(), pace.formBytes));
    expect(sizes(() => pace.arrived(100))).toEqual([2, 4, 8, 8, 8, 8, 8, 8, 8].map((n) => n * MB));
    expect(sizes(() => pace.arrived(5_000)).at(-1)).toBe(8 * MB);
    expect(sizes(() => pace.arrived(9_000)).at(-1)).toBe(MB / 16);
    pace.arrived(100);
    expect(sizes(() => pace.broke()).at(-1)).toBe(MB / 16);
  });
});

describe('parallel work', () => {
  test('never exceeds its concurrency, and processes every item', async () => {
    const items = [...Array(50).keys()];
    const [active, seen, done] = [new Set<number>(), [] as number[], new Set<number>()];
    await inParallel(items, 4, async (item) => {
      seen.push(active.add(item).size);
      await new Promise(setImmediate);
      active.delete(item);
      done.add(item);
    });
    expect([Math.max(...seen), [...done].sort((a, b) => a - b)]).toEqual([4, items]);
  });

  test('rejects with the first error, starts no further item, and aborts the items under way', async () => {
    const started: number[] = [];
    let told = false;
    const work = inParallel([0, 1, 2, 3], 2, async (item, signal) => {
      started.push(item);
      if (item === 1) throw new Error('no');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      told = true;
    });
    await expect(work).rejects.toThrow('no');
    await new Promise(setImmediate);
    expect({ started, told }).toEqual({ started: [0, 1], told: true });
  });
});

describe('sending a large file to the bucket', () => {
  const bytes = randomBytes(8 * MB);
  const all = `bytes 0-${bytes.length - 1}/${bytes.length}`;
  const question = `bytes */${bytes.length}`;
  let dataDir: string;
  let storage: StorageServer;
  let network: FaultProxy;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'bucket-'));
    storage = await startStorage({ dataDir, buckets: ['bucket'] });
    network = new FaultProxy(new URL(`${storage.url}/upload`));
    await network.open();
  });
  afterAll(async () => {
    await network.close();
    await storage.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Sends the file over a network that injects a fault into the n-th request. Returns what was sent and told. */
  async function send(
    faultOf: (number: number, response: ServerResponse) => Fate = () => 'forward',
    transport = new NodeTransport(),
  ) {
    const sent = { requests: [] as string[], counted: 0, waits: [] as string[], failure: undefined as unknown };
    network.watch = ({ headers }, response) => {
      const range = headers['content-range'];
      return range === undefined ? 'forward' : faultOf(sent.requests.push(range), response);
    };
    const name = `uploadType=resumable&name=${Math.random()}`;
    const opened = await fetch(`${network.baseUrl}/storage/v1/b/bucket/o?${name}`, { method: 'POST' });
    const upload = {
      url: opened.headers.get('location')!,
      headers: {},
      size: bytes.length,
      open: async function* (from: number, to: number) {
        for (let at = from; at < to; at += 65_536)
          yield await Promise.resolve(bytes.subarray(at, Math.min(to, at + 65_536)));
      },
      onSent: (count: number) => (sent.counted = count),
    };
    const onWait = (reason: string) => void sent.waits.push(reason);
    await sendResumable(upload, { transport, onWait }).catch((error: unknown) => (sent.failure = error));
    transport.close();
    return sent;
  }
  const answered = (response: ServerResponse, status: number): Fate => {
    response.writeHead(status).end();
    return 'answered';
  };

  test('resumes after a broken connection: it asks the bucket how many bytes it holds', async () => {
    const { requests, counted, waits } = await send((number, response) => {
      let seen = 0;
      if (number === 1)
        response.req.on('data', (chunk: Buffer) => (seen += chunk.length) > 4 * MB && response.destroy());
      return 'forward';
    });
    expect([counted, waits[0]]).toEqual([bytes.length, expect.stringContaining('The connection failed')]);
    expect(requests).toEqual([all, question, expect.stringMatching(/^bytes \d{7}-/)]);
  });

  test('takes one request without a failure, retries when the bucket answers 503, and finds that a lost answer was a success', async () => {
    expect(await send()).toEqual({ requests: [all], counted: bytes.length, waits: [], failure: undefined });
    const busy = await send((number, response) => (number > 2 ? 'forward' : answered(response, 503)));
    expect(busy).toMatchObject({ requests: [all, question, question, all], counted: bytes.length });
    const lost = await send((number) => (number === 1 ? 'lose the answer' : 'forward'));
    expect(lost).toMatchObject({ requests: [all, question], counted: bytes.length });
  });

  test('fails without a retry when the signed address has expired', async () => {
    const failure = { code: 'upload-lost', status: 410 };
    expect(await send((_, response) => answered(response, 410))).toMatchObject({ requests: [all], failure });
  });

  test('takes pieces of at most maxPieceBytes, and after a lost answer the rest of what the bucket holds', async () => {
    const pieces = [0, 3, 6].map((from) => `bytes ${from * MB}-${Math.min(from + 3, 8) * MB - 1}/${bytes.length}`);
    const inPieces = () => Object.assign(new NodeTransport(), { maxPieceBytes: 3 * MB });
    const whole = await send(undefined, inPieces());
    expect(whole).toMatchObject({ requests: pieces, counted: bytes.length });
    const broken = await send((number) => (number === 2 ? 'lose the answer' : 'forward'), inPieces());
    expect(broken).toMatchObject({ requests: [...pieces.slice(0, 2), question, pieces[2]], counted: bytes.length });
  });
});

describe('the time limits of calls, on a clock that the test moves', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  /** A server that accepts connections and never answers: what the transport of Node does then. */
  class Silent implements Transport {
    requests = 0;

    constructor(private readonly idleMilliseconds: number) {}

    async exchange({ signal, onSent }: Outgoing): Promise<never> {
      const number = ++this.requests;
      onSent?.(number);
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('Aborted')));
        setTimeout(() => reject(Object.assign(new Error('Timed out'), { code: 'ETIMEDOUT' })), this.idleMilliseconds);
      });
    }

    close(): void {}
  }

  function aService(transport: Silent, readRetriesMs?: number) {
    const told: boolean[] = [];
    const service = new DeckService({
      baseUrl: 'https://decks.example.com',
      transport,
      readRetriesMs,
      onSilence: (isSilent) => told.push(isSilent),
    });
    return { service, told };
  }

  /** How a call ends, and after how many milliseconds. */
  async function endOf(call: Promise<unknown>) {
    const startedAt = Date.now();
    let ended: { code: string; after: number } | undefined;
    call.catch(({ code }: { code: string }) => (ended = { code, after: Date.now() - startedAt }));
    for (let second = 0; second < 2000 && !ended; second++) await jest.advanceTimersByTimeAsync(1000);
    return ended;
  }

  test.each([120_000, 7_000])('a call that only reads ends after 30 s in all, with attempts of %i ms', async (idle) => {
    const { service } = aService(new Silent(idle));
    const end = await endOf(service.get('getServiceInfo'));
    expect(end?.code).toBe('unreachable');
    expect(end?.after).toBeLessThanOrEqual(30_000);
  });

  test('a call that only reads and fails at once ends in the time that the caller gives it', async () => {
    const transport = new Silent(10);
    const end = await endOf(aService(transport, 2_500).service.get('getServiceInfo'));
    expect([end?.code, transport.requests > 2]).toEqual(['unreachable', true]);
    expect(end?.after).toBeLessThanOrEqual(3_000);
  });

  test('a call that changes something ends when nothing of it arrived for 2 minutes', async () => {
    const transport = new Silent(120_000);
    const { service } = aService(transport);
    const input = { presentationId: '018f0000-0000-7000-8000-000000000000', title: 'x' };
    expect(await endOf(service.post('renamePresentation', input))).toEqual({ code: 'unreachable', after: 120_000 });
    expect(transport.requests).toBe(1);
  });

  test('the caller is told after 3 s without an answer, and at the end', async () => {
    const { service, told } = aService(new Silent(120_000));
    const ended = service.get('getServiceInfo').catch(() => undefined);
    await jest.advanceTimersByTimeAsync(2_999);
    expect(told).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(told).toEqual([true]);
    await jest.advanceTimersByTimeAsync(27_000);
    await ended;
    expect(told).toEqual([true, false]);
  });

  test('a call that its caller ended rejects with the reason of the caller', async () => {
    const { service } = aService(new Silent(120_000));
    const stop = new AbortController();
    const call = service.get('getServiceInfo', {}, { signal: stop.signal });
    stop.abort(new Error('Enough'));
    await expect(call).rejects.toThrow('Aborted');
  });
});
