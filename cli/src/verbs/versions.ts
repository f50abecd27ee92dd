import { randomUUID } from 'node:crypto';
import type { DeckFile } from '../../../client/src/deck-file';
import type { Version } from '../../../client/src/download/fill-folder';
import { isFailure } from '../../../client/src/failure';
import { diffFiles, type FilesDiff } from '../../../functions/src/values/files-diff';
import { hashFiles } from '../../../client/src/folder/hash';
import { openSource } from '../../../client/src/push/open-source';
import { isDrawn } from '../../../client/src/push/drawn-picture';
import type { Reporter } from '../../../client/src/reporter';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';

type Listed = Contract['listPresentationVersions']['answer'];
export type DeckVersion = Listed['versions'][number] & {
  isCurrent: boolean;
  /** The names of the links that always show this version. Undefined when the caller may not see the links. */
  pinnedLinks: string[] | undefined;
};

/** The versions of a deck, the newest first. Only the owner sees which links are pinned to them. */
export async function listVersions(
  service: DeckService,
  { presentationId }: { presentationId: string },
): Promise<{ currentVersion: number; versions: DeckVersion[] }> {
  const [{ currentVersion, versions }, links] = await Promise.all([
    service.get('listPresentationVersions', { presentationId }).catch(explain(presentationId)),
    service.get('getSharedPresentationInfo', { presentationId }).then(
      ({ tokens }) => tokens,
      () => undefined,
    ),
  ]);
  const pinnedTo = (version: number) =>
    links
      ?.filter(({ versionMode: mode, revoked }) => !revoked && mode.type === 'pinned' && mode.version === version)
      .map(({ name }) => name);
  return {
    currentVersion,
    versions: versions
      .map((row) => ({ ...row, isCurrent: row.version === currentVersion, pinnedLinks: pinnedTo(row.version) }))
      .reverse(),
  };
}

export type Diff = Contract['diffPresentationVersions']['answer'];

/** What changed between two versions of a deck. */
export async function diffVersions(
  service: DeckService,
  { presentationId, from, to }: { presentationId: string; from: number; to: number },
): Promise<Diff> {
  const versions = { from: String(from), to: String(to) };
  return service
    .get('diffPresentationVersions', { presentationId, ...versions })
    .catch(explainVersion(service, presentationId, [from, to]));
}

export interface Restored {
  /** `unchanged` when the current version has the files, title and entry of the old one: there is no new version. */
  status: 'restored' | 'unchanged';
  presentationId: string;
  /** The current version. */
  version: number;
  restoredFrom: number;
  fileCount: number;
  totalBytes: number;
}

/** Makes a new version with the files of an old one. Retries do not make a second version. */
export async function restoreVersion(
  service: DeckService,
  { presentationId, version }: { presentationId: string; version: number },
): Promise<Restored> {
  try {
    const { currentVersion, versions } = await service.get('listPresentationVersions', { presentationId });
    const read = (number: number) => service.get('getPresentationVersion', { presentationId, version: String(number) });
    const [old, current] = await Promise.all([read(version), read(currentVersion)]);
    if (contentOf(old) === contentOf(current)) {
      const { fileCount = 0, totalBytes = 0 } = versions.find((row) => row.version === currentVersion) ?? {};
      const unchanged = { presentationId, version: currentVersion, restoredFrom: version, fileCount, totalBytes };
      return { status: 'unchanged', ...unchanged };
    }
    const input = { presentationId, version };
    const {
      shareUrl: _url,
      shareUrlIsPersonal: _isPersonal,
      ...restored
    } = await service.post('restorePresentationVersion', input, {
      idempotencyKey: randomUUID(),
    });
    return { status: 'restored', ...restored };
  } catch (error) {
    return explainVersion(service, presentationId, [version])(error);
  }
}

/** What makes two versions equal, as a text. */
function contentOf({ title, entryPath, files }: Contract['getPresentationVersion']['answer']): string {
  const rows = files.map(({ path, sha256, contentType }) => [path, sha256, contentType].join('\n'));
  return JSON.stringify([title, entryPath, ...rows.sort()]);
}

/** The failure of a call about versions of a deck: names the version that the deck does not have. */
function explainVersion(service: DeckService, presentationId: string, asked: readonly number[]) {
  return async (error: unknown): Promise<never> => {
    if (!isFailure(error, 'not-found', 'permission-denied')) throw error;
    // The call about all versions tells whether the deck is the reason.
    const listed = await service.get('listPresentationVersions', { presentationId }).catch(explain(presentationId));
    const missing = asked.find((number) => !listed.versions.some(({ version }) => version === number));
    if (missing === undefined) throw error;
    throw error.with({ message: `The deck has no version ${missing}; the newest is ${listed.currentVersion}.` });
  };
}

/** The failure of a call about a deck. */
function explain(presentationId: string): (error: unknown) => never {
  return (error) => {
    if (!isFailure(error, 'not-found', 'permission-denied')) throw error;
    throw error.with({ message: `The deck ${presentationId} does not exist, or you may not edit the deck.` });
  };
}

/** What a push of a folder would change. `currentVersion` is above `from` when the push would be refused. */
export interface FolderDiff extends FilesDiff {
  from: number;
  to: 'folder';
  currentVersion: number;
}

/** Compares a folder with the version that it is based on. */
export async function diffFolder(
  service: DeckService,
  { folder, deckFile }: { folder: string; deckFile: DeckFile },
  reporter: Reporter = {},
): Promise<FolderDiff> {
  const { presentationId, version } = deckFile;
  const [base, { currentVersion }] = await Promise.all([
    service.get('getPresentationVersion', { presentationId, version: String(version) }),
    service.get('listPresentationVersions', { presentationId }),
  ]).catch(explainVersion(service, presentationId, [version]));
  reporter.onEntry?.(deckFile.entryPath);
  const here = await hashSource(folder, reporter);
  const files = here.map(({ path, sha256, sizeBytes: size, contentType }) => ({ path, sha256, size, contentType }));
  return {
    from: version,
    to: 'folder',
    currentVersion,
    ...diffFiles(
      base.files.filter((file) => !isDrawn(file)),
      files,
    ),
  };
}

/** The version, if the folder holds exactly its files. */
export async function findInFolder(
  service: DeckService,
  folder: string,
  { presentationId, version }: { presentationId: string; version: number },
): Promise<Version | undefined> {
  const found = await service.get('getPresentationVersion', { presentationId, version: String(version) });
  const wanted = new Map(found.files.filter((file) => !isDrawn(file)).map(({ path, sha256 }) => [path, sha256]));
  const here = await hashSource(folder, {});
  const isSame = here.length === wanted.size && here.every(({ path, sha256 }) => wanted.get(path) === sha256);
  return isSame ? found : undefined;
}

/** The files that a push would take. */
async function hashSource(path: string, reporter: Reporter) {
  const { find, close } = await openSource(path);
  try {
    return await hashFiles(await find(), reporter);
  } finally {
    await close();
  }
}
