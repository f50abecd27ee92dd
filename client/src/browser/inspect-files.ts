import { askInfo, askUsage } from '../inspection/ask-service';
import type { Examination, Reading } from '../inspection/inspect-deck';
import type { TypedFile } from '../pushed-file';
import type { DeckService } from '../service/service';
import type { BrowserFile } from './files';

/**
 * The caps of the caller's plan that the files exceed, and what the viewers will miss when `entryPath` opens the deck:
 * before anything is hashed or sent. Never rejects: without an answer of the service it tells less.
 */
export async function inspectFiles(
  service: DeckService,
  files: readonly BrowserFile[],
  entryPath: string,
): Promise<Examination> {
  // A page needs the parsers and the types of files only now.
  const [{ examineDeck }, { TypeFinder }] = await Promise.all([
    import('../inspection/inspect-deck.js'),
    import('../folder/content-type.js'),
  ]);
  const typed = files.map(({ path, blob }) => {
    return { path, blob, sizeBytes: blob.size, contentType: new TypeFinder(path).contentType() };
  });
  const reading: Reading<BrowserFile & TypedFile> = {
    text: ({ blob }) => textOf(blob),
    isIgnored: () => Promise.resolve(false),
  };
  const asked = { info: askInfo(service), usage: () => askUsage(service) };
  return examineDeck({ files: typed, entryPath }, reading, asked);
}

/** Undefined for a file that changed after the page got it. */
export const textOf = (blob: Blob) => blob.text().catch(() => undefined);
