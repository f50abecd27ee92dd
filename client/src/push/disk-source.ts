import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { chooseEntry } from '../folder/entry';
import { hashFiles, type FolderFile, type HashedFile } from '../folder/hash';
import { readExactly, readStart } from '../folder/read-file';
import { scanFolder } from '../folder/read-folder';
import { defaultTitle, HEAD_BYTES } from '../folder/title';
import type { FileSource } from './source';

interface FilesOnDisk {
  /** A deck without a title gets it. */
  name: string;
  find: () => Promise<FolderFile[]>;
  /** Whether the source holds a file that the push ignores. */
  isIgnored: (path: string) => Promise<boolean>;
}

/** A source, and what deletes its temporary files. */
export interface OpenSource {
  source: FileSource<HashedFile>;
  close: () => Promise<void>;
}

/** The files of a folder. */
export const folderSource = (folder: string): FileSource<HashedFile> =>
  diskSource({
    name: basename(folder),
    find: () => scanFolder(folder),
    isIgnored: async (path) => (await stat(join(folder, path)).catch(() => undefined))?.isFile() ?? false,
  });

/** Files of this computer, streamed from disk. */
export const diskSource = ({ name, find, isIgnored }: FilesOnDisk): FileSource<HashedFile> => ({
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
