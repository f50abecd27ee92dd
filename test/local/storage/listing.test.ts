import { startStorageFixture, type StorageFixture } from './fixture';
import { globOf } from '../../../local/storage/listing';

let fixture: StorageFixture;
const names = ['a.txt', 'b/1.css', 'b/2.js', 'b/c/3.js', 'b/c/d/4.js', 'b0', 'e/', 'e/f', 'é', 'ﬀ', '🂡'];

beforeAll(async () => {
  fixture = await startStorageFixture();
  for (const name of [...names].reverse()) await fixture.bucket.file(name).save(name, { resumable: false });
});
afterAll(() => fixture.end());

async function list(query: object) {
  const [files, , response] = await fixture.bucket.getFiles({ autoPaginate: false, ...query });
  return { names: files.map(({ name }) => name), prefixes: (response as { prefixes?: string[] }).prefixes ?? [] };
}

test('objects are listed in the order of their UTF-8 bytes', async () => {
  // In UTF-16 order, the card (a surrogate pair) would precede the ligature.
  expect((await list({})).names).toEqual(names);
});

test('a prefix and a delimiter list one level', async () => {
  expect(await list({ delimiter: '/' })).toEqual({ names: ['a.txt', 'b0', 'é', 'ﬀ', '🂡'], prefixes: ['b/', 'e/'] });
  expect(await list({ prefix: 'b/', delimiter: '/' })).toEqual({ names: ['b/1.css', 'b/2.js'], prefixes: ['b/c/'] });
  expect(await list({ prefix: 'b/c' })).toEqual({ names: ['b/c/3.js', 'b/c/d/4.js'], prefixes: [] });
  expect(await list({ prefix: 'b/c', delimiter: '/' })).toEqual({ names: [], prefixes: ['b/c/'] });
  expect(await list({ delimiter: '/', includeTrailingDelimiter: true })).toEqual({
    names: ['a.txt', 'b0', 'e/', 'é', 'ﬀ', '🂡'],
    prefixes: ['b/', 'e/'],
  });
});

test.each([1, 2, 3, 100])('pages of %i list every object and prefix exactly once', async (maxResults) => {
  for (const delimiter of [undefined, '/']) {
    const seen: string[] = [];
    let query: object | null = { maxResults, delimiter };
    while (query) {
      const [files, next, response] = (await fixture.bucket.getFiles({ autoPaginate: false, ...query })) as [
        { name: string }[],
        object | null,
        { prefixes?: string[] },
      ];
      expect(files.length + (response.prefixes?.length ?? 0)).toBeLessThanOrEqual(maxResults);
      seen.push(...files.map(({ name }) => name), ...(response.prefixes ?? []));
      query = next;
    }
    const expected = delimiter ? ['a.txt', 'b0', 'é', 'ﬀ', '🂡', 'b/', 'e/'] : names;
    expect(seen.sort()).toEqual([...expected].sort());
  }
});

test('startOffset and endOffset limit the list', async () => {
  expect((await list({ startOffset: 'b/2.js', endOffset: 'b0' })).names).toEqual(['b/2.js', 'b/c/3.js', 'b/c/d/4.js']);
});

test('matchGlob selects by pattern', async () => {
  expect((await list({ matchGlob: '**.js' })).names).toEqual(['b/2.js', 'b/c/3.js', 'b/c/d/4.js']);
  expect((await list({ matchGlob: 'b/*.{js,css}' })).names).toEqual(['b/1.css', 'b/2.js']);
});

test.each([
  ['*', 'a', true],
  ['*', 'a/b', false],
  ['**', 'a/b', true],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['?.js', 'a.js', true],
  ['?.js', '/.js', false],
  ['[ab]c', 'bc', true],
  ['[!ab]c', 'bc', false],
  ['[!ab]c', 'cc', true],
  ['[0-9].txt', '7.txt', true],
  ['{a,b/c}', 'b/c', true],
  ['{a,b}', 'c', false],
  ['a.b', 'axb', false],
  ['a\\*', 'a*', true],
  ['a\\*', 'ab', false],
] as const)('the glob %s on %s: %s', (pattern, name, isMatch) => {
  expect(globOf(pattern)!.test(name)).toBe(isMatch);
});

test('`fields` selects the fields of the answer', async () => {
  const get = async (fields: string, name?: string) =>
    (
      await fetch(
        `${fixture.object(name)}?${new URLSearchParams({ fields, maxResults: '2', prefix: 'b/' }).toString()}`,
      )
    ).json();
  expect(await get('items(name)')).toEqual({ items: [{ name: 'b/1.css' }, { name: 'b/2.js' }] });
  expect(await get('items/name,kind')).toEqual({
    kind: 'storage#objects',
    items: [{ name: 'b/1.css' }, { name: 'b/2.js' }],
  });
  expect(await get('nextPageToken')).toEqual({ nextPageToken: expect.any(String) as string });
  expect(await get('name,size', 'a.txt')).toEqual({ name: 'a.txt', size: '5' });
});

test('deletion by prefix deletes only the objects below the prefix', async () => {
  await fixture.bucket.deleteFiles({ prefix: 'b/' });
  expect((await list({})).names).toEqual(names.filter((name) => !name.startsWith('b/')));
});

describe('the conformance suite of firebase-tools, which also runs against the cloud', () => {
  const names = ['prefix', 'prefix/1.txt', 'prefix/2.txt', 'prefix/dir/file.txt', 'testing/shoveler.svg'];
  let own: StorageFixture;
  beforeAll(async () => {
    own = await startStorageFixture();
    await Promise.all(names.map((name) => own.bucket.file(name).save(name, { resumable: false })));
  });
  afterAll(() => own.end());

  test.each([
    [{}, names, undefined],
    [{ prefix: 'prefix' }, names.slice(0, 4), undefined],
    [{ delimiter: '/' }, ['prefix'], ['prefix/', 'testing/']],
    [{ delimiter: 'dir' }, ['prefix', 'prefix/1.txt', 'prefix/2.txt', 'testing/shoveler.svg'], ['prefix/dir']],
    [{ prefix: 'p', delimiter: 'p' }, names.slice(0, 4), undefined],
    [{ prefix: 't', delimiter: 't' }, [], ['test']],
    [{ prefix: 'p', delimiter: 't' }, ['prefix'], ['prefix/1.t', 'prefix/2.t', 'prefix/dir/file.t']],
    [{ prefix: 'prefix/', delimiter: '/' }, ['prefix/1.txt', 'prefix/2.txt'], ['prefix/dir/']],
    [{ prefix: 'blah/' }, [], undefined],
    [{ prefix: 'pref', delimiter: 'i' }, [], ['prefi']],
    [{ prefix: 'prefi', delimiter: 'i' }, ['prefix', 'prefix/1.txt', 'prefix/2.txt'], ['prefix/di']],
  ])('lists %j', async (query, expected, expectedPrefixes) => {
    const [files, , answer] = await own.bucket.getFiles({ autoPaginate: false, ...query });
    expect(files.map(({ name }) => name)).toEqual(expected);
    expect((answer as { prefixes?: string[] }).prefixes).toEqual(expectedPrefixes);
  });

  test('copies to another bucket, and answers with the metadata of the copy', async () => {
    const other = own.bucket.storage.bucket('other-bucket');
    await other.create();
    const [copy, answer] = await own.bucket.file('prefix').copy(other.file('copied_file'));
    expect(answer).toMatchObject({
      ...{ kind: 'storage#rewriteResponse', totalBytesRewritten: '6', objectSize: '6', done: true },
      resource: { bucket: 'other-bucket', name: 'copied_file' },
    });
    expect((answer as { resource: object }).resource).toEqual((await copy.getMetadata())[0]);
    expect((await copy.download()).toString()).toBe('prefix');
  });

  test('a copy keeps the metadata of its source, unless new metadata is given', async () => {
    const source = own.bucket.file('prefix/1.txt');
    await source.setMetadata({ cacheControl: 'private,no-store', metadata: { hello: 'world' } });
    const [kept] = await source.copy('kept');
    expect((await kept.getMetadata())[0]).toMatchObject({
      cacheControl: 'private,no-store',
      metadata: { hello: 'world' },
    });
    const [replaced] = await source.copy('replaced', { metadata: { foo: 'bar' }, cacheControl: 'private,max-age=10' });
    const [metadata] = await replaced.getMetadata();
    expect(metadata).toMatchObject({ cacheControl: 'private,max-age=10', contentType: 'text/plain' });
    expect(metadata.metadata).toEqual({ foo: 'bar' });
  });

  test('a missing object has the message and the reason of the cloud, and a missing download the message only', async () => {
    const missing = own.bucket.file('blah');
    const message = `No such object: ${own.bucket.name}/blah`;
    for (const call of [missing.delete(), missing.getMetadata()]) {
      await expect(call).rejects.toMatchObject({ code: 404, message, errors: [{ reason: 'notFound' }] });
    }
    const error = await missing.download().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 404, message: expect.stringContaining(message) as string });
    expect((error as { errors?: unknown[] }).errors?.[0]).toBeUndefined();
  });
});
