import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { fileChanged, fileFailure } from '../file-failure';

/** A form with one file, framed by hand: its length is known before and the file is never in memory. */
export interface FileForm {
  headers: { 'Content-Type': string; 'Content-Length': number };
  /** A fresh stream of the whole body. */
  open: () => Readable;
}

interface FormFile {
  absolutePath: string;
  /** Bytes that the file had when it was hashed: exactly these are sent. */
  size: number;
  /** Called with the number of bytes of the file that went out. */
  onBytes: (bytes: number) => void;
}

/** Builds the form. `fields` are identifiers, hashes and MIME types, so that nothing in them needs escaping. */
export function fileForm(fields: Record<string, string>, file: FormFile): FileForm {
  const boundary = `deck-${randomBytes(18).toString('hex')}`;
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = Buffer.from(
    `${parts.join('')}--${boundary}\r\n` +
      'Content-Disposition: form-data; name="file"; filename="file"\r\nContent-Type: application/octet-stream\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': head.length + file.size + tail.length,
    },
    open: () => Readable.from(body(head, file, tail), { objectMode: false }),
  };
}

async function* body(head: Buffer, file: FormFile, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  for await (const chunk of readExactly(file.absolutePath, file.size)) {
    file.onBytes(chunk.length);
    yield chunk;
  }
  yield tail;
}

/** The first `size` bytes of a file; throws `file-changed` when it has become shorter or is gone. */
async function* readExactly(path: string, size: number): AsyncGenerator<Buffer> {
  if (size === 0) return;
  let read = 0;
  try {
    for await (const chunk of createReadStream(path, { end: size - 1, highWaterMark: 256 * 1024 })) {
      read += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  } catch (cause) {
    throw fileFailure(path, cause);
  }
  if (read < size) throw fileChanged(path);
}
