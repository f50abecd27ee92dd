/** A multipart form with files. Its length is known before it is sent, and its files are streamed from disk. */
export interface FilesForm {
  headers: { 'Content-Type': string; 'Content-Length': number };
  /** Opens a new stream of the whole body. */
  open: () => AsyncIterable<Uint8Array>;
  /** Tells each file how many of its bytes are among the first `bytes` of the body. */
  onSent: (bytes: number) => void;
}

interface FormFile {
  /** The name of the part. */
  name: string;
  contentType: string;
  /** The size in bytes that the file had when it was hashed. `open` yields exactly so many bytes. */
  size: number;
  open: () => AsyncIterable<Uint8Array>;
  onSent: (bytes: number) => void;
}

/** A name in quotes, as browsers write it into a form. */
const quoted = (name: string) => name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');

/** Builds the form. The names of the fields and the types are identifiers, so that nothing in them needs escaping. */
export function filesForm(fields: Record<string, string>, files: readonly FormFile[]): FilesForm {
  const encoder = new TextEncoder();
  const boundary = `deck-${crypto.randomUUID()}`;
  const head = Object.entries(fields)
    .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('');
  const partHead = ({ name, contentType }: FormFile) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"; filename="file"\r\nContent-Type: ${contentType}\r\n\r\n`;
  const partTail = '\r\n';
  const tail = `--${boundary}--\r\n`;

  async function* body(): AsyncGenerator<Uint8Array> {
    yield encoder.encode(head);
    for (const file of files) {
      yield encoder.encode(partHead(file));
      yield* file.open();
      yield encoder.encode(partTail);
    }
    yield encoder.encode(tail);
  }

  let length = encoder.encode(head).length;
  const placed = files.map((file) => {
    const start = length + encoder.encode(partHead(file)).length;
    length = start + file.size + partTail.length;
    return { file, start };
  });
  return {
    headers: {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': length + tail.length,
    },
    open: body,
    onSent: (bytes) => {
      for (const { file, start } of placed) file.onSent(Math.min(file.size, Math.max(0, bytes - start)));
    },
  };
}
