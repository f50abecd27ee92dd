import type { EntryChoice } from '../folder/entry';
import type { Asked, Deck } from '../inspection/inspect-deck';
import type { Secret } from '../inspection/secret';
import type { Warning } from '../inspection/warning';
import type { PushedFile } from '../pushed-file';
import type { Reporter } from '../reporter';

/** Where the files of a push come from: a folder of this computer, or files that a page was given. */
export interface FileSource<F extends PushedFile> {
  /** Finds and hashes the files. */
  read(entry: EntryChoice, reporter: Reporter): Promise<{ files: F[]; entryPath: string }>;
  /** The title of a new deck. */
  title(entry: F | undefined): Promise<string>;
  /** What the viewers will miss. Never rejects. */
  inspect(deck: Deck<F>, asked: Asked): Promise<Warning[]>;
  /** What in the files looks like a secret. Absent where the files were chosen one by one. */
  findSecrets?(files: readonly F[]): Promise<Secret[]>;
  /** Bytes `from` to `to`, which is not included. Throws `file-changed` when the file lacks them. */
  open(file: F, from: number, to: number): AsyncIterable<Uint8Array>;
}
