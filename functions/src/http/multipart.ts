import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fail, ServiceError } from '../errors';
import { formBoundary, mediaType } from '../values/content-types';
import { KB, MB } from '../values/units';
import { bodyOf, CutOff } from './body';
import type { Request } from './request';

/**
 * Reads `multipart/form-data` bodies of files and short fields, in any order.
 *
 * There are two readers, with the same limits, errors and storage. `readForm` uses busboy. `readTypedForm` uses Dicer,
 * the part parser of `@fastify/busboy`, because it needs the Content-Type of each part with its parameters: that is the
 * type of the stored file. busboy reports the type without its parameters, and a malformed type as text/plain. Dicer
 * reports all headers of a part.
 *
 * A file of at most 256 KB stays in memory, as long as such files of the form have at most 8 MB together. Other files
 * are written to disk as they arrive, so that a large form does not fill the memory. In the cloud this disk is part of
 * the instance's memory, and holds the one copy of the files.
 */

/** A file of a form, received whole and hashed. It is deleted when the request ends. */
export interface ReceivedFile {
  sha256: string;
  sizeBytes: number;
  /** The bytes of a small file, or a new stream of a large file. */
  open: () => Buffer | Readable;
}

/** A file with the name and the Content-Type of its part, as the client sent them. */
export interface TypedFile extends ReceivedFile {
  name: string;
  contentType: string;
}

interface ReceivedForm<File> {
  fields: Record<string, string>;
  files: File[];
}

/** A form of which the end may be missing: `files` are those that arrived whole before it was cut off. */
interface FormSoFar<File> extends ReceivedForm<File> {
  cutOff: CutOff | undefined;
}

interface FormLimits {
  files: number;
  /** The limit of all files together. */
  fileBytes: number;
  /** The limit of the whole body. */
  bodyBytes: number;
  /** The limit of one field of a typed form. 4 KB when absent. */
  fieldBytes?: number;
}

type OnEnd = (close: () => Promise<void>) => void;

const MAX_FIELDS = 16;
const MAX_FIELD_BYTES = 4096;
const MAX_PART_HEADER_BYTES = 16 * 1024;
/** The largest file that stays in memory, and the largest sum of such files of one form, in bytes. */
const SMALL_FILE_BYTES = 256 * KB;
const SMALL_FILES_BYTES = 8 * MB;
/** How much of a large file is written to disk, and read from it, at once: a step in another thread costs time. */
const SPOOLED_BYTES = 512 * KB;

const tooManyFiles = (limits: FormLimits) => `The form must hold at most ${limits.files} file(s).`;
const TOO_MANY_FIELDS = `The form has more than ${MAX_FIELDS} fields.`;
const longField = (limit = MAX_FIELD_BYTES) => `A field has at most ${limit} bytes.`;
const MALFORMED = 'The multipart body is malformed or cut off.';

/**
 * Reads a form whose parts need no type. A malformed or cut-off body, a duplicate field and too many files are
 * invalid-argument; more bytes than the limit are payload-too-large.
 */
export async function readForm(
  request: Request,
  limits: FormLimits,
  onEnd: OnEnd,
): Promise<ReceivedForm<ReceivedFile>> {
  const { default: busboy } = await import('busboy');
  const { cutOff, ...form } = await receiveForm<object>(request, limits, onEnd, ({ field, file, refuse, done }) => {
    const form = ofForm(() =>
      busboy({
        headers: request.headers,
        limits: {
          fields: MAX_FIELDS,
          fieldSize: MAX_FIELD_BYTES + 1,
          files: limits.files,
          fileSize: limits.fileBytes + 1,
        },
      }),
    );
    form.on('field', (name, value, { valueTruncated }) => {
      field(name, value);
      if (valueTruncated) refuse(longField());
    });
    form.on('file', (_name, bytes) => file(bytes, {}));
    form.on('filesLimit', () => refuse(tooManyFiles(limits)));
    form.on('fieldsLimit', () => refuse(TOO_MANY_FIELDS));
    form.on('error', () => refuse(MALFORMED));
    form.on('close', done);
    return form;
  });
  if (cutOff) throw cutOff;
  return form;
}

/**
 * Reads a form like `readForm`, and gives the name and the whole Content-Type of each file's part. Of a body that is
 * cut off, it gives the files that arrived whole, so that they need not be sent again. Throws `CutOff` when there are
 * none.
 */
export async function readTypedForm(request: Request, limits: FormLimits, onEnd: OnEnd): Promise<FormSoFar<TypedFile>> {
  const [{ Dicer }, disposition] = await Promise.all([import('@fastify/busboy'), import('content-disposition')]);
  const received = await receiveForm<Pick<TypedFile, 'name' | 'contentType'>>(request, limits, onEnd, (report) => {
    const { field, file, refuse, done } = report;
    const form = ofForm(() => {
      const boundary = formBoundary(request.headers['content-type'] ?? '');
      // Dicer ignores the rest of a larger header. Its types do not declare this option.
      const options = { boundary, maxHeaderSize: MAX_PART_HEADER_BYTES };
      return new Dicer(options);
    });
    const fields: Promise<void>[] = [];
    let files = 0;
    let isInHeader = false;

    const onHeader = (part: Readable, headers: Record<string, string[] | undefined>) => {
      const { type, parameters } = disposition.parse(headers['content-disposition']?.[0] ?? '', { multipart: true });
      const { filename } = parameters;
      // Dicer reads headers byte by byte. Names are in UTF-8.
      const name = Buffer.from(parameters['name'] ?? '', 'latin1').toString('utf8');
      const contentType = headers['content-type']?.[0]?.trimStart() ?? 'text/plain';
      // Dicer drops a malformed header line and the lines after it without an error.
      if (type !== 'form-data') refuse(MALFORMED);
      else if (filename || mediaType(contentType) === 'application/octet-stream') {
        if (++files > limits.files) refuse(tooManyFiles(limits));
        else file(part, { name, contentType });
      } else if (fields.length === MAX_FIELDS) refuse(TOO_MANY_FIELDS);
      else fields.push(shortText(part, limits.fieldBytes).then((value) => field(name, value), report.fail));
    };
    form.on('part', (part) => {
      // The form reports the same error.
      part.on('error', () => {});
      // The boundary came before the end of the previous part's header.
      if (isInHeader) refuse(MALFORMED);
      isInHeader = true;
      part.on('header', (headers) => {
        isInHeader = false;
        onHeader(part, headers as Record<string, string[] | undefined>);
      });
    });
    form.on('error', () => refuse(MALFORMED));
    form.on('finish', () => (isInHeader ? refuse(MALFORMED) : void Promise.all(fields).then(done)));
    return form;
  });
  if (received.cutOff && received.files.length === 0) throw received.cutOff;
  return received;
}

async function shortText(part: Readable, limit = MAX_FIELD_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of part as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) throw malformed(longField(limit));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What a parser reports about the body that is written to it. */
interface Report<Part> {
  field: (name: string, value: string) => void;
  file: (bytes: Readable, part: Part) => void;
  /** Ends the form with an error; after the first error the others have no effect. */
  fail: (error: unknown) => void;
  /** Ends the form with invalid-argument. */
  refuse: (message: string) => void;
  done: () => void;
}

/** Feeds the body to the parser that `open` makes, and receives the reported fields and files. */
async function receiveForm<Part extends object>(
  request: Request,
  limits: FormLimits,
  onEnd: OnEnd,
  open: (report: Report<Part>) => Writable,
): Promise<FormSoFar<ReceivedFile & Part>> {
  const fields = new Map<string, string>();
  const receive = receiver(limits.fileBytes, onEnd);
  const streams: Readable[] = [];
  const files: Promise<ReceivedFile & Part>[] = [];
  const stop = new AbortController();
  let parser: Writable | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const refuse = (message: string) => reject(malformed(message));
      parser = open({
        field(name, value) {
          if (fields.has(name)) refuse(`The form has the field ${JSON.stringify(name)} more than once.`);
          fields.set(name, value);
        },
        file(bytes, part) {
          // The error of a cut-off body is also emitted by its last file, perhaps before the file is read.
          bytes.on('error', () => {});
          const file = receive(bytes, part);
          file.catch(reject);
          streams.push(bytes);
          files.push(file);
        },
        fail: reject,
        refuse,
        done: resolve,
      });
      feed(bodyOf(request, limits.bodyBytes), parser, stop.signal).catch(reject);
    });
    return { fields: Object.fromEntries(fields), files: await Promise.all(files), cutOff: undefined };
  } catch (error) {
    if (!(error instanceof CutOff)) throw error;
    // The parser ends the last file, of which the end is missing, with an error.
    parser?.end();
    const whole = (await Promise.allSettled(files)).filter((file) => file.status === 'fulfilled');
    return { fields: Object.fromEntries(fields), files: whole.map(({ value }) => value), cutOff: error };
  } finally {
    stop.abort();
    // Files that are still being received end now. Each has then registered with `onEnd` what must be deleted.
    parser?.destroy();
    for (const stream of streams) stream.destroy();
    await Promise.allSettled(files);
  }
}

/**
 * Writes the body to the parser as fast as the parser takes it. Every byte that arrived has been written when it
 * throws.
 */
async function feed(body: AsyncIterable<Buffer>, parser: Writable, signal: AbortSignal): Promise<void> {
  for await (const chunk of body) {
    if (signal.aborted) return;
    if (!parser.write(chunk)) await once(parser, 'drain', { signal });
  }
  parser.end();
}

function receiver(limit: number, onEnd: OnEnd) {
  let totalBytes = 0;
  const keep = keeper(onEnd);
  return async <Part extends object>(stream: Readable, part: Part): Promise<ReceivedFile & Part> => {
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
    const open = await keep(measured());
    return { ...part, sha256: hash.digest('hex'), sizeBytes, open };
  };
}

/** Keeps the files of one form: small files in memory, and the others in a folder. */
function keeper(onEnd: OnEnd) {
  const spool = spooler(onEnd);
  let keptBytes = 0;
  return async (chunks: AsyncGenerator<Buffer>): Promise<ReceivedFile['open']> => {
    const first: Buffer[] = [];
    let length = 0;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      first.push(next.value);
      length += next.value.length;
      keptBytes += next.value.length;
      if (length > SMALL_FILE_BYTES || keptBytes > SMALL_FILES_BYTES) {
        keptBytes -= length;
        return spool(joined(first, chunks));
      }
    }
    // A copy: a received chunk is a part of a larger buffer, which would stay in memory with it.
    const bytes = Buffer.concat(first, length);
    return () => bytes;
  };
}

async function* joined(first: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  yield* rest;
}

/** Writes the files of one form to one folder, which is deleted when the request ends. */
function spooler(onEnd: OnEnd) {
  let folder: Promise<string> | undefined;
  let count = 0;
  return async (chunks: AsyncIterable<Buffer>): Promise<() => Readable> => {
    folder ??= mkdtemp(join(tmpdir(), 'upload-')).then((made) => {
      onEnd(() => rm(made, { recursive: true, force: true }));
      return made;
    });
    const path = join(await folder, String(count++));
    await pipeline(chunks, createWriteStream(path, { mode: 0o600, highWaterMark: SPOOLED_BYTES }));
    return () => createReadStream(path, { highWaterMark: SPOOLED_BYTES });
  };
}

/** Makes a parser; a Content-Type without a boundary is invalid-argument. */
function ofForm<Parser>(make: () => Parser): Parser {
  try {
    return make();
  } catch (cause) {
    throw malformed('The body must be multipart/form-data with a boundary.', cause);
  }
}

function malformed(message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid-argument', { errors: [{ location: 'body', message }] }, { cause });
}
