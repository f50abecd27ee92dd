import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { HashedFile } from '../folder/hash';
import { readExactly, readStart } from '../folder/read-file';
import { readFolder } from '../folder/read-folder';
import { defaultTitle, HEAD_BYTES } from '../folder/title';
import type { Secret } from '../inspection/secret';
import type { FileSource } from './source';

/** The files of a folder, streamed from disk. */
export const folderSource = (folder: string): FileSource<HashedFile> => ({
  read: (entry, reporter) => readFolder(folder, entry, reporter),
  async title(entry) {
    const head = entry ? (await readStart(entry.absolutePath, HEAD_BYTES)).toString() : '';
    return defaultTitle(head, basename(folder));
  },
  async inspect(deck, asked) {
    // Only a push needs the parsers: they are loaded here.
    const { inspectDeck } = await import('../inspection/inspect-deck.js');
    const reading = {
      text: ({ absolutePath, sizeBytes }: HashedFile) =>
        readStart(absolutePath, sizeBytes).then(String, () => undefined),
      isIgnored: async (path: string) => (await stat(join(folder, path)).catch(() => undefined))?.isFile() ?? false,
    };
    return inspectDeck(deck, reading, asked);
  },
  async findSecrets(files) {
    // Only a push that uploads something needs the patterns.
    const { findSecrets, READ_BYTES } = await import('../inspection/find-secrets.js');
    const found: Secret[] = [];
    for (const { path, absolutePath, sizeBytes } of files)
      found.push(...(await findSecrets(path, await readStart(absolutePath, Math.min(sizeBytes, READ_BYTES)))));
    return found;
  },
  open: ({ absolutePath }, from, to) => readExactly(absolutePath, from, to),
});
