import { createHash } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { ServiceError } from '../../../functions/src/errors';
import { readForm, readTypedForm } from '../../../functions/src/http/multipart';
import type { Request } from '../../../functions/src/http/request';

const MB = 1024 * 1024;
const LIMITS = { files: 5, fileBytes: 100_000, bodyBytes: 64 * 1024 * 1024 };

/** A request whose body arrives in these chunks, or that the platform has already read into memory. */
function requestOf(contentType: string, chunks: readonly Buffer[], inMemory: boolean): Request {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = contentType;
  if (inMemory) Object.assign(request, { rawBody: Buffer.concat(chunks) });
  else for (const chunk of chunks) request.push(chunk);
  request.push(null);
  request.complete = true;
  return request as Request;
}

const bytesOf = (content: Buffer | Readable) => (Buffer.isBuffer(content) ? content : buffer(content));

type Reader = typeof readForm | typeof readTypedForm;

/** The result of the reader, or the code and message of its error. */
async function read(
  reader: Reader,
  body: string | Buffer,
  { boundary = 'b', size = 65_536, inMemory = false, limits = LIMITS } = {},
) {
  const bytes = Buffer.from(body as string, 'latin1');
  const chunks = [];
  for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.subarray(start, start + size));
  const endings: (() => Promise<void>)[] = [];
  try {
    const request = requestOf(`multipart/form-data; boundary="${boundary}"`, chunks, inMemory);
    const { fields, files } = await reader(request, limits, (close) => endings.push(close));
    const received = files.map(async ({ open, ...file }) => ({ ...file, bytes: await bytesOf(open()) }));
    return { fields, files: await Promise.all(received) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const details = error.details as { errors?: { message: string }[] } | undefined;
    return { code: error.code, message: details?.errors?.[0]?.message };
  } finally {
    await Promise.all(endings.map((close) => close()));
  }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

type Part = { name: string; filename?: string; contentType?: string; bytes: Buffer };

function formOf(boundary: string, parts: readonly Part[], epilogue = '\r\n'): Buffer {
  const text = parts.map(({ name, filename, contentType, bytes }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const type = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`;
    return `--${boundary}\r\n${type}Content-Disposition: form-data; name="${name}"${file}\r\n\r\n${bytes.toString('latin1')}\r\n`;
  });
  return Buffer.from(`${text.join('')}--${boundary}--${epilogue}`, 'latin1');
}

const boundary = fc.constantFrom('b', '--', 'xx', '----WebKitFormBoundaryAbC123', '-'.repeat(30) + '7', 'a'.repeat(70));
/** Texts that resemble parts of a boundary. */
const NEAR = '\r|\n|\r\n|\r\n-|\r\n--|\r\n--b|\r\n----WebKitForm|-|\0\xff|text|\r\n\r\n'.split('|');
const content = fc
  .array(fc.oneof(fc.constantFrom(...NEAR), fc.string({ unit: 'binary-ascii', maxLength: 40 })), { maxLength: 60 })
  .map((pieces) => Buffer.from(pieces.join(''), 'latin1'));
const file = fc.record(
  {
    name: fc.constantFrom('a'.repeat(64), 'file', 'with space'),
    filename: fc.constantFrom('f', 'a b.html', 'x;y', 'back\\slash', 'C:\\dir\\f.png', '\xe6\x97\xa5.html'),
    contentType: fc.constantFrom('text/html', 'text/html; charset=utf-8', 'nonsense', 'a/b; c="d; e"', 'IMAGE/PNG'),
    bytes: content,
  },
  { requiredKeys: ['name', 'filename', 'bytes'] },
);
const field = fc.record({
  name: fc.constantFrom('sessionId', 'presentationId', 'other'),
  bytes: fc.constantFrom('', 'x', '-\r\n-', 'a\r').map((text) => Buffer.from(text)),
});
const fields = fc.uniqueArray(field, { selector: ({ name }) => name });
const form = fc
  .record({ boundary, files: fc.array(file, { maxLength: 5 }), fields, isFilesFirst: fc.boolean() })
  .map(({ boundary, isFilesFirst, files, fields }) => {
    const parts: Part[] = isFilesFirst ? [...files, ...fields] : [...fields, ...files];
    return { boundary, parts };
  })
  .filter(({ boundary, parts }) => parts.every(({ bytes }) => !bytes.includes(`--${boundary}`)));

test('both readers give every field and file of a form, however the body is cut into chunks', async () => {
  const sizes = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constant(65_536));
  const property = fc.asyncProperty(form, sizes, fc.boolean(), async ({ boundary, parts }, size, inMemory) => {
    const body = formOf(boundary, parts);
    const sentFiles = parts.filter(({ filename }) => filename !== undefined);
    const sentFields = parts.filter(({ filename }) => filename === undefined);
    const fields = Object.fromEntries(sentFields.map(({ name, bytes }) => [name, String(bytes)]));
    const files = sentFiles.map(({ bytes }) => ({ bytes, sha256: sha256(bytes), sizeBytes: bytes.length }));
    expect(await read(readForm, body, { boundary, size, inMemory })).toEqual({ fields, files });
    const typed = sentFiles.map(({ name, contentType = 'text/plain' }, i) => ({ ...files[i], name, contentType }));
    expect(await read(readTypedForm, body, { boundary, size, inMemory })).toEqual({ fields, files: typed });
  });
  await fc.assert(property, { numRuns: 150 });
});

describe.each([
  ['readForm', readForm],
  ['readTypedForm', readTypedForm],
] as const)('%s', (_name, reader) => {
  const part = (name: string, text = 'x', filename?: string): Part => {
    return { name, bytes: Buffer.from(text), ...(filename !== undefined && { filename }) };
  };
  const many = (count: number, name?: string) => Array.from({ length: count }, (_, i) => part(`p${i}`, 'x', name));
  const of = async (parts: Part[], inMemory = false) => read(reader, formOf('b', parts), { inMemory });
  const refused = (message: string) => ({ code: 'invalid-argument', message });
  const malformed = refused('The multipart body is malformed or cut off.');

  test('refuses a form that is cut off at any byte', async () => {
    const body = formOf('b', [part('field', 'value'), part('file', 'one\r\ntwo', 'f'), part('last')], '');
    for (let length = 0; length < body.length; length++) {
      const start = body.subarray(0, length);
      const inPieces = await read(reader, start, { size: 7 });
      expect([length, inPieces, await read(reader, start, { inMemory: true })]).toEqual([length, malformed, malformed]);
    }
    expect(await read(reader, body)).toMatchObject({ fields: { field: 'value', last: 'x' } });
  });

  test('takes 16 fields of 4096 bytes and refuses one more field or byte', async () => {
    const long = many(16).map((each) => ({ ...each, bytes: Buffer.alloc(4096, 'x') }));
    expect(Object.keys((await of(long)).fields ?? {})).toHaveLength(16);
    expect(await of([...long, part('more')])).toEqual(refused('The form has more than 16 fields.'));
    expect(await of([part('long', 'x'.repeat(4097))])).toEqual(refused('A field has at most 4096 bytes.'));
  });

  test('takes as many files as the limit and refuses one more', async () => {
    expect((await of(many(5, 'f'))).files).toHaveLength(5);
    expect(await of(many(6, 'f'))).toEqual(refused('The form must hold at most 5 file(s).'));
  });

  test('refuses a duplicate field', async () => {
    expect(await of([part('a'), part('b'), part('a')])).toEqual(refused('The form has the field "a" more than once.'));
  });

  test.each([false, true])('counts the bytes of all files together (body in memory: %s)', async (inMemory) => {
    const half = part('f', 'x'.repeat(50_000), 'f');
    expect((await of([half, half], inMemory)).files).toHaveLength(2);
    expect((await of([half, half, part('g', 'y', 'g')], inMemory)).code).toBe('payload-too-large');
  });

  test('refuses a body above its limit, whose length no header tells', async () => {
    const body = formOf('b', [part('f', 'x'.repeat(900), 'f')]);
    const limited = (bodyBytes: number) => read(reader, body, { size: 100, limits: { ...LIMITS, bodyBytes } });
    expect((await limited(body.length)).files).toHaveLength(1);
    expect((await limited(body.length - 1)).code).toBe('payload-too-large');
  });

  test('takes a part as a file when it has a filename or is application/octet-stream', async () => {
    const octets = { ...part('octets'), contentType: 'application/octet-stream' };
    const outcome = await of([part('named', 'x', 'f'), octets, part('unnamed', 'x', '')]);
    expect([outcome.fields, outcome.files?.length]).toEqual([{ unnamed: 'x' }, 2]);
  });

  const sizes = [10_000, 200_000];
  test.each(sizes)('keeps at most 8 MB of small files in memory, however many arrive: %i bytes', async (size) => {
    const count = Math.ceil((9 * MB) / size);
    const body = formOf('b', [part('f', 'x'.repeat(size), 'f')]);
    const files = Array.from({ length: count }, () => body.subarray(0, body.lastIndexOf('--b--')));
    const chunk = Buffer.concat([...files, Buffer.from('--b--')]);
    const endings: (() => Promise<void>)[] = [];
    const request = requestOf('multipart/form-data; boundary=b', [chunk], true);
    const limits = { files: count, fileBytes: 16 * MB, bodyBytes: 64 * MB };
    const form = await reader(request, limits, (close) => endings.push(close));
    const opened = form.files.map(({ open }) => open());
    const kept = opened.filter((each) => Buffer.isBuffer(each));
    opened.forEach((each) => Buffer.isBuffer(each) || each.destroy());
    expect(form.files).toHaveLength(count);
    expect(kept.length * size).toBeLessThanOrEqual(8 * MB);
    await Promise.all(endings.map((close) => close()));
  });

  test('ignores a preamble and an epilogue', async () => {
    const body = `preamble\r\n${formOf('b', [part('a')], '\r\nepilogue --b').toString()}`;
    expect(await read(reader, body, { size: 3 })).toEqual({ fields: { a: 'x' }, files: [] });
  });

  const types = ['application/json', 'multipart/form-data', 'multipart/mixed; boundary=b'];
  test.each([...types, 'multipart/form-data; boundary=a b'])('refuses the Content-Type %s', async (contentType) => {
    const work = reader(requestOf(contentType, [Buffer.from('--b--')], false), LIMITS, () => {});
    const details = { errors: [{ message: 'The body must be multipart/form-data with a boundary.' }] };
    await expect(work).rejects.toMatchObject({ code: 'invalid-argument', details });
  });

  test('does not parse the rest of a refused body of 24 MB', async () => {
    expect(await read(reader, `${'--b\r\n\r\n\r\n'.repeat(2_700_000)}--b--`, { inMemory: true })).toEqual(malformed);
  });
});

test('a part without a readable Content-Disposition makes the typed form malformed', async () => {
  const headers = ['X: y', 'Content-Disposition; name="a"', 'Content-Disposition: attachment; filename="f"', ': x', ''];
  for (const header of headers) {
    const outcome = await read(readTypedForm, `--b\r\n${header}\r\n\r\nx\r\n--b--`);
    expect([header, outcome.code]).toEqual([header, 'invalid-argument']);
  }
  const cut = '--b\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n--b--\r\n';
  expect((await read(readTypedForm, cut)).code).toBe('invalid-argument');
});
