import { createReadStream } from 'node:fs';
import { fileChanged, fileFailure } from '../file-failure';

/** Bytes `from` to `size` of a file; throws `file-changed` when it has become shorter or is gone. */
export async function* readExactly(path: string, size: number, from = 0): AsyncGenerator<Buffer> {
  if (from === size) return;
  let position = from;
  try {
    for await (const chunk of createReadStream(path, { start: from, end: size - 1, highWaterMark: 256 * 1024 })) {
      position += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  } catch (cause) {
    throw fileFailure(path, cause);
  }
  if (position < size) throw fileChanged(path);
}
