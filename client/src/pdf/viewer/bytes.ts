import { PDFDataRangeTransport } from 'pdfjs-dist';

/** A smaller PDF is loaded at once. */
const WHOLE_BYTES = 1024 * 1024;
/** Each request takes the time of a round trip: a page with a picture should take a few of them. */
export const PIECE_BYTES = 256 * 1024;

/** The PDF changed on the server: its entry page is another one, too. */
export class Changed extends Error {}

/** What pdf.js needs to load the PDF: all of it, or pieces of it when they are needed. */
export async function sourceOf(address: string, sizeBytes: number, fail: (error: unknown) => void) {
  if (sizeBytes > WHOLE_BYTES) return { range: new Pieces(address, sizeBytes, fail) };
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The PDF was not loaded (${response.status}).`);
  const data = new Uint8Array(await response.arrayBuffer());
  if (data.length !== sizeBytes) throw new Changed();
  return { data };
}

class Pieces extends PDFDataRangeTransport {
  private readonly stop = new AbortController();

  constructor(
    private readonly address: string,
    private readonly sizeBytes: number,
    private readonly fail: (error: unknown) => void,
  ) {
    super(sizeBytes, null);
  }

  override requestDataRange(begin: number, end: number): void {
    this.load(begin, end).then((bytes) => this.onDataRange(begin, bytes), this.fail);
  }

  override abort(): void {
    this.stop.abort();
  }

  private async load(begin: number, end: number): Promise<Uint8Array> {
    const headers = { Range: `bytes=${begin}-${end - 1}` };
    const response = await fetch(this.address, { headers, signal: this.stop.signal });
    const total = response.headers.get('Content-Range')?.split('/')[1];
    if (response.status === 416 || (total !== undefined && Number(total) !== this.sizeBytes)) throw new Changed();
    if (!response.ok) throw new Error(`The PDF was not loaded (${response.status}).`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.status === 206) return bytes;
    // A server without ranges answers with the whole file, and any server when the browser had a part of another one.
    if (bytes.length !== this.sizeBytes) throw new Changed();
    return bytes.slice(begin, end);
  }
}
