import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseEntry } from '../folder/entry';
import { hashFiles, type FolderFile, type HashedFile } from '../folder/hash';
import { readExactly, readFailure, readStart } from '../folder/read-file';
import { defaultTitle, HEAD_BYTES } from '../folder/title';
import { ENTRY_PATH } from '../pdf/paths';
import { temporaryFolder } from '../temporary-folder';
import type { FileSource } from './source';

interface FilesOnDisk {
  /** A deck without a title gets it. */
  name: string;
  find: () => Promise<FolderFile[]>;
  /** Whether the source holds a file that the push ignores. */
  isIgnored: (path: string) => Promise<boolean>;
}

/** A source, its files, and what deletes those of them that are temporary. */
export interface OpenSource extends Pick<FilesOnDisk, 'find'> {
  source: FileSource<HashedFile>;
  close: () => Promise<void>;
}

/** Opens files of this computer. */
export const openFiles = (files: FilesOnDisk, close = () => Promise.resolve()): OpenSource => ({
  source: diskSource(files),
  find: files.find,
  close,
});

/** Opens the deck of an entry page that was made, which is in a temporary folder until `close`. */
export async function openMade(name: string, entry: string, others: readonly Other[]): Promise<OpenSource> {
  const { folder, close } = temporaryFolder('deck-made-');
  try {
    const absolutePath = join(folder, ENTRY_PATH);
    await writeFile(absolutePath, entry);
    const files = await Promise.all([{ path: ENTRY_PATH, absolutePath }, ...others].map(withSize));
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    const find = () => Promise.resolve(files);
    return openFiles({ name, find, isIgnored: () => Promise.resolve(false) }, close);
  } catch (error) {
    await close();
    throw error;
  }
}

type Other = Pick<FolderFile, 'path' | 'absolutePath'>;

async function withSize({ path, absolutePath }: Other): Promise<FolderFile> {
  try {
    return { path, relativePath: path, absolutePath, sizeBytes: (await stat(absolutePath)).size };
  } catch (cause) {
    throw readFailure(absolutePath, cause);
  }
}

/** Files of this computer, streamed from disk. */
const diskSource = ({ name, find, isIgnored }: FilesOnDisk): FileSource<HashedFile> => ({
  async read(choice, reporter) {
    const found = await find();
    const paths = found.map(({ path }) => path);
    const entryPath = chooseEntry(paths, choice);
    reporter.onEntry?.(entryPath);
    return { files: await hashFiles(found, reporter), entryPath };
  },
  async title(entry) {
    const head = entry ? (await readStart(entry.absolutePath, HEAD_BYTES)).toString() : '';
    return defaultTitle(head, name);
  },
  async inspect(deck, asked) {
    // Only a push needs the parsers: they are loaded here.
    const { inspectDeck } = await import('../inspection/inspect-deck.js');
    const text = ({ absolutePath, sizeBytes }: HashedFile) =>
      readStart(absolutePath, sizeBytes).then(String, () => undefined);
    return inspectDeck(deck, { text, isIgnored }, asked);
  },
  async findSecrets(files) {
    // Only a push that uploads something needs the patterns.
    const { findSecrets } = await import('../inspection/find-secrets.js');
    return findSecrets(files, ({ absolutePath, sizeBytes }, most) =>
      readStart(absolutePath, Math.min(sizeBytes, most)),
    );
  },
  open: ({ absolutePath }, from, to) => readExactly(absolutePath, from, to),
});
