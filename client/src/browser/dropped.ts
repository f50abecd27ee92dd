import type { Failure } from '../failure';
import type { BrowserFile } from './files';

/** What a page was given: a folder, a zip archive, a PDF, pictures, or single files. */
export interface Dropped {
  /**
   * The name of the folder, of the archive without `.zip`, or of the only file without its extension; of a PDF with it.
   */
  name: string;
  /** The files of the deck, sorted by path. */
  files: BrowserFile[];
  /** Why a deck cannot hold others: a name that it cannot store, two files with one path, a link in an archive. */
  refused: Failure[];
  /** The PDF that was given, and the titles of its pages, which are empty where there is none. */
  pdf?: { file: File; pageTitles: readonly string[] };
  /** The pictures that were given and nothing else, in the order of their slides. */
  images?: readonly { title: string; picture: Blob }[];
}
