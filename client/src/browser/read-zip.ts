import type { FileEntry, ReadableReader } from '@zip.js/zip.js';
import { Failure } from '../failure';
import type { GivenFile } from './given-file';

/** The bits of a Unix mode that tell the kind of a file, and those of a link. */
const KIND = 0o170000;
const LINK = 0o120000;

/** Reads a part of the archive only when it is needed. */
const readerOf = (archive: Blob) =>
  ({
    size: archive.size,
    readUint8Array: async (offset: number, length: number) =>
      new Uint8Array(await archive.slice(offset, offset + length).arrayBuffer()),
    createReadable: ({ offset = 0, size = archive.size } = {}) => archive.slice(offset, offset + size).stream(),
  }) as unknown as ReadableReader;

/**
 * The files of a zip archive, with the sizes that it declares: a file is inflated when it is opened, and never beyond
 * its declared size. Files may not share bytes of the archive. Throws `damaged-file` for an archive that is not whole.
 */
export async function readZip(archive: File): Promise<GivenFile[]> {
  // Most pages never read an archive.
  const { ZipReader } = await import('@zip.js/zip.js/lib/zip-core-reader.js');
  const zip = new ZipReader(readerOf(archive), {
    ...{ useWebWorkers: false, checkOverlappingEntry: true, filenameValidation: 'strict' },
    // Archives of Windows may have backslashes.
    normalizeFilename: (name: string) => name.replaceAll('\\', '/').replace(/^(\.\/)+/, ''),
  });
  const entries = await zip.getEntries().catch((error: unknown) => {
    const { filename } = error as { filename?: string };
    throw filename === undefined
      ? damaged(archive.name, error)
      : refused('bad-path', filename, 'has no name of a file');
  });
  return entries.flatMap((entry) =>
    entry.directory
      ? []
      : [{ path: entry.filename, sizeBytes: entry.uncompressedSize, open: () => inflate(archive.name, entry) }],
  );
}

async function inflate(archive: string, entry: FileEntry): Promise<Blob> {
  const { filename, uncompressedSize, externalFileAttributes } = entry;
  if (entry.encrypted) throw refused('unreadable-file', filename, 'is encrypted');
  if (((externalFileAttributes >>> 16) & KIND) === LINK) throw refused('bad-link', filename, 'is a link');
  const { readable, writable } = limit(uncompressedSize);
  try {
    const [blob] = await Promise.all([new Response(readable).blob(), entry.getData(writable)]);
    return blob;
  } catch (error) {
    throw damaged(archive, error);
  }
}

/** Passes on at most so many bytes, and fails with the next one. */
function limit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= maxBytes) controller.enqueue(chunk);
      else controller.error(new Error('a file is larger than the archive declares'));
    },
  });
}

const damaged = (archive: string, cause: unknown) =>
  new Failure(
    `${archive} is not a zip archive that can be read (${cause instanceof Error ? cause.message : String(cause)}).`,
    { code: 'damaged-file', nextAction: 'Make the archive again, or choose the folder instead.', cause },
  );

const refused = (code: string, path: string, problem: string) =>
  new Failure(`${path} in the archive ${problem}.`, {
    code,
    nextAction: 'Take the file out of the archive, or choose the folder instead.',
    details: { path },
  });
