import { mapConcurrently } from '../blobs/concurrent';
import { readLogo } from '../blobs/logos';
import { streamFiles } from '../blobs/file-streams';
import { logWarning } from '../log';
import { accountPage, deckPage, type ListedDeck } from '../pages/export-pages';
import { read } from '../records/database';
import { readFiles } from '../records/manifests';
import { organizationRef } from '../records/organizations';
import { decksInOrder, presentationRef, type Presentation } from '../records/presentations';
import { userRef } from '../records/users';
import { listVersions, type Version } from '../records/versions';
import { versionView } from '../rows/decks';
import { pageCursor, writeCursor } from '../values/cursor';
import { standApart } from '../values/local-names';
import { latinWords } from '../values/slugs';
import type { AccountExport } from '../records/account-exports';
import { schemaText, versionFile } from './format';
import type { Place, PlaceOf } from './places';
import { accountRecord, deckRecord, eventPage, mailPage, viewPage, type RecordPage } from './record-files';

/** A file of an export. */
export interface Entry {
  path: string;
  bytes: string | Uint8Array | AsyncIterable<Uint8Array>;
  changedAt: Date;
  /** Where the export goes on behind this file. */
  next: Place;
  /** What the file adds to the progress. */
  adds: { decks?: 1; files?: 1; bytes?: number };
}

type Subject = Pick<AccountExport, 'organizationId' | 'requestedAt'>;

/**
 * The files of an export from a place on, until all are made. What was created after the request is left out, so each
 * file but those of lists is the same however often the walk begins again. The bytes of an entry must be taken before
 * the next entry.
 */
export async function* walk(subject: Subject, from: Place): AsyncGenerator<Entry> {
  for (let at: Place | undefined = from; at;) at = yield* stepAt(subject, at);
}

/** The files of a step. Returns the next step; undefined after the last one. */
type Step = AsyncGenerator<Entry, Place | undefined>;

function stepAt(subject: Subject, place: Place): Step {
  switch (place.step) {
    case 'account':
      return account(subject);
    case 'events':
      return pages(place, 'events', (after) => eventPage(subject, after), { step: 'deck', after: null });
    case 'deck':
      return deck(subject, place);
    case 'mails': {
      const then: Place = { ...place, step: 'views', page: 1, after: null };
      return pages(place, `${place.folder}/mails`, (after) => mailPage(place.deckId, subject, after), then);
    }
    case 'views': {
      const { deckId, folder, cursor } = place;
      const then: Place = { step: 'files', deckId, folder, cursor, version: null, after: null };
      return pages(place, `${folder}/views`, (after) => viewPage(deckId, subject, after), then);
    }
    case 'files':
      return files(subject, place);
    case 'index':
      return index(subject);
  }
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

async function* account(subject: Subject): Step {
  const { organizationId, requestedAt: changedAt } = subject;
  const [organization] = await read(organizationRef(organizationId));
  if (!organization) throw new Error('An export names an organization that does not exist.');
  const [user] = await read(userRef(organization.ownerId));
  if (!user) throw new Error('An organization names an owner who does not exist.');
  const logo = organization.logo && (await readLogo(organization.logo));
  const logoPath = logo ? `logo.${/(?<=^image\/)[a-z]+/.exec(organization.logo!.contentType)![0]}` : null;
  const next: Place = { step: 'account' };
  const common = { changedAt, next, adds: {} };
  yield { path: 'schema.json', bytes: schemaText(), ...common };
  if (logoPath) yield { path: logoPath, bytes: logo!, ...common };
  const then: Place = { step: 'events', page: 1, after: null };
  const record = await accountRecord(subject, { user, organization, logoPath });
  yield { ...common, path: 'account.json', bytes: json(record), next: then };
  return then;
}

/** The pages of a list as files. */
async function* pages(
  place: PlaceOf<'events' | 'mails' | 'views'>,
  folder: string,
  pageAt: (after: string | null) => Promise<RecordPage>,
  then: Place,
): Step {
  for (let { page, after } = place; ; page++) {
    const { rows, next } = await pageAt(after);
    const following: Place = next === null ? then : { ...place, page: page + 1, after: next };
    // An empty list has one file, too, so that a reader of the export finds each.
    const bytes = rows.length > 0 ? `[\n${rows.join(',\n')}\n]\n` : '[]\n';
    const path = `${folder}/${String(page).padStart(4, '0')}.json`;
    yield { path, bytes, changedAt: new Date(), next: following, adds: {} };
    if (next === null) return then;
    after = next;
  }
}

async function* deck(subject: Subject, { after }: PlaceOf<'deck'>): Step {
  const position = after === null ? undefined : pageCursor.parse(after);
  const options = { limit: 1, after: position };
  const [found] = await decksInOrder(subject.organizationId, subject.requestedAt, options);
  if (!found) return { step: 'index' };
  const { presentationId: deckId } = found;
  const cursor = writeCursor({ time: found.createdAt, id: deckId });
  const versions = await exportedVersions(found, subject);
  const newest = versions.at(-1);
  // The deck was just deleted.
  if (!newest) return { step: 'deck', after: cursor };
  const folder = await folderOf(deckId, newest);
  const record = await deckRecord(found, versions, subject);
  const then: Place = { step: 'mails', deckId, folder, cursor, page: 1, after: null };
  const common = { changedAt: found.updatedAt, adds: {} };
  // A part that ends between the two files has both again in the next one.
  const again: Place = { step: 'deck', after };
  yield { ...common, path: `${folder}/deck.json`, bytes: json(record), next: again };
  yield {
    ...common,
    path: `${folder}/index.html`,
    bytes: deckPage(record, newest.entryPath),
    next: then,
    adds: { decks: 1 },
  };
  return then;
}

/** The versions that existed at the request, the oldest first. */
async function exportedVersions({ presentationId }: Pick<Presentation, 'presentationId'>, { requestedAt }: Subject) {
  return (await listVersions(presentationId)).filter(({ createdAt }) => createdAt <= requestedAt);
}

const MAX_FOLDER_LENGTH = 60;

/** The title of a version never changes, so the folder does not either. The end of the id keeps equal titles apart. */
async function folderOf(deckId: string, { title }: Version): Promise<string> {
  const words = (await latinWords(title)).slice(0, MAX_FOLDER_LENGTH).replace(/-$/, '');
  return `decks/${words || 'deck'}-${deckId.slice(-8)}`;
}

/** The key of a hash in the map of a walk: 16 of its bytes. */
const keyOf = (sha256: string) => Buffer.from(sha256.slice(0, 32), 'hex').toString('latin1');

/**
 * The files of the versions of a deck, the newest version first. The newest version is a whole folder. An older one has
 * the files that no newer version has, and its list says where the others are. A file that cannot stand at its path on
 * every system is in the folder `other`.
 */
async function* files(subject: Subject, place: PlaceOf<'files'>): Step {
  const { deckId, folder, cursor } = place;
  const then: Place = { step: 'deck', after: cursor };
  const [found] = await read(presentationRef(deckId));
  const versions = (await exportedVersions({ presentationId: deckId }, subject)).reverse();
  const newest = versions[0];
  // The deck was deleted meanwhile.
  if (!found || !newest) return then;
  const known = new Map<string, string>();
  const from = place.version ?? newest.version;
  for (const [i, version] of versions.entries()) {
    const isNewest = version === newest;
    const list = (await readFiles(deckId, version)).sort((a, b) => (a.path < b.path ? -1 : 1));
    const home = isNewest ? 'newest' : `versions/${version.version}`;
    const isApart = standApart(list.map(({ path }) => path));
    const placed = list.map((file, i) => {
      const key = keyOf(file.sha256);
      const before = isNewest ? undefined : known.get(key);
      const at = before ?? (isApart[i] ? `${home}/${file.path}` : `other/${version.version}/${i}`);
      if (!known.has(key)) known.set(key, at);
      return { ...file, at, isNew: before === undefined };
    });
    if (version.version > from) continue;
    const after = version.version === from ? place.after : null;
    const here = { ...place, version: version.version };
    const older = versions[i + 1];
    const behind: Place = older ? { ...here, version: older.version, after: null } : then;
    const fresh = placed.filter(({ isNew, path }) => isNew && (after === null || path > after));
    const last = fresh.at(-1);
    const common = { changedAt: version.createdAt };
    if (after === null) {
      const row = versionFile.parse({ ...versionView(version), entryPath: version.entryPath, files: placed });
      const next: Place = last ? { ...here, after: '' } : behind;
      yield { ...common, path: `${folder}/versions/${version.version}.json`, bytes: json(row), next, adds: {} };
    }
    for await (const { file, bytes } of streamFiles(deckId, fresh)) {
      if (!bytes) {
        logWarning('A file of a deck is missing in an export.', undefined, { presentationId: deckId });
        continue;
      }
      const next: Place = file === last ? behind : { ...here, after: file.path };
      yield { ...common, path: `${folder}/${file.at}`, bytes, next, adds: { files: 1, bytes: file.size } };
    }
  }
  return then;
}

const DECKS_AT_ONCE = 100;
const READ_AT_ONCE = 10;

/** The page that shows everything. It is made last, and lists the decks that exist then. */
async function* index(subject: Subject): Step {
  const decks = async function* (): AsyncGenerator<ListedDeck> {
    for (let after: Presentation | undefined, isOver = false; !isOver;) {
      const position = after && { time: after.createdAt, id: after.presentationId };
      const options = { limit: DECKS_AT_ONCE, after: position };
      const found = await decksInOrder(subject.organizationId, subject.requestedAt, options);
      const listed = await mapConcurrently(found, READ_AT_ONCE, async (deck) => {
        const versions = await exportedVersions(deck, subject);
        const newest = versions.at(-1);
        return newest && { folder: await folderOf(deck.presentationId, newest), deck, newest, count: versions.length };
      });
      yield* listed.filter((each) => each !== undefined);
      isOver = found.length < DECKS_AT_ONCE;
      after = found.at(-1);
    }
  };
  const bytes = utf8(accountPage(subject, decks()));
  yield { path: 'index.html', bytes, changedAt: subject.requestedAt, next: { step: 'index' }, adds: {} };
  return undefined;
}

async function* utf8(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}
