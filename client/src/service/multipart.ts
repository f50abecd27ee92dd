import { randomUUID } from 'node:crypto';
import { readExactly } from '../folder/read-file';

/** A multipart form with files. Its length is known before it is sent, and its files are streamed from disk. */
export interface FilesForm {
  headers: { 'Content-Type': string; 'Content-Length': number };
  /** Opens a new stream of the whole body. */
  open: () => AsyncIterable<Uint8Array>;
}

interface FormFile {
  /** The name of the part. */
  name: string;
  contentType: string;
  absolutePath: string;
  /** The size in bytes that the file had when it was hashed. Exactly so many bytes are sent. */
  size: number;
}

/**
 * Builds the form. Fields, names and types are identifiers, hashes and MIME types, so that nothing in them needs
 * escaping. `onBytes` is called with the number of file bytes that were sent.
 */
export function filesForm(
  fields: Record<string, string>,
  files: readonly FormFile[],
  onBytes: (bytes: number) => void,
): FilesForm {
  const boundary = `deck-${randomUUID()}`;
  const head = Object.entries(fields)
    .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('');
  const partHead = ({ name, contentType }: FormFile) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="file"\r\nContent-Type: ${contentType}\r\n\r\n`;
  const partTail = '\r\n';
  const tail = `--${boundary}--\r\n`;

  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from(head);
    for (const file of files) {
      yield Buffer.from(partHead(file));
      for await (const chunk of readExactly(file.absolutePath, file.size)) {
        onBytes(chunk.length);
        yield chunk;
      }
      yield Buffer.from(partTail);
    }
    yield Buffer.from(tail);
  }

  const sizes = files.map((file) => Buffer.byteLength(partHead(file)) + file.size + partTail.length);
  return {
    headers: {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': sizes.reduce((sum, size) => sum + size, Buffer.byteLength(head) + tail.length),
    },
    open: body,
  };
}
