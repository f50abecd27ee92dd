import { randomUUID } from 'node:crypto';
import type { DeckFile } from '../../../client/src/deck-file';
import type { Version } from '../../../client/src/download/fill-folder';
import { isFailure } from '../../../client/src/failure';
import { diffFiles, type FilesDiff } from '../../../client/src/folder/diff';
import { hashFiles } from '../../../client/src/folder/hash';
import { scanFolder } from '../../../client/src/folder/read-folder';
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
    .catch(explain(presentationId, from === to ? `version ${from}` : `version ${from} or ${to}`));
}

/** Makes a new version with the files of an old one. Retries do not make a second version. */
export async function restoreVersion(
  service: DeckService,
  { presentationId, version }: { presentationId: string; version: number },
): Promise<Contract['restorePresentationVersion']['answer']> {
  const restored = await service
    .post('restorePresentationVersion', { presentationId, version }, { idempotencyKey: randomUUID() })
    .catch(explain(presentationId, `version ${version}`));
  // The personal link of a mail's recipient is not meant for others.
  return restored.shareUrlIsPersonal ? { ...restored, shareUrl: null } : restored;
}

/** The failure of a call about a deck, or about its version that `version` names. */
export function explain(presentationId: string, version?: string): (error: unknown) => never {
  return (error) => {
    if (!isFailure(error, 'not-found', 'permission-denied')) throw error;
    // The deck exists: only the version does not.
    const missing = /has no version \d+/.exec(error.message)?.[0];
    if (missing !== undefined) throw error.with({ message: `The deck ${missing}.` });
    const what = `The deck ${presentationId}${version === undefined ? '' : ` or its ${version}`}`;
    throw error.with({ message: `${what} does not exist, or you may not edit the deck.` });
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
  ]).catch(explain(presentationId, `version ${version}`));
  reporter.onEntry?.(deckFile.entryPath);
  const here = await hashFiles(await scanFolder(folder), reporter);
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
  const here = await hashFiles(await scanFolder(folder), {});
  const isSame = here.length === wanted.size && here.every(({ path, sha256 }) => wanted.get(path) === sha256);
  return isSame ? found : undefined;
}
