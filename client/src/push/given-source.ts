import { createWriteStream, openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { readDropped } from '../browser/read-dropped';
import type { FolderFile } from '../folder/hash';
import { throwRefused } from '../folder/paths';
import { pdfFolder } from '../pdf/pdf-folder';
import { temporaryFolder } from '../temporary-folder';
import { openFiles, type OpenSource } from './disk-source';

/**
 * An HTML file or a zip archive, read as a page reads what was dropped onto it. An archive is unpacked into a temporary
 * folder until `close`.
 */
export async function openGiven(path: string): Promise<OpenSource> {
  const { folder, close } = temporaryFolder('deck-given-');
  const unpacked = new Map<Blob, string>();
  const keep = async (bytes: globalThis.ReadableStream<Uint8Array>) => {
    // A name of its own: the paths of an archive may not fit the file system.
    const absolutePath = join(folder, String(unpacked.size));
    const readable = Readable.fromWeb(bytes as ReadableStream<Uint8Array>);
    await pipeline(readable, createWriteStream(absolutePath, { flags: 'wx', mode: 0o600 }));
    const blob = await openAsBlob(absolutePath);
    unpacked.set(blob, absolutePath);
    return blob;
  };
  const images = async (file: string) => new Uint8Array(await readFile(join(pdfFolder, file)));
  try {
    const given = new File([await openAsBlob(path)], basename(path));
    const { name, files, refused } = await readDropped([given], { keep, images });
    const found = files.map((file): FolderFile => {
      const absolutePath = unpacked.get(file.blob) ?? path;
      return { path: file.path, relativePath: file.path, absolutePath, sizeBytes: file.blob.size };
    });
    const find = async () => {
      throwRefused(refused);
      return Promise.resolve(found);
    };
    return openFiles({ name, find, isIgnored: () => Promise.resolve(false) }, close);
  } catch (error) {
    await close();
    throw error;
  }
}
