import { MB } from '../values/units';
import { objectPaths } from './bucket';
import { readSpan } from './reading';

const SPAN_BYTES = 1 * MB;
/** The spans that are read before they are needed. They bound the memory, whatever the sizes of the files are. */
const AHEAD = 8;

/** A file of a deck whose bytes are read once, in order. */
interface StreamedFile {
  sha256: string;
  size: number;
}

/** A span that is being read. Undefined when the object does not exist. */
type Read = Promise<Buffer | undefined>;

/**
 * Reads files of a deck one after the other, without the cache of blocks: at most 8 MB are in memory, also when the
 * files are small and each of them is a call. The bytes of a file must be taken before the next file. `bytes` is
 * undefined when the object of a file is missing.
 */
export async function* streamFiles<T extends StreamedFile>(
  presentationId: string,
  files: Iterable<T>,
): AsyncGenerator<{ file: T; bytes: AsyncIterable<Buffer> | undefined }> {
  const spans = spansOf(files);
  const reads: { file: T; isLast: boolean; read: Read }[] = [];
  const fill = () => {
    while (reads.length < AHEAD) {
      const next = spans.next();
      if (next.done) return;
      const { file, start, end, isLast } = next.value;
      const read = readSpan({
        name: objectPaths.blob(presentationId, file.sha256),
        start,
        end,
        isWhole: file.size <= SPAN_BYTES,
      });
      // The reader gets the failure when its turn comes.
      read.catch(() => {});
      reads.push({ file, isLast, read });
    }
  };
  for (fill(); reads.length > 0; fill()) {
    const { file, read, isLast } = reads[0]!;
    const first = await read;
    reads.shift();
    async function* rest(): AsyncGenerator<Buffer> {
      if (first!.length > 0) yield first!;
      for (let isOver = isLast; !isOver;) {
        fill();
        const { read: later, isLast: ends } = reads.shift()!;
        yield (await later)!;
        isOver = ends;
      }
    }
    if (!first) while (reads[0]?.file === file) await reads.shift()!.read;
    yield { file, bytes: first && rest() };
  }
}

function* spansOf<T extends StreamedFile>(files: Iterable<T>) {
  for (const file of files) {
    let start = 0;
    do {
      const end = Math.min(start + SPAN_BYTES, file.size) - 1;
      yield { file, start, end, isLast: end === file.size - 1 };
      start = end + 1;
    } while (start < file.size);
  }
}
