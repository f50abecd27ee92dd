import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { inParallel } from '../../client/src/parallel';
import { inForms } from '../../client/src/push/upload';
import { backoff, waitAfter } from '../../client/src/service/retries';
import { readExactly } from '../../client/src/folder/read-file';
import { filesForm } from '../../client/src/service/multipart';

describe('waiting before a retry', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  test.each([
    ['seconds', '7', 7_000],
    ['a date', 'Thu, 01 Jan 2026 00:00:12 GMT', 12_000],
  ])('honours Retry-After in %s', (_form, value, expected) => {
    expect(waitAfter(429, { 'retry-after': value }, 1, now)).toBe(expected);
    expect(waitAfter(503, { 'retry-after': value }, 1, now)).toBe(expected);
  });

  test('is never shorter than the backoff, so that Retry-After: 0 does not make a busy loop', () => {
    expect(waitAfter(429, { 'retry-after': '0' }, 6, now)).toBeGreaterThanOrEqual(4_000);
  });

  test('is refused when Retry-After asks for more than a minute', () => {
    expect(waitAfter(429, { 'retry-after': '3600' }, 1, now)).toBeUndefined();
  });

  test.each([200, 400, 401, 403, 404, 409, 413])('does not happen after a status of %i', (status) => {
    expect(waitAfter(status, {}, 1)).toBeUndefined();
  });

  test('doubles up to 8 seconds, and half of it is random', () => {
    const bounds = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => [backoff(attempt, () => 0), backoff(attempt, () => 1)]);
    expect(bounds).toEqual([
      [125, 250],
      [250, 500],
      [500, 1000],
      [1000, 2000],
      [2000, 4000],
      [4000, 8000],
      [4000, 8000],
      [4000, 8000],
    ]);
  });
});

describe('a form with files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deck-form-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

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

  test.each([[[0]], [[1]], [[700_000, 0, 3]]])(
    'of %j bytes declares its length, and another parser reads back the same fields and files',
    async (sizes) => {
      const contents = sizes.map((size) => Buffer.alloc(size, 'deck\r\n--'));
      const { form, sent } = await aForm(contents);
      const body = await buffer(form.open());
      expect(body.length).toBe(form.headers['Content-Length']);
      const parsed = await new Response(body, { headers: { 'Content-Type': form.headers['Content-Type'] } }).formData();
      expect([...parsed.keys()]).toEqual(['sessionId', ...sizes.map((_, index) => `name-${index}`)]);
      for (const [index, bytes] of contents.entries()) {
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

  test('can be sent again from its first byte', async () => {
    const { form } = await aForm([Buffer.from('again'), Buffer.from('and again')]);
    expect(await buffer(form.open())).toEqual(await buffer(form.open()));
  });

  test('whose file grew sends the bytes that were hashed, and one whose file shrank fails as changed', async () => {
    const { form, absolutePath } = await aForm([Buffer.from('0123456789')], 4);
    expect((await buffer(form.open())).toString()).toMatch(/\r\n\r\n0123\r\n--/);
    await truncate(absolutePath, 2);
    await expect(buffer(form.open())).rejects.toMatchObject({ code: 'file-changed' });
    await rm(absolutePath);
    await expect(buffer(form.open())).rejects.toMatchObject({ code: 'file-changed' });
  });
});

describe('files to upload', () => {
  const sizesOf = (...sizes: number[]) => inForms(sizes.map((sizeBytes) => ({ sizeBytes }))).map((form) => form.length);
  const MB = 1024 * 1024;

  test('are sent in forms of at most 200 files and 8 MB, and a larger file in a form for itself', () => {
    expect(sizesOf()).toEqual([]);
    expect(sizesOf(...Array<number>(401).fill(10))).toEqual([200, 200, 1]);
    expect(sizesOf(4 * MB, 4 * MB, 1, 24 * MB, 1, 8 * MB)).toEqual([2, 1, 1, 1, 1]);
  });
});

describe('parallel work', () => {
  test('never exceeds its concurrency, and processes every item', async () => {
    let active = 0;
    let most = 0;
    const done: number[] = [];
    await inParallel([...Array(50).keys()], 4, async (item) => {
      most = Math.max(most, ++active);
      await new Promise(setImmediate);
      active--;
      done.push(item);
    });
    expect(most).toBe(4);
    expect(done.sort((a, b) => a - b)).toEqual([...Array(50).keys()]);
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
