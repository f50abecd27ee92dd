import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { config } from '../config';
import { fail, ServiceError } from '../errors';
import { charsetOf } from '../values/content-types';
import { KB } from '../values/units';
import { BodyClock } from './body-clock';
import type { Definition } from './definition';
import { parseObject } from './json';
import { header, type Request } from './request';

// The functions read bodies from the connection themselves; see http/server. Firebase's emulator reads a body first and
// passes it on as `rawBody`, decompressed.

const DEFAULT_LIMIT = 64 * KB;

/** The largest body of the endpoint in bytes. */
export const bodyLimitOf = ({ limit = DEFAULT_LIMIT }: Definition): number => limit;

const SLICE_BYTES = 64 * KB;

/** Throws payload-too-large when Content-Length exceeds `limit` (bytes) or the platform's limit. */
export function assertDeclaredLength(request: Request, limit: number): void {
  const declared = Number(header(request, 'content-length') ?? 0);
  if (declared > Math.min(limit, config.maxRequestBytes())) failTooLarge(limit, { actual: declared });
}

/**
 * Reads the body as a JSON object. An absent body is an empty object. Throws payload-too-large above `limit` bytes, and
 * invalid-argument for a body that is not a JSON object in UTF-8.
 */
export async function readJsonBody(request: Request, limit: number): Promise<object> {
  assertUtf8(header(request, 'content-type') ?? '');
  const bytes = await readBody(request, limit);
  return bytes.length === 0 ? {} : parseObject(bytes);
}

/** Reads the body into memory. Throws like `bodyOf`. */
export async function readBody(request: Request, limit: number): Promise<Buffer> {
  // A Brotli decoder takes 16 MB before its first byte comes out. Synchronously, an instance has one of them.
  if (!request.rawBody && encodingOf(request) === 'br')
    return unbrotli(await collect(bounded(receivedBy(request), limit)), limit);
  return collect(bodyOf(request, limit));
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const collected: Buffer[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return Buffer.concat(collected);
}

function unbrotli(compressed: Buffer, limit: number): Buffer {
  try {
    return brotliDecompressSync(compressed, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return failTooLarge(limit);
    throw badEncoding(error);
  }
}

/** The rest of the body does not come: the client closed the connection, or sent too slowly (see `BodyClock`). */
export class CutOff extends ServiceError {}

/**
 * The bytes of the body, decompressed, as they arrive. Throws payload-too-large when the received or the decompressed
 * bytes exceed `limit`, `CutOff` for a body that does not arrive whole, and invalid-argument for one that cannot be
 * decompressed. When the consumer stops early, the rest of the body is received and dropped, so that the
 * client can read the answer.
 */
export async function* bodyOf(request: Request, limit: number): AsyncGenerator<Buffer> {
  if (request.rawBody) {
    yield* bounded(slicesOf(request.rawBody), limit);
    return;
  }
  const decompressor = decompressorOf(encodingOf(request));
  const compressed = bounded(receivedBy(request), limit);
  if (!decompressor) {
    yield* compressed;
    return;
  }
  // A failed pipeline destroys the decompressor with its error, so the loop below throws that error.
  pipeline(compressed, decompressor).catch(() => {});
  try {
    yield* bounded(decompressor, limit);
  } catch (error) {
    throw error instanceof ServiceError ? error : badEncoding(error);
  }
}

async function* receivedBy(request: Request): AsyncGenerator<Buffer> {
  const clock = BodyClock.of(request);
  // A destroyed request would close the connection before the answer is sent.
  const chunks = request.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const { done, value } = await inTime(clock, chunks.next());
      if (done) return;
      yield value;
    }
  } catch (error) {
    // What arrived before the end of the connection.
    for (let rest; (rest = request.read() as Buffer | null);) yield rest;
    throw error instanceof ServiceError ? error : cutOff('The request was cut off.', error);
  } finally {
    // Not awaited: after a late body the iterator still waits for bytes.
    const resume = () => request.resume();
    chunks.return?.().then(resume, resume);
  }
}

/** The next bytes. Throws invalid-argument when the client does not send them in time. */
function inTime(clock: BodyClock, next: Promise<IteratorResult<Buffer, undefined>>) {
  return new Promise<IteratorResult<Buffer, undefined>>((resolve, reject) => {
    const received = clock.wait(() => reject(lateBody()));
    next.then(
      (result) => {
        received(result.value?.length ?? 0);
        resolve(result);
      },
      (error: Error) => {
        received(0);
        reject(error);
      },
    );
  });
}

async function* bounded(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  const most = Math.min(limit, config.maxRequestBytes());
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > most) failTooLarge(limit);
    yield chunk;
  }
}

/** Asynchronous, so that a consumer that stops takes effect between two slices. */
async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) yield bytes.subarray(start, start + SLICE_BYTES);
}

const encodingOf = (request: Request) => (header(request, 'content-encoding') ?? 'identity').trim().toLowerCase();

/** Undefined for `identity`. Throws invalid-argument for an encoding that the service does not read. */
function decompressorOf(encoding: string): Transform | undefined {
  switch (encoding) {
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw badBody('The Content-Encoding of a body must be gzip, deflate or br.');
  }
}

/**
 * Throws invalid-argument when the Content-Type names another charset than UTF-8, which some clients call `utf8`. Its
 * media type is not checked.
 */
function assertUtf8(contentType: string): void {
  const charset = charsetOf(contentType);
  if (charset && !/^utf-?8$/i.test(charset)) throw badBody('The charset of a body must be UTF-8.');
}

const lateBody = () =>
  cutOff('The body did not arrive in time.', undefined, 'Send the request again, over a faster connection.');

const badEncoding = (cause: unknown) =>
  badBody('The body does not have the encoding that Content-Encoding names.', cause);

const badBody = (message: string, cause?: unknown) => new ServiceError('invalid-argument', problem(message), { cause });

const cutOff = (message: string, cause?: unknown, nextAction?: string) =>
  new CutOff('invalid-argument', problem(message), { cause, ...(nextAction !== undefined && { nextAction }) });

const problem = (message: string) => ({ errors: [{ location: 'body', message }] });

/** `limit` is that of the endpoint. The error names the limit of the platform when that one is smaller. */
function failTooLarge(limit: number, details?: { actual: number }): never {
  const platformLimit = config.maxRequestBytes();
  if (limit <= platformLimit)
    return fail('payload-too-large', { limit, ...details }, { nextAction: 'Send a smaller body.' });
  return fail(
    'payload-too-large',
    { limit: platformLimit, ...details },
    {
      message: 'The request is larger than the platform allows.',
      nextAction: 'Upload files of this size with createAssetUploads and completeAssetUploads.',
    },
  );
}
