import type { FileEntry, ReadableReader } from '@zip.js/zip.js';
import { Failure } from '../failure';
import { escapeName } from '../folder/paths';
import type { GivenFile, Keep } from './given-file';

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
 * its declared size. Links, encrypted files and names that lead out of the archive are refused. Files may not share
 * bytes of the archive. Throws `damaged-file` for an archive that is not whole.
 */
export async function readZip(archive: File, keep: Keep): Promise<GivenFile[]> {
  // Most pages never read an archive.
  const { ZipReader } = await import('@zip.js/zip.js/lib/zip-core-reader.js');
  const zip = new ZipReader(readerOf(archive), {
    useWebWorkers: false,
    checkOverlappingEntry: true,
    filenameValidation: 'tolerant',
    // Archives of Windows may have backslashes.
    normalizeFilename: (name: string) => name.replaceAll('\\', '/').replace(/^(\.\/)+/, ''),
  });
  const entries = await zip.getEntries().catch((error: unknown) => {
    throw damaged(archive.name, error);
  });
  return entries.flatMap((entry) => {
    if (entry.directory) return [];
    const { filename: path, uncompressedSize: sizeBytes } = entry;
    return [{ path, sizeBytes, open: () => inflate(archive.name, entry, keep), refused: refusalOf(entry) }];
  });
}

function refusalOf({ filename, encrypted, externalFileAttributes }: FileEntry): Failure | undefined {
  if (!isRelative(filename)) return refused('bad-path', filename, 'does not have a file name');
  if (encrypted) return refused('unreadable-file', filename, 'is encrypted');
  const isLink = ((externalFileAttributes >>> 16) & KIND) === LINK;
  return isLink ? refused('bad-link', filename, 'is a link') : undefined;
}

/** Whether the name is a path below the top of the archive. */
const isRelative = (name: string) =>
  !/^[A-Za-z]:/.test(name) && !name.split('/').some((part) => part === '' || part === '.' || part === '..');

async function inflate(archive: string, entry: FileEntry, keep: Keep): Promise<Blob> {
  const { readable, writable } = limit(entry.uncompressedSize);
  try {
    const [blob] = await Promise.all([keep(readable), entry.getData(writable)]);
    return blob;
  } catch (error) {
    throw damaged(archive, error);
  }
}

/** Passes on at most so many bytes, and fails with the next one. */
function limit(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
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
  new Failure(`${escapeName(path)} in the archive ${problem}.`, {
    code,
    nextAction: 'Take the file out of the archive, or choose the folder instead.',
    details: { path },
  });
