import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fail, ServiceError } from '../errors';
import type { Request } from './request';

/** A file of a form, received whole and hashed; it is gone when the request ends. */
export interface ReceivedFile {
  /** The name and the Content-Type of its part, as they were sent. */
  name: string;
  contentType: string;
  sha256: string;
  sizeBytes: number;
  open: () => Readable;
}

export interface ReceivedForm {
  fields: Record<string, string>;
  files: ReceivedFile[];
}

interface FormLimits {
  files: number;
  /** Of all files together. */
  fileBytes: number;
}

type OnEnd = (close: () => Promise<void>) => void;

const MAX_FIELDS = 16;
const MAX_FIELD_BYTES = 4096;

/**
 * Reads a `multipart/form-data` body of files and some short fields, in any order. The platform has the whole body in memory
 * already: then the files are views of it. A body that still streams is spooled to disk, so that one copy exists either way.
 * A malformed or cut body and too many files are invalid-argument; more bytes than the limit are payload-too-large.
 */
export async function readForm(request: Request, limits: FormLimits, onEnd: OnEnd): Promise<ReceivedForm> {
  const { default: busboy } = await import('busboy');
  const form = (() => {
    try {
      return busboy({
        headers: request.headers,
        limits: { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, files: limits.files, fileSize: limits.fileBytes + 1 },
      });
    } catch (cause) {
      throw malformed('The body must be multipart/form-data with a boundary.', cause);
    }
  })();

  const fields = new Map<string, string>();
  const receive = receiver(request, limits.fileBytes, onEnd);
  const contentTypeOf = watchContentTypes(form);
  const files: Promise<ReceivedFile>[] = [];

  try {
    await new Promise<void>((resolve, reject) => {
      const refuse = (message: string) => reject(malformed(message));
      form.on('field', (name, value, info) => {
        if (fields.has(name)) refuse(`The field ${JSON.stringify(name)} stands twice.`);
        if (info.valueTruncated) refuse(`A field has at most ${MAX_FIELD_BYTES} bytes.`);
        fields.set(name, value);
      });
      form.on('file', (name: string | undefined, stream, { mimeType }) => {
        // A form that is cut off fails its file too, perhaps before anybody reads it.
        stream.on('error', () => {});
        const file = receive(stream, { name: name ?? '', contentType: contentTypeOf() ?? mimeType });
        file.catch(reject);
        files.push(file);
      });
      form.on('filesLimit', () => refuse(`The form must hold at most ${limits.files} file(s).`));
      form.on('fieldsLimit', () => refuse(`The form has more than ${MAX_FIELDS} fields.`));
      form.on('error', () => refuse('The multipart body is malformed or cut off.'));
      form.on('close', resolve);
      // A client that goes away in the middle leaves a request that never ends.
      request.on('aborted', () => refuse('The request was cut off.'));
      if (request.rawBody) form.end(request.rawBody);
      else request.pipe(form);
    });
    return { fields: Object.fromEntries(fields), files: await Promise.all(files) };
  } finally {
    // What was not read must still be taken off the connection, or the client never sees the answer.
    request.unpipe(form);
    request.resume();
    // A file that is still being received ends with its form, and has then told what is to be closed.
    form.destroy();
    await Promise.allSettled(files);
  }
}

/**
 * Tells the Content-Type of the part whose header was read last. Busboy answers it without its parameters, and a malformed one as
 * text/plain, so this listens where it hands on the header of each part.
 */
function watchContentTypes(form: Writable): () => string | undefined {
  type HeaderParser = { cb: (header: Record<string, string[] | undefined>) => void };
  let parser: HeaderParser | null = null;
  let latest: string | undefined;
  let isWatched = false;
  Object.defineProperty(form, '_hparser', {
    get: () => parser,
    set(next: HeaderParser | null) {
      parser = next;
      if (!next || isWatched) return;
      isWatched = true;
      const handOn = next.cb;
      next.cb = (header) => {
        latest = header['content-type']?.[0];
        handOn(header);
      };
    },
  });
  return () => latest;
}

function receiver(request: Request, limit: number, onEnd: OnEnd) {
  let totalBytes = 0;
  const spool = spooler(onEnd);
  return async (stream: Readable, part: Pick<ReceivedFile, 'name' | 'contentType'>): Promise<ReceivedFile> => {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    async function* measured() {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        sizeBytes += chunk.length;
        totalBytes += chunk.length;
        if (totalBytes > limit) fail('payload-too-large', { limit, actual: totalBytes });
        hash.update(chunk);
        yield chunk;
      }
    }
    const open = request.rawBody ? await keep(measured()) : await spool(measured());
    return { ...part, sha256: hash.digest('hex'), sizeBytes, open };
  };
}

async function keep(chunks: AsyncIterable<Buffer>): Promise<() => Readable> {
  const views: Buffer[] = [];
  for await (const chunk of chunks) views.push(chunk);
  return () => Readable.from(views, { objectMode: false });
}

/** Keeps the files of one form in one folder, which goes with the request. */
function spooler(onEnd: OnEnd) {
  let folder: Promise<string> | undefined;
  let count = 0;
  return async (chunks: AsyncIterable<Buffer>): Promise<() => Readable> => {
    folder ??= mkdtemp(join(tmpdir(), 'upload-')).then((made) => {
      onEnd(() => rm(made, { recursive: true, force: true }));
      return made;
    });
    const path = join(await folder, String(count++));
    await pipeline(chunks, createWriteStream(path, { mode: 0o600 }));
    return () => createReadStream(path, { highWaterMark: 256 * 1024 });
  };
}

function malformed(message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid-argument', { errors: [{ location: 'body', message }] }, { cause });
}
