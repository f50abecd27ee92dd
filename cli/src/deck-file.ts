import { join } from 'node:path';
import { Failure } from './failure';
import { isSlug } from './slugs';
import { readJson, writeAtomically } from './storage';

/**
 * What a folder remembers of its deck, in a `.deck.json` that may be committed with the sources: it holds no secret. The
 * version is the one that the folder's content is based on, so that two people's pushes cannot overwrite each other unseen.
 */
export interface DeckFile {
  presentationId: string;
  baseUrl: string;
  version: number;
  entryPath: string;
  title?: string;
  /** The slug of the deck's listing in the marketplace, if it was published from here. */
  listing?: string;
}

export async function readDeckFile(folder: string): Promise<DeckFile | undefined> {
  const path = deckFilePath(folder);
  const file = await readJson<DeckFile>(path);
  if (!file) return undefined;
  const { presentationId, baseUrl, version, entryPath, title, listing } = file;
  const isWhole = [presentationId, baseUrl, entryPath].every((field) => typeof field === 'string');
  const isFine = ['string', 'undefined'].includes(typeof title) && (listing === undefined || isSlug(String(listing)));
  if (!isWhole || !isFine || !Number.isInteger(version) || version < 1)
    throw new Failure(`${path} is damaged: it does not name a deck.`, {
      code: 'damaged-file',
      nextAction: 'Restore or delete it; without it, the next push makes a new deck.',
    });
  return file;
}

export async function writeDeckFile(folder: string, file: DeckFile): Promise<void> {
  await writeAtomically(deckFilePath(folder), file, 0o644);
}

function deckFilePath(folder: string): string {
  return join(folder, '.deck.json');
}
