import { createHash } from 'node:crypto';
import { TypeFinder } from '../folder/content-type';
import { chooseEntry } from '../folder/entry';
import { deckPath, findCollisions, throwRefused } from '../folder/paths';
import { defaultTitle } from '../folder/title';
import { sumFiles, type PushedFile } from '../pushed-file';
import type { FileSource } from './source';

/** A file that a program has made, with its path in the deck. */
export interface FileContents {
  path: string;
  bytes: Uint8Array;
}

type HashedContents = FileContents & PushedFile;

/** Files whose bytes are in memory. Nothing of them is ignored: the program has chosen each. */
export const memorySource = (contents: readonly FileContents[]): FileSource<HashedContents> => ({
  async read(choice, reporter) {
    const named = contents.map(({ path, bytes }) => ({ path: deckPath(path, '/'), relativePath: path, bytes }));
    throwRefused(findCollisions(named));
    const entryPath = chooseEntry(
      named.map(({ path }) => path),
      choice,
    );
    reporter.onEntry?.(entryPath);
    const files = named.map(({ path, bytes }) => hashed({ path, bytes }));
    reporter.onEnd?.('hash', sumFiles(files));
    return { files, entryPath };
  },
  title: (entry) => Promise.resolve(defaultTitle(entry ? textOf(entry) : '', '')),
  async inspect(deck, asked) {
    const { inspectDeck } = await import('../inspection/inspect-deck.js');
    const text = (file: HashedContents) => Promise.resolve(textOf(file));
    return inspectDeck(deck, { text, isIgnored: () => Promise.resolve(false) }, asked);
  },
  async findSecrets(files) {
    const { findSecrets } = await import('../inspection/find-secrets.js');
    return findSecrets(files, ({ bytes }, most) => bytes.subarray(0, most));
  },
  async *open({ bytes }, from, to) {
    yield bytes.subarray(from, to);
  },
});

function hashed({ path, bytes }: FileContents): HashedContents {
  const type = new TypeFinder(path);
  type.update(bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path, bytes, sizeBytes: bytes.length, sha256, contentType: type.contentType() };
}

const textOf = ({ bytes }: FileContents) => new TextDecoder().decode(bytes);
