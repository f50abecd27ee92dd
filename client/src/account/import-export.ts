import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { requireFolder } from '../deck-file';
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
  slidePictures: boolean;
  versions: { version: number; title: string; message: string | null; restoredFrom: number | null }[];
  links: ExportedLink[];
}

interface ExportedVersion {
  entryPath: string;
  files: { path: string; size: number; contentType: string; at: string }[];
}

/** A link that the import made. */
export interface ImportedLink {
  tokenId: string;
  name: string;
  shareUrl: string;
  shortUrl: string | null;
  /** The new passcode of a link that had one. The service does not tell it again. */
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
  /** The links by the ids that they have in the export. */
  links: Record<string, ImportedLink>;
  /** Whether it has its settings and links. */
  isDone: boolean;
}

/** What the service has of an export by the ids of its decks, so that an import that was interrupted goes on. */
type State = Record<string, Known>;

/**
 * Makes the decks of an export at a service: every version with its title and message, and new links with the same
 * names and rules for those that are open. A passcode is in no export, so such a link gets a new one. The export must
 * be a folder with all parts. After an interruption, also while the service makes a version, the same call goes on with
 * the next version. It returns all decks of the export, also those of earlier calls. Throws `not-an-export`, and
 * `bad-path` for a file that is not in the folder of its deck.
 */
export async function importExport(
  service: DeckService,
  { folder: name, statePath, onDeck }: ImportRequest,
  reporter: Reporter = {},
): Promise<ImportedDeck[]> {
  const folder = await requireFolder(name);
  const found = await readdir(join(folder, 'decks'), { withFileTypes: true }).catch((cause: unknown) => {
    throw new Failure(`${name} is not an export: it has no folder decks.`, { ...notAnExport, cause });
  });
  const state = (await readJson<State>(statePath)) ?? {};
  const keep = () => writeSecretJson(statePath, state);
  const imported: ImportedDeck[] = [];
  const decks = found.filter((each) => each.isDirectory()).map((each) => each.name);
  for (const each of decks.sort()) {
    const made = await importDeck(service, { deckFolder: join(folder, 'decks', each), state, keep }, reporter);
    onDeck?.(made);
    imported.push(made);
  }
  return imported;
}

const notAnExport = {
  code: 'not-an-export',
  nextAction: 'Name the folder that `deck account export --out` made, or into which all parts were extracted.',
};

/** A JSON file of an export. */
async function readPart<T>(path: string): Promise<T> {
  const part = await readJson<T>(path);
  if (part) return part;
  throw new Failure(`The export does not have the file ${path}.`, notAnExport);
}

interface Place {
  deckFolder: string;
  state: State;
  keep: () => Promise<void>;
}

async function importDeck(
  service: DeckService,
  { deckFolder, state, keep }: Place,
  reporter: Reporter,
): Promise<ImportedDeck> {
  const deck = await readPart<ExportedDeck>(join(deckFolder, 'deck.json'));
  const known = (state[deck.id] ??= { presentationId: '', sessionId: '', versions: 0, links: {}, isDone: false });
  if (known.presentationId !== '') known.versions = await versionsAt(service, known.presentationId);
  // The deck was deleted, or it is of another account.
  if (known.versions === 0) Object.assign(known, { links: {}, isDone: false });
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
    Object.assign(known, { versions: version, isDone: false });
    await keep();
  }
  const { presentationId, versions } = known;
  if (!known.isDone) {
    await setUp(service, presentationId, deck);
    await makeLinks(service, deck, known, keep);
    known.isDone = true;
    await keep();
  }
  return { title: deck.title, from: deck.id, presentationId, versions, links: Object.values(known.links) };
}

/** Gives the deck the settings that are not those of a version. */
async function setUp(service: DeckService, presentationId: string, deck: ExportedDeck): Promise<void> {
  const { title, tracking, slidePictures, expiresAt } = deck;
  await service.post('renamePresentation', { presentationId, title });
  if (tracking !== 'full') await service.post('setPresentationTracking', { presentationId, tracking });
  if (!slidePictures) await service.post('setPresentationPictures', { presentationId, slidePictures });
  if (expiresAt !== null && isAhead(expiresAt))
    await service.post('setPresentationExpiry', { presentationId, expiresAt });
}

const isAhead = (time: string) => Date.parse(time) > Date.now();

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
  const list = await readPart<ExportedVersion>(join(deckFolder, 'versions', `${version}.json`));
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
async function findFile(deckFolder: string, file: ExportedVersion['files'][number]): Promise<FolderFile> {
  const { path, size: sizeBytes, contentType, at } = file;
  const absolutePath = await realpath(join(deckFolder, at)).catch(() => '');
  if (!absolutePath.startsWith(deckFolder + sep))
    throw new Failure(`The folder of the deck in the export does not have the file ${escapeName(at)}.`, {
      code: 'bad-path',
      nextAction: 'Extract all parts of an export that you downloaded into the same folder.',
      details: { path: at },
    });
  return { path, relativePath: path, absolutePath, sizeBytes, contentType };
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

async function makeLinks(service: DeckService, deck: ExportedDeck, known: Known, keep: () => Promise<void>) {
  const { presentationId, links } = known;
  const isOpen = ({ state, expiresAt }: ExportedLink) => state === 'open' && (expiresAt === null || isAhead(expiresAt));
  const open = deck.links.filter(isOpen);
  if (Object.keys(links).length === 0) await keepFirstLink(service, presentationId, open);
  for (const each of open.filter(({ tokenId }) => !links[tokenId])) {
    links[each.tokenId] = await makeLink(service, known, each);
    await keep();
  }
}

/** Gives a link of this name its rules, or makes one. Several links may have the same name. */
async function makeLink(service: DeckService, known: Known, exported: ExportedLink): Promise<ImportedLink> {
  const { presentationId, links } = known;
  const { name, versionMode, expiresAt, hasPasscode, maxOpenings, allowedEmails, notify, hasShortUrl } = exported;
  const passcode = hasPasscode ? randomBytes(9).toString('base64url') : null;
  const rules = { versionMode, expiresAt, maxOpenings, allowedEmails, notify, short: hasShortUrl, passcode };
  const madeBefore = new Set(Object.values(links).map(({ tokenId }) => tokenId));
  const found = (await linksOf(service, presentationId)).find(
    (token) => token.name === name && !madeBefore.has(token.tokenId),
  );
  const made = found
    ? await service.post('updateShareToken', { presentationId, tokenId: found.tokenId, ...rules })
    : await service.post(
        'addPresentationToken',
        { presentationId, tokenName: name, ...rules },
        { idempotencyKey: randomUUID() },
      );
  const { tokenId, shareUrl, shortUrl } = made;
  // The answer to a repeated call has no secret. The link is there then.
  if (!found && !shareUrl) return makeLink(service, known, exported);
  return {
    tokenId,
    name,
    shareUrl: shareUrl ?? '',
    shortUrl: shortUrl ?? null,
    ...(passcode !== null && { passcode }),
  };
}
