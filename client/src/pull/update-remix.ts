import type { ChangedFile } from '../../../functions/src/values/three-way';
import { readDeckFile, requireFolder } from '../deck-file';
import type { Version } from '../download/fill-folder';
import { isDrawn } from '../push/drawn-picture';
import type { Reporter } from '../reporter';
import type { Contract } from '../service/contract';
import type { DeckService } from '../service/service';
import { isText } from './merge';
import { mergeVersions, pull, type PullOutcome, type PullRequest } from './pull';
import { readPullState, refuseMarks, type PullState } from './pull-state';

type Compared = Contract['compareRemix']['answer'];
type BothChanged = Compared['both'][number];

/** The folder of a remix. */
export type UpdateRequest = Omit<PullRequest, 'version'>;

export interface UpdateOutcome {
  /** `up-to-date`: the source has nothing that the remix lacks. */
  status: 'updated' | 'up-to-date' | 'planned';
  /** The listing of which the deck is a remix, the version of it that the deck had, and the one that it shows now. */
  source: Compared['source'];
  /** The version of the deck that the folder is based on. */
  version: number;
  /** What changed in the source, sorted by path, and what became of it. */
  changes: ChangedFile[];
  /** The paths of files that have conflict marks, because both sides changed the same lines. */
  marked: string[];
  /** The paths that a push of this folder ignores. The update does not touch them in the folder. */
  leftOut: string[];
  /** The paths that are not merged yet, because a person has to decide first about lines of a newer version. */
  left: string[];
  /** Whether the folder has changes of the source that the deck lacks: a push publishes them. */
  isToPush: boolean;
}

/**
 * Brings the changes of the source of a remix into the deck and its folder, and keeps the changes of both. The service
 * takes what only the source changed; a pull brings it into the folder. Files that both changed are merged in the
 * folder, as a pull does it, and the next push tells the service. An update that was interrupted is completed by the
 * same call. Rejects with `conflict` when the deck is no remix or its source is not public any more, and as `pull`
 * does.
 */
export async function updateFromSource(
  service: DeckService,
  given: UpdateRequest,
  reporter: Reporter = {},
): Promise<UpdateOutcome> {
  const request = { ...given, folder: await requireFolder(given.folder) };
  const { folder, prefer, dryRun } = request;
  const { presentationId } = request.deckFile;
  const unfinished = await readPullState(folder);
  if (prefer !== 'theirs' && !unfinished) await refuseMarks(folder);
  const compared = await service.get('compareRemix', { presentationId });
  const { source } = compared;
  const known = { source, marked: [], leftOut: [], left: [] };
  if (dryRun) {
    const changes = sorted(takenOf(compared), waiting(compared, request).map(planned));
    return { ...known, status: 'planned', version: compared.version, changes, isToPush: false };
  }
  if (unfinished?.sourceVersion !== undefined) {
    // Until this merge is done, the files of the folder are a mix. What changed besides is left to the next call.
    const version = String(request.deckFile.version);
    const to = await service.get('getPresentationVersion', { presentationId, version });
    const both = compared.both.filter((row) => !isOfPush(row));
    const merged = await mergeBoth(service, request, { source, both, to, unfinished }, reporter);
    if (merged.marked.length > 0)
      return { ...known, ...merged, status: 'updated', version: to.version, isToPush: true };
    request.deckFile = (await readDeckFile(folder)) ?? request.deckFile;
  }
  const changes = await takeOnServer(service, presentationId, compared);
  const { to, leftOut, marked, status } = await pullNewest(service, request, reporter);
  const both = waiting(compared, request);
  const { version } = to;
  const isToPush = request.deckFile.merged !== undefined || both.length > 0;
  if (marked.length > 0) {
    const left = both.map(({ path }) => path);
    return { ...known, status: 'updated', version, changes, marked, leftOut, left, isToPush };
  }
  const merged = both.length === 0 ? undefined : await mergeBoth(service, request, { source, both, to }, reporter);
  return {
    ...known,
    status: changes.length + both.length > 0 || status === 'pulled' ? 'updated' : 'up-to-date',
    version,
    changes: sorted(changes, merged?.changes ?? []),
    marked: merged?.marked ?? [],
    leftOut: [...leftOut, ...(merged?.leftOut ?? [])],
    isToPush,
  };
}

/**
 * The files that both changed and that wait for a merge. The picture that a push draws is none of the author's files.
 */
function waiting({ source, both }: Compared, { deckFile: { merged }, prefer }: UpdateRequest): BothChanged[] {
  // A merge that the service was not told of is in the folder.
  const isKnown = merged?.sourceVersion === source.latest && prefer !== 'theirs';
  const done = new Set(isKnown ? merged.paths : []);
  return both.filter((row) => !done.has(row.path) && !isOfPush(row));
}

const isOfPush = ({ here, source }: BothChanged) => [here, source].some((file) => file !== null && isDrawn(file));

/** What only the source changed. */
const takenOf = ({ added, changed, removed }: Compared): ChangedFile[] => {
  const row =
    (there: ChangedFile['there']) =>
    ({ path }: { path: string }) =>
      ({ path, here: undefined, there, action: 'take' }) as const;
  return [...added.map(row('added')), ...changed.map(row('changed')), ...removed.map(row('removed'))];
};

const changeOf = (before: object | null, after: object | null) => (!before ? 'added' : !after ? 'removed' : 'changed');

/** What an update would do with a file that both changed. */
function planned({ path, base, here, source }: BothChanged): ChangedFile {
  const canMerge = [base, here, source].every((file) => isText(file ?? undefined));
  const changes = { here: changeOf(base, here), there: changeOf(base, source) } as const;
  return { path, ...changes, action: canMerge ? 'merge' : 'conflict' };
}

const sorted = (...lists: (readonly ChangedFile[])[]) =>
  lists.flat().sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));

/**
 * Lets the service take what only the source changed, as a new version. The deck keeps the picture that its push drew.
 */
async function takeOnServer(service: DeckService, presentationId: string, compared: Compared): Promise<ChangedFile[]> {
  const changes = takenOf(compared);
  const merged = compared.both.filter(isOfPush).map(({ path }) => path);
  if (changes.length + merged.length === 0) return [];
  const paths = changes.map(({ path }) => path);
  const versions = { expectedBaseVersion: compared.version, sourceVersion: compared.source.latest };
  const idempotencyKey = crypto.randomUUID();
  await service.post('updateRemix', { presentationId, ...versions, paths, merged }, { idempotencyKey });
  return changes;
}

/** Pulls the newest version. A pull that was interrupted is completed first, with its version. */
async function pullNewest(service: DeckService, request: UpdateRequest, reporter: Reporter): Promise<PullOutcome> {
  const outcome = await pull(service, request, reporter);
  if (outcome.to.isCurrent || outcome.marked.length > 0) return outcome;
  const deckFile = (await readDeckFile(request.folder)) ?? request.deckFile;
  return pull(service, { ...request, deckFile }, reporter);
}

interface Merging {
  source: Compared['source'];
  both: readonly BothChanged[];
  /** The version that the folder is based on. */
  to: Version;
  unfinished?: PullState | undefined;
}

/** Merges the changes of the source into the files of the folder, and notes it for the next push. */
async function mergeBoth(
  service: DeckService,
  request: UpdateRequest,
  { source, both, to, unfinished }: Merging,
  reporter: Reporter,
): Promise<PullOutcome> {
  const deckFile = (await readDeckFile(request.folder)) ?? request.deckFile;
  const sourceVersion = source.latest;
  const earlier = deckFile.merged?.sourceVersion === sourceVersion ? deckFile.merged.paths : [];
  const paths = [...new Set([...earlier, ...both.map(({ path }) => path)])].sort();
  const filesOf = (side: 'base' | 'source') => both.map((row) => row[side]).filter((file) => file !== null);
  // Files that were merged with another version of the source are not merged with this one.
  const merged = unfinished?.sourceVersion === sourceVersion ? unfinished.merged : undefined;
  const states = {
    from: { ...to, files: filesOf('base') },
    to: { ...to, files: filesOf('source') },
    unfinished: unfinished && { ...unfinished, merged },
    merging: { sourceVersion, paths },
  };
  return mergeVersions(service, { ...request, deckFile }, states, reporter);
}
