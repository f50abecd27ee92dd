import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { changeDeckFile, requireFolder, type DeckFile } from '../deck-file';
import { deleteState } from '../download/download-state';
import type { Version } from '../download/fill-folder';
import { localPaths } from '../download/local-paths';
import { cleanPartsFolder, partsFolderOf } from '../download/parts-folder';
import { Failure } from '../failure';
import { hashFiles, type HashedFile } from '../folder/hash';
import { rulesOf, scanFolder } from '../folder/read-folder';
import { isDrawn } from '../push/drawn-picture';
import type { Reporter } from '../reporter';
import type { DeckService } from '../service/service';
import { applyChanges, assertAllAsCompared, fetchContents } from './apply';
import type { DeckFileRow, FileChange } from './file-change';
import { refuseObstacles } from './obstacles';
import { readPullState, storePullState } from './pull-state';
import { compareThreeWays, type ChangedFile, type Hashes, type Preference } from './three-way';

/** A folder that was pushed, and the version that it shall be based on. */
export interface PullRequest {
  folder: string;
  /** The `.deck.json` of the folder, which a pull writes again. */
  deckFile: DeckFile;
  /** Default: the current version. */
  version?: number | undefined;
  /** Which side wins when a file changed on both sides. Without it, such a file throws `pull-conflict`. */
  prefer?: Preference;
  /** Whether to only tell what the pull would do. */
  dryRun?: boolean | undefined;
}

export interface PullOutcome {
  status: 'pulled' | 'up-to-date' | 'planned';
  /** The version that the folder was based on. */
  from: number;
  to: Version;
  /** The files that changed here or there, sorted by path. */
  changes: ChangedFile[];
  /** The paths of the wanted version that a push of this folder ignores. The pull does not touch them. */
  leftOut: string[];
}

/**
 * Brings the changes of a version into a folder that was pushed, and keeps the changes of the folder. Nothing is
 * written when a file changed on both sides, when something is in the way, or in a dry run. A pull that was
 * interrupted is resumed with the same version.
 */
export async function pull(service: DeckService, given: PullRequest, reporter: Reporter = {}): Promise<PullOutcome> {
  const request = { ...given, folder: await requireFolder(given.folder) };
  const { folder, deckFile, prefer } = request;
  const { from, to } = await readVersions(service, request);
  const isIgnored = await rulesOf(folder);
  reporter.onEntry?.(deckFile.entryPath);
  const here = await hashFiles(await scanFolder(folder), reporter);
  const base = localPaths(pathsOf(from), undefined, isIgnored);
  const { kept, leftOut } = localPaths(pathsOf(to), undefined, isIgnored);
  const changes = compareThreeWays(
    hashesOf(from.files, base.kept),
    new Map(here.map(({ path, sha256 }) => [path, sha256])),
    hashesOf(to.files, kept),
    prefer,
  );
  const outcome = { from: from.version, to, changes, leftOut };
  const conflicts = changes.filter(({ action }) => action === 'conflict');
  if (conflicts.length > 0) throw conflict(outcome, conflicts.length);
  const writes = fileChanges(changes, here, to.files);
  await refuseObstacles(folder, writes);
  if (request.dryRun) return { ...outcome, status: 'planned' };
  await writeChanges(service, request, { ...outcome, here, writes }, reporter);
  return { ...outcome, status: from.version === to.version ? 'up-to-date' : 'pulled' };
}

/** The version that the folder is based on, and the wanted one. */
async function readVersions(
  service: DeckService,
  { folder, deckFile, version }: PullRequest,
): Promise<{ from: Version; to: Version }> {
  const { presentationId, baseUrl } = deckFile;
  const unfinished = await readPullState(folder);
  const isOfDeck = unfinished?.presentationId === presentationId && unfinished.baseUrl === baseUrl;
  if (unfinished && (!isOfDeck || (version ?? unfinished.to) !== unfinished.to))
    throw new Failure(
      isOfDeck
        ? `The pull of version ${unfinished.to} into this folder was interrupted. It has to be completed first.`
        : 'A pull of another deck into this folder was interrupted.',
      { code: 'unfinished-download', details: { version: unfinished.to } },
    );
  const read = async (number: number | 'latest') => {
    const found = await service.get('getPresentationVersion', { presentationId, version: String(number) });
    return { ...found, files: found.files.filter((file) => !isDrawn(file)) };
  };
  const base = unfinished?.from ?? deckFile.version;
  const wanted = unfinished?.to ?? version ?? 'latest';
  if (base === wanted) {
    const only = await read(base);
    return { from: only, to: only };
  }
  const [from, to] = await Promise.all([read(base), read(wanted)]);
  return { from, to };
}

/** Writes the changes. `.deck.json` never names a version that is newer than what the folder holds. */
async function writeChanges(
  service: DeckService,
  { folder, deckFile }: PullRequest,
  plan: { from: number; to: Version; here: readonly HashedFile[]; writes: readonly FileChange[] },
  reporter: Reporter,
): Promise<void> {
  const { from, to, here, writes } = plan;
  const { presentationId, baseUrl } = deckFile;
  const { version, entryPath, title } = to;
  const partsFolder = partsFolderOf(folder);
  const files = writes.map(({ wanted }) => wanted).filter((file) => file !== undefined);
  const chosenVersion = to.isCurrent ? undefined : version;
  const isBase = version === deckFile.version && chosenVersion === deckFile.chosenVersion;
  const isDone = writes.length === 0 && isBase && (await readPullState(folder)) === undefined;
  if (isDone) return;
  await cleanPartsFolder(folder);
  if (files.length > 0) {
    const amount = { files: files.length, bytes: sumDistinct(files) };
    reporter.onStart?.('download', amount);
    await mkdir(partsFolder, { recursive: true });
    const onBytes = (bytes: number) => reporter.onBytes?.(bytes);
    await fetchContents({ service, presentationId, version, folder, partsFolder, onBytes }, files, here);
    reporter.onEnd?.('download', amount);
  }
  await assertAllAsCompared(writes);
  await storePullState(folder, { presentationId, baseUrl, from, to: version });
  const writeVersion = () =>
    changeDeckFile(folder, (file = deckFile) => ({ ...file, version, entryPath, title, chosenVersion }));
  // Until the end, the folder is a mix. The older version makes the service refuse its push, whatever client pushes it.
  if (version < deckFile.version) await writeVersion();
  await applyChanges(folder, partsFolder, writes);
  await writeVersion();
  await deleteState(folder);
}

/** The files to write and to delete. */
function fileChanges(
  changes: readonly ChangedFile[],
  here: readonly HashedFile[],
  there: readonly DeckFileRow[],
): FileChange[] {
  const mine = new Map(here.map((file) => [file.path, file]));
  const theirs = new Map(there.map((file) => [file.path, file]));
  return changes
    .filter(({ action }) => action === 'take')
    .map(({ path }) => {
      const old = mine.get(path);
      // A folder may spell the letters of a path in another form of Unicode than the deck.
      const relativePath = old?.relativePath ?? join(...path.split('/'));
      return { relativePath, old, wanted: theirs.get(path) };
    });
}

const pathsOf = ({ files }: Version) => files.map(({ path }) => path);

function hashesOf(files: readonly DeckFileRow[], kept: readonly string[]): Hashes {
  const isKept = new Set(kept);
  return new Map(files.filter(({ path }) => isKept.has(path)).map(({ path, sha256 }) => [path, sha256]));
}

function sumDistinct(files: readonly DeckFileRow[]): number {
  return [...new Map(files.map(({ sha256, size }) => [sha256, size])).values()].reduce((sum, size) => sum + size, 0);
}

function conflict(outcome: Omit<PullOutcome, 'status'>, files: number): Failure {
  const { from, to, changes, leftOut } = outcome;
  const what = files === 1 ? 'One file' : `${files} files`;
  return new Failure(`${what} changed here and, in another way, in version ${to.version}.`, {
    code: 'pull-conflict',
    nextAction: 'Nothing was written. Choose the side that wins for these files.',
    details: { from, version: to.version, files: changes, leftOut },
  });
}
