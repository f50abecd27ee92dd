import type { HashedFile } from '../folder/hash';
import type { Contract } from '../service/contract';

export type DeckFileRow = Contract['getPresentationVersion']['answer']['files'][number];

/** A change of one file of the folder: it is written, replaced or deleted. */
export interface FileChange {
  /** The path below the folder, as it is on disk. */
  relativePath: string;
  /** The file in the folder that is replaced or deleted. */
  old: HashedFile | undefined;
  /** The file of the wanted version. Undefined when the file is deleted. */
  wanted: DeckFileRow | undefined;
}
