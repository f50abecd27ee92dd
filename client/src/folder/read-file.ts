import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { Failure, isFailure, systemCode } from '../failure';
import { fileChanged } from './file-changed';

/**
 * Opens a file of a scanned folder by its real path. Throws `file-changed` when the path leads elsewhere: a program may
 * have put a symbolic link in the place of the file or of a parent folder.
 */
export async function openFound(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((cause: unknown) => {
    throw systemCode(cause) === 'ELOOP' ? fileChanged(path) : cause;
  });
  try {
    if ((await realpath(path)) === path && (await file.stat()).isFile()) return file;
    throw fileChanged(path);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Bytes `from` to `to`, not included. Throws `file-changed` when the file is shorter than `to` or does not exist. */
export async function* readExactly(path: string, from: number, to: number): AsyncGenerator<Buffer> {
  if (from === to) return;
  let position = from;
  try {
    const file = await openFound(path);
    for await (const chunk of file.createReadStream({ start: from, end: to - 1, highWaterMark: 256 * 1024 })) {
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
  const file = await openFound(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The failure for a system error: a file that does not exist any more has changed, every other one cannot be read. */
export function readFailure(path: string, cause: unknown): Failure {
  if (isFailure(cause)) return cause;
  const code = systemCode(cause);
  if (code === 'ENOENT') return fileChanged(path);
  return new Failure(`${path} cannot be read (${code ?? String(cause)}).`, {
    code: 'unreadable-file',
    nextAction: 'Make it readable, or name it in .deckignore.',
    details: { path },
    cause,
  });
}
