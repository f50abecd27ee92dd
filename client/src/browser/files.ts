import type { PushedFile } from '../pushed-file';

/** A file that a page was given, with its path in the deck. */
export interface BrowserFile {
  path: string;
  blob: Blob;
}

export interface HashedBrowserFile extends BrowserFile, PushedFile {}
