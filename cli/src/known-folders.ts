import { join } from 'node:path';
import { changeSecretJson, readJson } from '../../client/src/json-file';
import { configFolder } from './config-folder';
import { deckKey, type DeckPlace } from './deck-id';
import { rememberOrWarn } from './remember';
import type { Terminal } from './terminal';

/**
 * The folders of this computer from which the user pushed a deck, or into which the user downloaded it. Everybody can
 * write a `.deck.json` that names a deck of the user, because a share link holds its id. So a command that changes the
 * deck of another folder asks first.
 */
type FolderFile = Record<string, string[]>;

export interface DeckFolder extends DeckPlace {
  folder: string;
  /** The slug in `.deck.json`, for a command that changes the listing. */
  listing?: string | undefined;
}

const foldersPath = () => join(configFolder(), 'folders.json');

export async function isKnownFolder({ folder, ...deck }: DeckFolder): Promise<boolean> {
  return (await readJson<FolderFile>(foldersPath()))?.[deckKey(deck)]?.includes(folder) ?? false;
}

/** From now on, the folder needs no question. */
export async function rememberFolder({ folder, ...deck }: DeckFolder, terminal: Terminal): Promise<void> {
  const key = deckKey(deck);
  const work = changeSecretJson<FolderFile>(foldersPath(), (folders = {}) => {
    const known = folders[key] ?? [];
    return known.includes(folder) ? folders : { ...folders, [key]: [...known, folder] };
  });
  await rememberOrWarn(work, terminal);
}
