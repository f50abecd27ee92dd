import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure, usageFailure } from './failure';
import { changeJson, deleteJson, readJson, writeJson } from './json-file';
import { adviceFor } from './folder/advice';
import { isImage } from './images/is-image';
import { isId, isWebAddress } from './service/check-answer';
import { isSlug } from './slugs';

/**
 * A pushed folder's `.deck.json`: the deck of the folder, or of an HTML file, zip archive, PDF or picture. It holds no
 * secret, so that it can be committed with the sources. `version` is the version that the folder's content is based on.
 * The service refuses a push that is based on an older version than the current one, so that one person's push cannot
 * overwrite another person's push unseen.
 */
export interface DeckFile {
  presentationId: string;
  baseUrl: string;
  version: number;
  entryPath: string;
  /**
   * The version that the user pulled although it was not the current one. Without meaning when `version` is another.
   */
  chosenVersion?: number | undefined;
  title?: string;
  /** The slug of the deck's listing in the marketplace, if the deck was published from this folder. */
  listing?: string;
  /** Of a remix: the files into which an update merged changes of its source. The next push tells the service. */
  merged?: Merged | undefined;
}

/** Files of a remix into which the changes of a version of its source were merged. */
export interface Merged {
  sourceVersion: number;
  paths: string[];
}

function isMerged(merged: unknown): boolean {
  const { sourceVersion, paths } = (merged ?? {}) as Partial<Merged>;
  const isList = Array.isArray(paths) && paths.every((path: unknown) => typeof path === 'string');
  return isList && Number.isInteger(sourceVersion);
}

/** The real path of a folder. Throws a usage failure when the path does not lead to a folder. */
export async function requireFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw usageFailure(`There is no folder ${folder}.`);
  if (!found.isDirectory()) throw usageFailure(`${folder} is not a folder.`, 'Name the folder that holds the deck.');
  return realpath(folder);
}

/**
 * The real path of a folder, an HTML file, a zip archive, a PDF or a picture. Throws a usage failure for anything else.
 */
export async function requireSource(name: string): Promise<string> {
  if (!(await isFile(name))) return requireFolder(name);
  if (/\.(x?html?|zip|pdf)$/i.test(name) || isImage(name)) return realpath(name);
  const { problem, nextAction } = adviceFor(name) ?? {
    problem: 'is not a folder, an HTML file, a zip archive, a PDF or a picture.',
    nextAction: 'Name the folder that holds the deck.',
  };
  throw usageFailure(`${name} ${problem}`, nextAction);
}

/** Whether a path of a source leads to a file, and not to a folder. */
export const isFile = async (path: string) => (await stat(path).catch(() => undefined))?.isFile() ?? false;

export async function readDeckFile(folder: string): Promise<DeckFile | undefined> {
  const path = await deckFilePath(folder);
  const file = await readJson<DeckFile>(path);
  if (!file) return undefined;
  const { presentationId, baseUrl, version, entryPath, title, listing, merged } = file;
  const isWhole = isId(presentationId) && isWebAddress(baseUrl) && typeof entryPath === 'string';
  const isFine =
    ['string', 'undefined'].includes(typeof title) &&
    (listing === undefined || isSlug(String(listing))) &&
    (merged === undefined || isMerged(merged));
  if (!isWhole || !isFine || !Number.isInteger(version) || version < 1)
    throw new Failure(`${path} is damaged: it does not name a deck.`, {
      code: 'damaged-file',
      nextAction: 'Restore or delete it. After a deletion, the next push makes a new deck.',
    });
  return file;
}

/** Writes `.deck.json`. Properties that are undefined are not written. */
export async function writeDeckFile(folder: string, file: DeckFile): Promise<void> {
  await writeJson(await deckFilePath(folder), file, 0o644);
}

/** Changes the present `.deck.json`. No change of another command is lost. */
export async function changeDeckFile(
  folder: string,
  change: (file: DeckFile | undefined) => DeckFile | undefined,
): Promise<void> {
  await changeJson(await deckFilePath(folder), change, 0o644);
}

export async function deleteDeckFile(folder: string): Promise<void> {
  await deleteJson(await deckFilePath(folder));
}

/** The file of `talk.zip` is `.talk.zip.deck.json` beside it. */
async function deckFilePath(pushed: string): Promise<string> {
  if (!(await isFile(pushed))) return join(pushed, '.deck.json');
  return join(dirname(pushed), `.${basename(pushed)}.deck.json`);
}
