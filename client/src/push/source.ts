import type { Asked, Deck } from '../inspection/inspect-deck';
import type { Warning } from '../inspection/warning';
import type { Amount, Reporter } from '../reporter';

/** A file of the deck. */
export interface TypedFile {
  /** The path in the deck. */
  path: string;
  sizeBytes: number;
  contentType: string;
}

/** A hashed file of the deck: its row in the manifest. */
export interface PushedFile extends TypedFile {
  sha256: string;
}

/**
 * How the entry is chosen: by the user, or else as in the last push if that file still exists, or else by `findEntry`.
 */
export interface EntryChoice {
  chosen: string | undefined;
  remembered: string | undefined;
}

/** Where the files of a push come from: a folder of this computer, or files that a page was given. */
export interface FileSource<F extends PushedFile> {
  /** Finds and hashes the files. */
  read(entry: EntryChoice, reporter: Reporter): Promise<{ files: F[]; entryPath: string }>;
  /** The title of a new deck. */
  title(entry: F | undefined): Promise<string>;
  /** What the viewers will miss. Never rejects. */
  inspect(deck: Deck<F>, asked: Asked): Promise<Warning[]>;
  /** Bytes `from` to `to`, which is not included. Throws `file-changed` when the file lacks them. */
  open(file: F, from: number, to: number): AsyncIterable<Uint8Array>;
}

/** How many files there are, and their bytes. */
export function sumFiles(files: Iterable<{ sizeBytes: number }>): Amount {
  const sum = { files: 0, bytes: 0 };
  for (const { sizeBytes } of files) {
    sum.files++;
    sum.bytes += sizeBytes;
  }
  return sum;
}
