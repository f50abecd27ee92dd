import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { readExactly } from '../../client/src/folder/read-file';
import { filesForm } from '../../client/src/service/multipart';
import { each } from '../support/each';

/** Forms with files of a folder that is deleted after each test. */

let folder: string;
/** Makes the folder for the tests of a suite. */
export function withFormFolder(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deck-form-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
}

/** A form with files that have these contents. `sent` is how much of each was sent. */
export async function aForm(contents: Buffer[], declared?: number) {
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

/** Tests a form with files of these sizes. */
export async function expectWholeForm(sizes: number[]): Promise<void> {
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
}
