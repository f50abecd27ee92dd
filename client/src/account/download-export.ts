import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { FileEntry, ReadableReader } from '@zip.js/zip.js';
import { isWhole, targetOf } from '../download/download-files';
import { Failure, systemCode, usageFailure } from '../failure';
import { readJson, writeJson } from '../json-file';
import { onDisk } from '../on-disk';
import type { Reporter } from '../reporter';
import type { Contract } from '../service/contract';
import type { DeckService } from '../service/service';

type Export = Contract['getAccountExport']['answer'];
type Part = Export['parts'][number];

/** An export that is ready, and the folder that gets its files. */
export interface ExportRequest {
  exportId: string;
  /** A new or an empty folder, or one that an interrupted download of this export left. */
  folder: string;
}

const STATE = '.deck-export.json';
interface State {
  exportId: string;
  /** The numbers of the parts whose files are in the folder. */
  done: number[];
}

const writeState = (folder: string, state: State) => writeJson(join(folder, STATE), state, 0o644);

const PIECE_BYTES = 4 * 1024 * 1024;
/** An address of a part is valid for ten minutes. */
const ADDRESS_MS = 5 * 60_000;

/**
 * Downloads the parts of an export one after the other, verifies the checksum of each, and extracts its files. After an
 * interruption the same call goes on at the next byte. At most one part is on the disk beside its files. Returns the
 * real path of the folder. Throws as `requireExportFolder`, and `hash-mismatch` for a part that differs from its
 * checksum.
 */
export async function downloadExport(
  service: DeckService,
  { exportId, folder: name }: ExportRequest,
  reporter: Reporter = {},
): Promise<string> {
  const isEmpty = (await requireExportFolder(name)).length === 0;
  await onDisk(name, () => mkdir(name, { recursive: true }));
  const folder = await realpath(name);
  const state = await claim(folder, { exportId, isEmpty });
  let asked = await ask(service, exportId);
  const sizeBytes = asked.parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  const amount = { files: asked.parts.length, bytes: sizeBytes };
  reporter.onStart?.('download', amount);
  for (const { part: number, sizeBytes: size, sha256, fileName } of asked.parts) {
    if (state.done.includes(number)) {
      reporter.onBytes?.(size);
      continue;
    }
    const file = join(folder, `.${fileName}`);
    const partNow = async (): Promise<Part> => {
      if (Date.now() - asked.at > ADDRESS_MS) asked = await ask(service, exportId);
      return asked.parts[number - 1]!;
    };
    await fetchPart(service, file, partNow, reporter);
    if (!(await isWhole(file, { size, sha256 }))) {
      await rm(file, { force: true });
      throw new Failure(`${fileName} differs from the part that the service made.`, {
        code: 'hash-mismatch',
        nextAction: 'Download again. Only this part is downloaded again.',
      });
    }
    await extract(file, folder);
    await writeState(folder, { exportId, done: [...state.done, number] });
    state.done.push(number);
    await rm(file, { force: true });
  }
  reporter.onEnd?.('download', amount);
  return folder;
}

/** The export with addresses that are new, and when it was asked. */
async function ask(service: DeckService, exportId: string): Promise<Export & { at: number }> {
  const at = Date.now();
  return { ...(await service.get('getAccountExport', { exportId })), at };
}

/**
 * The names in the folder, which may not exist yet. Throws `usage` when the path leads to something else than a folder,
 * and `folder-not-empty` when it leads to one that is not empty and that no download of an export has begun to fill.
 */
export async function requireExportFolder(name: string): Promise<string[]> {
  const found = readdir(name).catch((cause: unknown): string[] => {
    if (systemCode(cause) === 'ENOENT') return [];
    throw systemCode(cause) === 'ENOTDIR' ? usageFailure(`${name} is not a folder.`, 'Name a new folder.') : cause;
  });
  const names = await onDisk(name, () => found);
  if (names.length > 0 && !names.includes(STATE)) throw notEmpty(name);
  return names;
}

const notEmpty = (folder: string) =>
  new Failure(`${folder} is not empty.`, {
    code: 'folder-not-empty',
    nextAction: 'Name a new folder, or the folder of the download of this export that was interrupted.',
  });

async function claim(folder: string, { exportId, isEmpty }: { exportId: string; isEmpty: boolean }): Promise<State> {
  const state = isEmpty ? undefined : await readJson<State>(join(folder, STATE)).catch(() => undefined);
  if (state?.exportId === exportId) return state;
  if (!isEmpty) throw notEmpty(folder);
  const created = { exportId, done: [] };
  await writeState(folder, created);
  return created;
}

/** Downloads or resumes a part. */
async function fetchPart(service: DeckService, file: string, partNow: () => Promise<Part>, reporter: Reporter) {
  const output = await onDisk(file, () => open(file, 'a+'));
  try {
    let { size: position } = await output.stat();
    reporter.onBytes?.(position);
    for (;;) {
      const { url, sizeBytes } = await partNow();
      if (position >= sizeBytes) return;
      const to = Math.min(sizeBytes, position + PIECE_BYTES) - 1;
      const piece = await service.getSignedBytes(url, { from: position, to });
      await onDisk(file, () => output.appendFile(piece));
      position += piece.length;
      reporter.onBytes?.(piece.length);
    }
  } finally {
    await output.close();
  }
}

/** Extracts the files of a part. A name that leads out of the folder is refused. */
async function extract(file: string, folder: string): Promise<void> {
  // Few commands read an archive.
  const { ZipReader } = await import('@zip.js/zip.js/lib/zip-core-reader.js');
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const reader = {
      size,
      async readUint8Array(offset: number, length: number) {
        const bytes = new Uint8Array(length);
        const { bytesRead } = await handle.read(bytes, 0, length, offset);
        return bytes.subarray(0, bytesRead);
      },
      createReadable: ({ offset = 0, size: length = size } = {}) =>
        length === 0
          ? new Blob().stream()
          : Readable.toWeb(createReadStream(file, { start: offset, end: offset + length - 1 })),
    } as unknown as ReadableReader;
    const zip = new ZipReader(reader, { useWebWorkers: false, checkSignature: true });
    for (const entry of await zip.getEntries()) {
      const { filename } = entry;
      if (!isRelative(filename))
        throw new Failure(`A part of the export has the name ${JSON.stringify(filename)}.`, { code: 'bad-path' });
      await onDisk(filename, async () => {
        const target = await targetOf(folder, filename);
        await (entry as FileEntry).getData(Writable.toWeb(createWriteStream(target)));
      });
    }
  } finally {
    await handle.close();
  }
}

const isRelative = (name: string) =>
  !/^[A-Za-z]:|\\/.test(name) && !name.split('/').some((part) => part === '' || part === '.' || part === '..');
