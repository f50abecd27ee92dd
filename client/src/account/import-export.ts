import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Failure, isFailure } from '../failure';
import type { FolderFile } from '../folder/hash';
import { escapeName } from '../folder/paths';
import { readJson, writeSecretJson } from '../json-file';
import { openFiles } from '../push/disk-source';
import { pushFiles } from '../push/push-files';
import type { SessionStore } from '../push/session-store';
import type { Reporter } from '../reporter';
import type { DeckService } from '../service/service';

/** A link of a deck in an export, as its `deck.json` has it. */
interface ExportedLink {
  tokenId: string;
  name: string;
  versionMode: { type: 'latest' } | { type: 'pinned'; version: number };
  state: 'open' | 'revoked' | 'expired' | 'used-up';
  expiresAt: string | null;
  hasPasscode: boolean;
  maxOpenings: number | null;
  allowedEmails: string[] | null;
  notify: 'never' | 'first';
  hasShortUrl: boolean;
}

interface ExportedDeck {
  id: string;
  title: string;
  expiresAt: string | null;
  tracking: 'full' | 'count';
  versions: { version: number; title: string; message: string | null; restoredFrom: number | null }[];
  links: ExportedLink[];
}

interface ExportedVersion {
  entryPath: string;
  files: { path: string; size: number; at: string }[];
}

/** A link that the import made. */
export interface ImportedLink {
  name: string;
  shareUrl: string;
  shortUrl: string | null;
  /** The new passcode of a link that had one. It is told once. */
  passcode?: string;
}

/** A deck that the import made. */
export interface ImportedDeck {
  title: string;
  /** The id of the deck in the export. */
  from: string;
  presentationId: string;
  versions: number;
  links: ImportedLink[];
}

export interface ImportRequest {
  /** The folder of an export, with the files of all its parts. */
  folder: string;
  /**
   * The file that keeps what the service has of the export. It is not in the folder: that may come from another person,
   * and the file names decks to which versions are added.
   */
  statePath: string;
  onDeck?: ((deck: ImportedDeck) => void) | undefined;
}

/** What a service has of a deck of an export. */
interface Known {
  /** Before the first version: the id that it gets, and the upload session in which it is pushed. */
  presentationId: string;
  sessionId: string;
  versions: number;
  links: string[];
  isDone?: true;
}

/** What the service has of an export by the ids of its decks, so that an import that was interrupted goes on. */
type State = Record<string, Known>;

/**
 * Makes the decks of an export at a service: every version with its title and message, and new links with the same
 * names and rules for those that were open. A passcode is in no export, so such a link gets a new one. The export must
 * be a folder with all parts. After an interruption, also while the service makes a version, the same call goes on with
 * the next version. Throws `not-an-export`, and `bad-path` for a file that is not in the folder of its deck.
 */
export async function importExport(
  service: DeckService,
  { folder: name, statePath, onDeck }: ImportRequest,
  reporter: Reporter = {},
): Promise<ImportedDeck[]> {
  const folder = await realpath(name);
  const decks = await readdir(join(folder, 'decks')).catch((cause: unknown) => {
    throw new Failure(`${name} is not an export: it has no folder decks.`, {
      code: 'not-an-export',
      nextAction: 'Name the folder that `deck account export --out` made, or into which all parts were extracted.',
      cause,
    });
  });
  const state = (await readJson<State>(statePath)) ?? {};
  const keep = () => writeSecretJson(statePath, state);
  const imported: ImportedDeck[] = [];
  for (const each of decks.sort()) {
    const made = await importDeck(service, { deckFolder: join(folder, 'decks', each), state, keep }, reporter);
    if (!made) continue;
    onDeck?.(made);
    imported.push(made);
  }
  return imported;
}

interface Place {
  deckFolder: string;
  state: State;
  keep: () => Promise<void>;
}

/** Undefined for a deck that an earlier call has imported. */
async function importDeck(service: DeckService, { deckFolder, state, keep }: Place, reporter: Reporter) {
  const deck = JSON.parse(await readFile(join(deckFolder, 'deck.json'), 'utf8')) as ExportedDeck;
  const known = (state[deck.id] ??= { presentationId: '', sessionId: '', versions: 0, links: [] });
  if (known.isDone) return undefined;
  if (known.presentationId !== '') known.versions = await versionsAt(service, known.presentationId);
  for (const { version, title, message, restoredFrom } of deck.versions) {
    if (version <= known.versions) continue;
    if (restoredFrom !== null && known.versions > 0) {
      const { presentationId, versions: expectedBaseVersion } = known;
      const input = { presentationId, version: restoredFrom, expectedBaseVersion };
      await service.post('restorePresentationVersion', input, { idempotencyKey: randomUUID() });
    } else {
      const at = { deckFolder, version, known, keep };
      const made = await pushVersion(service, at, { title, message }, reporter);
      // Only a dry run of a new deck has no id.
      known.presentationId = made.presentationId!;
    }
    known.versions = version;
    await keep();
  }
  const { presentationId } = known;
  if (deck.tracking !== 'full')
    await service.post('setPresentationTracking', { presentationId, tracking: deck.tracking });
  if (deck.expiresAt !== null && Date.parse(deck.expiresAt) > Date.now())
    await service.post('setPresentationExpiry', { presentationId, expiresAt: deck.expiresAt });
  const links: ImportedLink[] = [];
  const open = deck.links.filter(({ state: is }) => is === 'open');
  if (known.links.length === 0) await keepFirstLink(service, presentationId, open);
  for (const each of open.filter(({ tokenId }) => !known.links.includes(tokenId))) {
    links.push(await makeLink(service, presentationId, each));
    known.links.push(each.tokenId);
    await keep();
  }
  known.isDone = true;
  await keep();
  return { title: deck.title, from: deck.id, presentationId, versions: known.versions, links };
}

/**
 * The versions that the service has of a deck. An interrupted call may have made one more than it knew, or the deck
 * itself.
 */
async function versionsAt(service: DeckService, presentationId: string): Promise<number> {
  try {
    return (await service.get('getSharedPresentationInfo', { presentationId })).version;
  } catch (error) {
    if (isFailure(error, 'not-found', 'permission-denied')) return 0;
    throw error;
  }
}

/**
 * Pushes all files of a version from where they are in the export. Put together in a folder, they would be subject to
 * the rules of `.deckignore`, and to the names that this disk can hold.
 */
async function pushVersion(
  service: DeckService,
  at: { deckFolder: string; version: number; known: Known; keep: () => Promise<void> },
  { title, message }: { title: string; message: string | null },
  reporter: Reporter,
) {
  const { deckFolder, version, known, keep } = at;
  const list = JSON.parse(await readFile(join(deckFolder, 'versions', `${version}.json`), 'utf8')) as ExportedVersion;
  const files = await Promise.all(list.files.map((file) => findFile(deckFolder, file)));
  const find = () => Promise.resolve(files);
  const { source } = openFiles({ name: title, find, isIgnored: () => Promise.resolve(false) });
  const { presentationId, versions } = known;
  const destination =
    versions === 0
      ? ({ kind: 'new-deck' } as const)
      : ({ kind: 'deck', presentationId, baseVersion: versions } as const);
  const sessions = sessionOf(known, keep);
  const options = { title, entry: list.entryPath, allowSecrets: true, ...(message !== null && { message }) };
  return pushFiles(service, source, { destination, options, sessions, illustrator: 'none' }, reporter);
}

/** Throws `bad-path` for a file outside of the folder: an export of another person could name a private file. */
async function findFile(deckFolder: string, { path, size, at }: ExportedVersion['files'][number]): Promise<FolderFile> {
  const absolutePath = await realpath(join(deckFolder, at)).catch(() => '');
  if (!absolutePath.startsWith(deckFolder + sep))
    throw new Failure(`The folder of the deck in the export does not have the file ${escapeName(at)}.`, {
      code: 'bad-path',
      nextAction: 'Extract all parts of an export that you downloaded into the same folder.',
      details: { path: at },
    });
  return { path, relativePath: path, absolutePath, sizeBytes: size };
}

/** The upload session of the first version: with it, an import that was interrupted there makes no second deck. */
const sessionOf = (known: Known, keep: () => Promise<void>): SessionStore => ({
  read: () => Promise.resolve(known.sessionId === '' ? undefined : known),
  write: (session) => {
    Object.assign(known, session);
    return keep();
  },
  remove: () => {
    Object.assign(known, { sessionId: '', presentationId: '' });
    return keep();
  },
});

const linksOf = async (service: DeckService, presentationId: string) =>
  (await service.get('getSharedPresentationInfo', { presentationId })).tokens.filter(({ revoked }) => !revoked);

/** A new deck has a link. It is revoked when the export has no open link of its name. */
async function keepFirstLink(service: DeckService, presentationId: string, open: readonly ExportedLink[]) {
  const [first] = await linksOf(service, presentationId);
  if (first && !open.some(({ name }) => name === first.name))
    await service.post('unsharePresentation', { presentationId, tokenId: first.tokenId });
}

/** Gives the link of this name its rules, or makes it. */
async function makeLink(service: DeckService, presentationId: string, exported: ExportedLink): Promise<ImportedLink> {
  const { name, versionMode, expiresAt, hasPasscode, maxOpenings, allowedEmails, notify, hasShortUrl } = exported;
  const passcode = hasPasscode ? randomBytes(9).toString('base64url') : null;
  const rules = { versionMode, expiresAt, maxOpenings, allowedEmails, notify, short: hasShortUrl, passcode };
  const found = (await linksOf(service, presentationId)).find((token) => token.name === name);
  const made = found
    ? await service.post('updateShareToken', { presentationId, tokenId: found.tokenId, ...rules })
    : await service.post(
        'addPresentationToken',
        { presentationId, tokenName: name, ...rules },
        { idempotencyKey: randomUUID() },
      );
  const { shareUrl, shortUrl } = made;
  // The answer to a repeated call has no secret. The link is there then.
  if (!found && !shareUrl) return makeLink(service, presentationId, exported);
  return { name, shareUrl: shareUrl ?? '', shortUrl: shortUrl ?? null, ...(passcode !== null && { passcode }) };
}
