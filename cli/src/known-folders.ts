import { join } from 'node:path';
import { readJson, writeSecretJson } from '../../client/src/json-file';
import { configFolder } from './config-folder';
import { linkKey, readLinks } from './links';

/**
 * The folders of this computer from which the user pushed a deck, or into which the user downloaded it. Everybody can
 * write a `.deck.json` that names a deck of the user, because a share link holds its id. So a command that changes the
 * deck of another folder asks first.
 */
type FolderFile = Record<string, string[]>;

/** Stands for every folder: earlier versions of the client remembered the link of a deck, and not its folder. */
const ANY_FOLDER = '*';

export interface DeckFolder {
  folder: string;
  baseUrl: string;
  presentationId: string;
  /** The slug in `.deck.json`, for a command that changes the listing. */
  listing?: string | undefined;
}

export async function isKnownFolder({ folder, baseUrl, presentationId }: DeckFolder): Promise<boolean> {
  const known = (await readFolders())[linkKey(baseUrl, presentationId)] ?? [];
  return known.includes(folder) || known.includes(ANY_FOLDER);
}

/** From now on, the folder needs no question. A record that a parallel command overwrites is asked for again. */
export async function rememberFolder({ folder, baseUrl, presentationId }: DeckFolder): Promise<void> {
  const folders = await readFolders();
  const key = linkKey(baseUrl, presentationId);
  const known = folders[key] ?? [];
  if (known.includes(folder)) return;
  const others = known.filter((each) => each !== ANY_FOLDER);
  await writeSecretJson(foldersPath(), { ...folders, [key]: [...others, folder] });
}

/** Keeps the decks that earlier versions pushed, before this version remembers links of further decks. */
export async function keepOldDecks(): Promise<void> {
  if (!(await readJson<FolderFile>(foldersPath()))) await writeSecretJson(foldersPath(), await readFolders());
}

async function readFolders(): Promise<FolderFile> {
  const folders = await readJson<FolderFile>(foldersPath());
  if (folders) return folders;
  return Object.fromEntries(Object.keys(await readLinks()).map((key) => [key, [ANY_FOLDER]]));
}

function foldersPath(): string {
  return join(configFolder(), 'folders.json');
}
