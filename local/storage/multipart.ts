import { invalid, metadataTooLarge, UploadError } from './errors';

/** The limit of the cloud's upload protocol for the metadata of one upload. */
export const METADATA_PART_LIMIT_BYTES = 2 * 1024 * 1024;

/** A `multipart/related` upload: the metadata, and the media as a stream. */
export interface RelatedUpload {
  metadata: string;
  contentType: string;
  /** Throws 400 when the body ends before its closing boundary. */
  media: AsyncIterable<Uint8Array>;
}

/** Parses a body of two parts. Holds at most one chunk of the media in memory. */
export async function parseRelated(body: AsyncIterable<Buffer>, contentType: string): Promise<RelatedUpload> {
  const boundary = /boundary=(?:"([^"]+)"|'([^']+)'|([^\s;]+))/i.exec(contentType)?.slice(1).find(Boolean);
  if (!/^\s*multipart\//i.test(contentType)) throw new UploadError('Bad content type.  Please use multipart.');
  if (!boundary) throw invalid('Missing boundary in multipart upload.');
  const chunks = new Chunks(body);
  const delimiter = Buffer.from(`\r\n--${boundary}`);

  // The first boundary may lack the line break that precedes the others.
  await chunks.readTo(delimiter.subarray(2), METADATA_PART_LIMIT_BYTES);
  await readHeaders(chunks);
  const metadata = await chunks.readTo(delimiter, METADATA_PART_LIMIT_BYTES);
  const headers = await readHeaders(chunks);
  const mediaType = /^content-type:\s*(.+?)\s*$/im.exec(headers)?.[1] ?? 'application/octet-stream';
  return { metadata: metadata.toString('utf8'), contentType: mediaType, media: mediaOf(chunks, delimiter) };
}

/** Reads the lines from a boundary to the empty line that ends a part's headers. */
async function readHeaders(chunks: Chunks): Promise<string> {
  const lines: string[] = [];
  const readLine = async () => (await chunks.readTo(Buffer.from('\r\n'), 8192)).toString('latin1');
  await readLine();
  for (let line; (line = await readLine()) !== '' && lines.length < 100;) lines.push(line);
  return lines.join('\n');
}

/** Yields the bytes before `\r\n--boundary--`, then discards the epilogue. */
async function* mediaOf(chunks: Chunks, delimiter: Buffer): AsyncGenerator<Uint8Array> {
  const end = Buffer.concat([delimiter, Buffer.from('--')]);
  for (;;) {
    const at = chunks.held.indexOf(end);
    if (at !== -1) {
      yield chunks.take(at);
      chunks.take(end.length);
      while (await chunks.more()) chunks.take(chunks.held.length);
      return;
    }
    // The last bytes may be the start of the boundary, so they stay until the next chunk.
    const safe = chunks.held.length - end.length + 1;
    if (safe > 0) yield chunks.take(safe);
    if (!(await chunks.more())) throw invalid('The multipart body ended before its closing boundary.');
  }
}

/** A buffer over the unread start of a stream. */
class Chunks {
  held: Buffer = Buffer.alloc(0);
  readonly #source: AsyncIterator<Buffer>;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async more(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done) return false;
    this.held = this.held.length === 0 ? next.value : Buffer.concat([this.held, next.value]);
    return true;
  }

  take(size: number): Buffer {
    const taken = this.held.subarray(0, size);
    this.held = this.held.subarray(size);
    return taken;
  }

  /** Consumes the bytes up to and including `mark`. Returns those before it. */
  async readTo(mark: Buffer, limitBytes: number): Promise<Buffer> {
    let at: number;
    while ((at = this.held.indexOf(mark)) === -1) {
      if (this.held.length > limitBytes) throw metadataTooLarge();
      if (!(await this.more())) throw invalid('The multipart body ended too early.');
    }
    if (at > limitBytes) throw metadataTooLarge();
    const before = this.take(at);
    this.take(mark.length);
    return before;
  }
}
