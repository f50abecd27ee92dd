import type { Failure } from '../failure';

/** A file that a page was given, before it is known whether it belongs to the deck. */
export interface GivenFile {
  path: string;
  sizeBytes: number;
  open: () => Promise<Blob>;
  /** Why a deck cannot hold the file, when that is known already. */
  refused?: Failure | undefined;
}

/** Keeps the bytes of a file of an archive. */
export type Keep = (bytes: ReadableStream<Uint8Array<ArrayBuffer>>) => Promise<Blob>;
