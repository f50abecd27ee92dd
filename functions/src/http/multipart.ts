import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fail, ServiceError } from '../policy/errors';
import type { Request } from './request';

/** A file of a form, received whole and hashed; it is gone when the request ends. */
export interface ReceivedFile {
  sha256: string;
  sizeBytes: number;
  open(): Readable;
}

const MAX_FIELDS = 16;
const MAX_FIELD_BYTES = 4096;

/**
 * Reads a `multipart/form-data` body of one file and some short fields, in any order. The platform has the whole body in memory
 * already: then the file is a view of it. A body that still streams is spooled to disk, so that one copy exists either way.
 * A malformed or cut body, two files or none are invalid-argument; a file above `fileLimit` bytes is payload-too-large.
 */
export async function readForm(
  request: Request,
  fileLimit: number,
  onEnd: (close: () => Promise<void>) => void,
): Promise<object> {
  const { default: busboy } = await import('busboy');
  const form = (() => {
    try {
      return busboy({
        headers: request.headers,
        limits: { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, files: 1, fileSize: fileLimit + 1 },
      });
    } catch (cause) {
      throw malformed('The body must be multipart/form-data with a boundary.', cause);
    }
  })();

  const fields = new Map<string, string>();
  const receive = receiver(request, fileLimit, onEnd);
  let file: Promise<ReceivedFile> | undefined;

  try {
    await new Promise<void>((resolve, reject) => {
      const refuse = (message: string) => reject(malformed(message));
      form.on('field', (name, value, info) => {
        if (fields.has(name)) refuse(`The field ${JSON.stringify(name)} stands twice.`);
        if (info.valueTruncated) refuse(`A field has at most ${MAX_FIELD_BYTES} bytes.`);
        fields.set(name, value);
      });
      form.on('file', (_name, stream) => {
        // A form that is cut off fails its file too, perhaps before anybody reads it.
        stream.on('error', () => {});
        file = receive(stream);
        file.catch(reject);
      });
      form.on('filesLimit', () => refuse('The form must hold one file.'));
      form.on('fieldsLimit', () => refuse(`The form has more than ${MAX_FIELDS} fields.`));
      form.on('error', () => refuse('The multipart body is malformed or cut off.'));
      form.on('close', resolve);
      // A client that goes away in the middle leaves a request that never ends.
      request.on('aborted', () => refuse('The request was cut off.'));
      if (request.rawBody) form.end(request.rawBody);
      else request.pipe(form);
    });
    return { ...Object.fromEntries(fields), file: await file };
  } finally {
    // What was not read must still be taken off the connection, or the client never sees the answer.
    request.unpipe(form);
    request.resume();
    // A file that is still being received ends with its form, and has then told what is to be closed.
    form.destroy();
    await file?.catch(() => {});
  }
}

function receiver(request: Request, fileLimit: number, onEnd: (close: () => Promise<void>) => void) {
  return async (stream: Readable): Promise<ReceivedFile> => {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    async function* measured() {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        sizeBytes += chunk.length;
        if (sizeBytes > fileLimit) fail('payload-too-large', { limit: fileLimit, actual: sizeBytes });
        hash.update(chunk);
        yield chunk;
      }
    }
    const open = request.rawBody ? await keep(measured()) : await spool(measured(), onEnd);
    return { sha256: hash.digest('hex'), sizeBytes, open };
  };
}

async function keep(chunks: AsyncIterable<Buffer>): Promise<() => Readable> {
  const views: Buffer[] = [];
  for await (const chunk of chunks) views.push(chunk);
  return () => Readable.from(views, { objectMode: false });
}

async function spool(
  chunks: AsyncIterable<Buffer>,
  onEnd: (close: () => Promise<void>) => void,
): Promise<() => Readable> {
  const folder = await mkdtemp(join(tmpdir(), 'upload-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'file');
  await pipeline(chunks, createWriteStream(path, { mode: 0o600 }));
  return () => createReadStream(path, { highWaterMark: 256 * 1024 });
}

function malformed(message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid-argument', { errors: [{ location: 'body', message }] }, { cause });
}
