import type { Failure } from '../failure';
import { fileChanged } from '../folder/file-changed';
import { chooseEntry } from '../folder/entry';
import { throwRefused } from '../folder/paths';
import { defaultTitle, HEAD_BYTES } from '../folder/title';
import type { FileSource } from '../push/source';
import { sumFiles } from '../pushed-file';
import { hashFiles, readFailure } from './hash-files';
import type { BrowserFile, HashedBrowserFile } from './files';
import { textOf } from './inspect-files';

export interface BrowserSource {
  /** The name of the folder or archive. A deck without a title gets it. */
  name: string;
  files: readonly BrowserFile[];
  /**
   * The files that a deck cannot hold. The push refuses them as the push of a folder does: a page that may go on
   * without them leaves this out.
   */
  refused?: readonly Failure[];
  /** Starts a worker with the script `deckhost-client/hash-worker`. */
  makeWorker: () => Worker;
}

/** Files that a page was given, streamed from where the browser keeps them. */
export const browserSource = (
  { name, files, refused = [], makeWorker }: BrowserSource,
  signal: AbortSignal | undefined,
): FileSource<HashedBrowserFile> => ({
  async read(entry, reporter) {
    throwRefused(refused);
    const paths = files.map(({ path }) => path);
    const entryPath = chooseEntry(paths, entry);
    reporter.onEntry?.(entryPath);
    reporter.onStart?.('hash', sumFiles(files.map(({ blob }) => ({ sizeBytes: blob.size }))));
    const onBytes = (bytes: number) => reporter.onBytes?.(bytes);
    const hashed = await hashFiles(files, { makeWorker, onBytes, signal });
    reporter.onEnd?.('hash', sumFiles(hashed));
    return { files: hashed, entryPath };
  },
  title: async (entry) => defaultTitle((await entry?.blob.slice(0, HEAD_BYTES).text()) ?? '', name),
  async inspect(deck, asked) {
    const { inspectDeck } = await import('../inspection/inspect-deck.js');
    const text = ({ blob }: HashedBrowserFile) => textOf(blob);
    return inspectDeck(deck, { text, isIgnored: () => Promise.resolve(false) }, asked);
  },
  open: ({ path, blob }, from, to) => readBlob(path, blob, from, to),
});

async function* readBlob(path: string, blob: Blob, from: number, to: number): AsyncGenerator<Uint8Array> {
  if (to > blob.size) throw fileChanged(path);
  const reader = blob.slice(from, to).stream().getReader();
  const next = () =>
    reader.read().catch((error: unknown) => {
      throw readFailure(path, error instanceof Error ? error.name : String(error));
    });
  for (let part = await next(); !part.done; part = await next()) yield part.value;
}
