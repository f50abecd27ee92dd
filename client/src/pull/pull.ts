import { join } from 'node:path';
import { requireFolder, type DeckFile } from '../deck-file';
import type { Version } from '../download/fill-folder';
import { localPaths } from '../download/local-paths';
import { Failure } from '../failure';
import { hashFiles, type HashedFile } from '../folder/hash';
import { rulesOf, scanFolder } from '../folder/read-folder';
import { isDrawn } from '../push/drawn-picture';
import type { Reporter } from '../reporter';
import type { DeckService } from '../service/service';
import type { DeckFileRow, FileChange } from './file-change';
import { refuseObstacles } from './obstacles';
import { mergeableOf } from './merge';
import { readMarked, readPullState, refuseMarks, type PullState } from './pull-state';
import {
  compareThreeWays,
  type ChangedFile,
  type Hashes,
  type Preference,
} from '../../../functions/src/values/three-way';
import { writeChanges, type Plan } from './write-changes';

/** A folder that was pushed, and the version that it shall be based on. */
export interface PullRequest {
  folder: string;
  /** The `.deck.json` of the folder, which a pull writes again. */
  deckFile: DeckFile;
  /** Default: the current version. */
  version?: number | undefined;
  /**
   * Which side wins when a file changed on both sides. Without it, text is merged by lines, and any other file throws
   * `pull-conflict`.
   */
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
  /** The paths of merged files that have conflict marks, because both sides changed the same lines. */
  marked: string[];
}

/**
 * Brings the changes of a version into a folder that was pushed, and keeps the changes of the folder. Text that changed
 * on both sides is merged by lines; `marked` names the files in which a person has to decide. Nothing is written when
 * another file changed on both sides, when something is in the way, or in a dry run. A pull that was interrupted is
 * resumed with the same version.
 */
export async function pull(service: DeckService, given: PullRequest, reporter: Reporter = {}): Promise<PullOutcome> {
  const request = { ...given, folder: await requireFolder(given.folder) };
  const { folder, prefer } = request;
  const unfinished = await readPullState(folder);
  if (prefer !== 'theirs' && !unfinished) await refuseMarks(folder);
  const { from, to } = await readVersions(service, request, unfinished);
  return mergeVersions(service, request, { from, to, unfinished }, reporter);
}

/**
 * Brings what changed between two states of the deck into the folder, and keeps the changes of the folder. With
 * `merging`, the states are files of the base and of the source of a remix, and the other files of the folder stay.
 */
export async function mergeVersions(
  service: DeckService,
  request: PullRequest,
  { from, to, unfinished, merging }: Pick<Plan, 'from' | 'to' | 'unfinished' | 'merging'>,
  reporter: Reporter,
): Promise<PullOutcome> {
  const { folder, deckFile, prefer } = request;
  const isIgnored = await rulesOf(folder);
  reporter.onEntry?.(deckFile.entryPath);
  const isCompared = new Set([...pathsOf(from), ...pathsOf(to)]);
  const scanned = (await scanFolder(folder)).filter(({ path }) => !merging || isCompared.has(path));
  const here = await hashFiles(scanned, reporter);
  const base = localPaths(pathsOf(from), undefined, isIgnored);
  const { kept, leftOut } = localPaths(pathsOf(to), undefined, isIgnored);
  const compared = compareThreeWays(
    hashesOf(from.files, base.kept),
    new Map(here.map(({ path, sha256 }) => [path, sha256])),
    hashesOf(to.files, kept),
    prefer,
    mergeableOf(from, here, to),
  );
  const merged = new Map(Object.entries(unfinished?.merged ?? {}));
  const isInPlace = (path: string) => here.some((file) => file.path === path && file.sha256 === merged.get(path));
  // A file with the marks of an earlier pull is no change of the user: what it was before is kept nowhere.
  const marks = new Set(prefer === 'theirs' ? await readMarked(folder) : []);
  const changes = compared.map((change): ChangedFile => {
    const { path, action } = change;
    if (action === 'merge' && isInPlace(path)) return { ...change, action: 'keep' };
    return action === 'keep' && marks.has(path) ? { ...change, action: 'take' } : change;
  });
  const outcome = { from: from.version, to, changes, leftOut, marked: [] };
  const conflicts = changes.filter(({ action }) => action === 'conflict');
  if (conflicts.length > 0) throw conflict(outcome, conflicts.length, merging?.sourceVersion);
  const writes = fileChanges(changes, here, to.files);
  await refuseObstacles(folder, writes);
  if (request.dryRun) return { ...outcome, status: 'planned' };
  const marked = await writeChanges(
    service,
    request,
    { from, to, unfinished, changes, here, writes, merging },
    reporter,
  );
  const isUpToDate = from.version === to.version && writes.length === 0;
  return { ...outcome, marked, status: isUpToDate ? 'up-to-date' : 'pulled' };
}

/** The version that the folder is based on, and the wanted one. */
async function readVersions(
  service: DeckService,
  { deckFile, version }: PullRequest,
  unfinished: PullState | undefined,
): Promise<{ from: Version; to: Version }> {
  const { presentationId, baseUrl } = deckFile;
  const isOfDeck = unfinished?.presentationId === presentationId && unfinished.baseUrl === baseUrl;
  if (unfinished?.sourceVersion !== undefined)
    throw new Failure('The update of this folder from the source of the remix was interrupted. Complete it first.', {
      code: 'unfinished-download',
      details: { sourceVersion: unfinished.sourceVersion },
    });
  if (unfinished && (!isOfDeck || (version ?? unfinished.to) !== unfinished.to))
    throw new Failure(
      isOfDeck
        ? `The pull of version ${unfinished.to} into this folder was interrupted. Complete that pull first.`
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

/** The files to write and to delete. */
function fileChanges(
  changes: readonly ChangedFile[],
  here: readonly HashedFile[],
  there: readonly DeckFileRow[],
): FileChange[] {
  const mine = new Map(here.map((file) => [file.path, file]));
  const theirs = new Map(there.map((file) => [file.path, file]));
  return changes
    .filter(({ action }) => action === 'take' || action === 'merge')
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

function conflict(outcome: Omit<PullOutcome, 'status' | 'marked'>, files: number, sourceVersion?: number): Failure {
  const { from, to, changes, leftOut } = outcome;
  const what = files === 1 ? 'One file' : `${files} files`;
  const there = sourceVersion === undefined ? `version ${to.version}` : `version ${sourceVersion} of the source`;
  return new Failure(`${what} changed differently here and in ${there}.`, {
    code: 'pull-conflict',
    nextAction: 'Nothing was written. Choose the side that wins for these files.',
    details: { from, version: to.version, files: changes, leftOut },
  });
}
