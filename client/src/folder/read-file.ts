import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Failure, systemCode } from '../failure';
import { fileChanged } from './file-changed';

/** Bytes `from` to `to`, not included. Throws `file-changed` when the file is shorter than `to` or does not exist. */
export async function* readExactly(path: string, from: number, to: number): AsyncGenerator<Buffer> {
  if (from === to) return;
  let position = from;
  try {
    for await (const chunk of createReadStream(path, { start: from, end: to - 1, highWaterMark: 256 * 1024 })) {
      position += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  } catch (cause) {
    throw readFailure(path, cause);
  }
  if (position < to) throw fileChanged(path);
}

/** The first `bytes` of a file, or all of a shorter one. */
export async function readStart(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The failure for a system error: a file that does not exist any more has changed, every other one cannot be read. */
export function readFailure(path: string, cause: unknown): Failure {
  const code = systemCode(cause);
  if (code === 'ENOENT') return fileChanged(path);
  return new Failure(`${path} cannot be read (${code ?? String(cause)}).`, {
    code: 'unreadable-file',
    nextAction: 'Make it readable, or name it in .deckignore.',
    details: { path },
    cause,
  });
}
