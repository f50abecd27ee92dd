import type { DeckFile } from '../deck-file';
import { isFailure, type Failure } from '../failure';
import { askInfo, askUsage, type Usage } from '../inspection/ask-service';
import type { Warning } from '../inspection/warning';
import type { Amount, Reporter } from '../reporter';
import type { Contract } from '../service/contract';
import type { DeckService } from '../service/service';
import { planPicture, rowOf, uploadPicture, withKept, type Illustrator, type PicturePlan } from './drawn-picture';
import { assertNewDeckFits } from './new-deck-caps';
import type { SessionStore } from './session-store';
import { sumFiles, type FileSource, type PushedFile } from './source';
import { uploadFiles, type Upload } from './upload';
import { findMissing, precheck, targetField, type Destination, type UploadTarget } from './upload-target';

/** What a push may change besides the files. */
export interface PushOptions {
  /** The path of the HTML file that opens the deck. Default: the entry of the last push, or else `index.html`. */
  entry?: string;
  /** Default for a new deck: the `<title>` of the entry, or else the name of the folder. */
  title?: string;
  /** A note about the version. */
  message?: string;
  /** Whether to overwrite versions that were pushed after `baseVersion`. */
  force?: boolean;
  /** Whether to only tell what the push would change. Nothing is uploaded. */
  dryRun?: boolean;
}

/** The deck that the files become a version of, and how. */
export interface FilesRequest<F extends PushedFile> {
  destination: Destination;
  /** What the last push of these files to this deck stored. With it, a push of unchanged files makes no version. */
  remembered?: Pick<DeckFile, 'title' | 'entryPath'> | undefined;
  options?: PushOptions;
  /**
   * Draws a picture for link previews. Without one, the deck keeps the picture that an earlier push drew. `none` leaves
   * it out.
   */
  illustrator?: Illustrator<F> | 'none' | undefined;
  /** Where the upload session of a new deck is kept. Without it, an interrupted push begins again. */
  sessions?: SessionStore | undefined;
}

/** What a push did. */
export interface FilesOutcome<F extends PushedFile> {
  status: 'pushed' | 'unchanged' | 'planned';
  /** Undefined only for the dry run of a new deck. */
  presentationId?: string;
  /**
   * The version that was made; for `unchanged` the current version, for `planned` the version that a push would make.
   */
  version: number;
  /**
   * The first link to the latest version of a deck that was pushed. Null when the deck has none. Undefined when it is not
   * known, or the personal link of a mail's recipient, which is not meant for others.
   */
  shareUrl?: string | null | undefined;
  title?: string | undefined;
  entryPath: string;
  files: F[];
  /** What was uploaded; for `planned` what a push would upload. */
  uploaded: Amount;
  /** The drawn picture of the version: a new one, or that of the version before. Undefined when it has none. */
  picture?: 'drawn' | 'kept' | undefined;
  /** How the files differ from the version before. Undefined for a new deck that is planned, and for `unchanged`. */
  changes?: Preview;
  warnings: Warning[];
}

interface Push<F extends PushedFile> extends Upload<F> {
  reporter: Reporter;
}
type CommitBody = Contract['commitPresentationVersion']['input'];
/** The answer to the dry run of a commit. */
type Preview = Extract<Contract['commitPresentationVersion']['answer'], { nextVersion: number }>;
type CommitAnswer = Exclude<Contract['commitPresentationVersion']['answer'], Preview>;

/**
 * One push: read, hash, inspect, precheck, preview, upload, commit. Throws `file-changed` when a file changed
 * meanwhile. The caller may then push the same request again.
 */
export async function pushFiles<F extends PushedFile>(
  service: DeckService,
  source: FileSource<F>,
  request: FilesRequest<F>,
  reporter: Reporter = {},
): Promise<FilesOutcome<F>> {
  const { destination, remembered, options = {}, sessions, illustrator } = request;
  const entry = { chosen: options.entry, remembered: remembered?.entryPath };
  const info = askInfo(service).then((told) => {
    if (told) reporter.onService?.(told);
    return told;
  });
  let askedUsage: Promise<Usage | undefined> | undefined;
  const usage = () => (askedUsage ??= askUsage(service));
  const { files, entryPath } = await source.read(entry, reporter);
  const inspection = source.inspect({ files, entryPath }, { info, usage }).then((warnings) => {
    if (warnings.length > 0) reporter.onWarnings?.(warnings);
    return warnings;
  });
  const isNew = destination.kind === 'new-deck';
  const title =
    options.title?.trim() ?? (isNew ? await source.title(files.find(({ path }) => path === entryPath)) : undefined);
  const outcome = { title: title ?? remembered?.title, entryPath, files };
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  if (options.dryRun && isNew) {
    const warnings = await inspection;
    assertNewDeckFits(files, await info, await usage());
    const { isWanted } = await planPicture(service, undefined, outcome, { removed: 0, illustrator });
    const planned = { ...outcome, uploaded: sumFiles(byHash.values()), picture: picture(isWanted) };
    return { ...planned, status: 'planned', version: 1, warnings };
  }

  const { target, missing } = await precheck(service, destination, [...byHash.keys()], sessions).catch(
    async (error: unknown) => {
      // The failure is the last thing that the user reads.
      await inspection;
      throw error;
    },
  );
  const { presentationId } = target;
  const [warnings] = await Promise.all([inspection, info]);
  const body = commitBody(target, outcome, title, options);
  const { changes: counted, conflict } = await preview(service, target, body);
  const { kept, isWanted } = await planPicture(service, target, outcome, { removed: counted.removed, illustrator });
  const changes = kept ? withKept(counted) : counted;
  const { nextVersion } = changes;
  const areFilesSame = changes.added + changes.changed + changes.removed === 0;
  if (areFilesSame && isSameTitleAndEntry(request, entryPath)) {
    const unchanged = { ...outcome, uploaded: { files: 0, bytes: 0 }, warnings, picture: picture(false, kept) };
    return { ...unchanged, status: 'unchanged', presentationId, version: nextVersion - 1 };
  }
  if (conflict) throw conflict;
  const toUpload = [...missing].map((hash) => byHash.get(hash)).filter((file) => file !== undefined);
  const uploaded = sumFiles(toUpload);
  const isDrawing = isWanted && !areFilesSame;
  if (options.dryRun) {
    const planned = { ...outcome, uploaded, changes, warnings, picture: picture(isDrawing, kept) };
    return { ...planned, status: 'planned', presentationId, version: nextVersion };
  }

  const drawing = isDrawing && typeof illustrator === 'object' ? illustrator.draw(outcome) : undefined;
  const to = { service, target, source, reporter };
  await upload(to, toUpload);
  const drawn = await uploadPicture({ ...to, reporter: {} }, await drawing);
  const committed = await commitFiles(to, body, files, drawn ?? kept);
  const { version, shareUrl: first, shareUrlIsPersonal } = committed.answer;
  const shareUrl = shareUrlIsPersonal ? undefined : first;
  const made = { ...outcome, uploaded, changes, warnings };
  const pushed = { ...made, picture: committed.hasPicture ? picture(!!drawn, kept) : undefined };
  return { ...pushed, status: 'pushed', presentationId, version, shareUrl };
}

const picture = (isDrawn: boolean, kept?: PicturePlan['kept']): FilesOutcome<never>['picture'] =>
  isDrawn ? 'drawn' : kept && 'kept';

/**
 * Commits the version with the picture, and without it when the service refuses that, such as for a deck that has as
 * many files as the plan allows: a picture that nobody asked for must not fail a push.
 */
async function commitFiles<F extends PushedFile>(
  to: Push<F>,
  body: CommitBody,
  files: readonly F[],
  row: PicturePlan['kept'],
): Promise<{ answer: CommitAnswer; hasPicture: boolean }> {
  const { service, target } = to;
  const commitOnce = async (complete: CommitBody) =>
    commit(service, complete).catch(async (error: unknown) => {
      if (!isFailure(error, 'blobs-missing')) throw explainConflict(error, target);
      // The service no longer holds files that it held at the precheck. Upload them, and commit once more.
      const byHash = new Map(files.map((file) => [file.sha256, file]));
      const lost = await findMissing(service, target, [...byHash.keys()]);
      const again = files.filter((file) => lost.delete(file.sha256));
      await upload(to, again);
      return commit(service, complete);
    });
  if (row)
    try {
      return { answer: await commitOnce({ ...body, files: [...files.map(rowOf), row] }), hasPicture: true };
    } catch (error) {
      if (!isFailure(error) || error.status === undefined || error.status >= 500) throw error;
    }
  return { answer: await commitOnce(body), hasPicture: false };
}

/** The request of the commit. With the version that the folder is based on, the service can refuse a conflict. */
function commitBody(
  target: UploadTarget,
  { files, entryPath }: { files: readonly PushedFile[]; entryPath: string },
  title: string | undefined,
  { message, force }: PushOptions,
): CommitBody {
  const expectedBaseVersion = target.kind === 'deck' ? target.baseVersion : undefined;
  return {
    ...targetField(target),
    entryPath,
    files: files.map(rowOf),
    ...(title !== undefined && { title }),
    ...(message !== undefined && { message }),
    ...(expectedBaseVersion !== undefined && { expectedBaseVersion }),
    ...(force && { force }),
  };
}

/**
 * The changes of the commit, before any upload: a limit of the plan or a conflict is found before bytes are sent. A
 * conflict is returned and not thrown, because it does not matter when the current version holds the same files as the
 * folder. That is the case when the answer to an earlier push was lost.
 */
async function preview(
  service: DeckService,
  target: UploadTarget,
  body: CommitBody,
): Promise<{ changes: Preview; conflict?: Failure }> {
  try {
    return { changes: await dryRun(service, body) };
  } catch (error) {
    const conflict = explainConflict(error, target);
    if (!isFailure(conflict, 'conflict')) throw conflict;
    return { changes: await dryRun(service, { ...body, expectedBaseVersion: undefined }), conflict };
  }
}

async function dryRun(service: DeckService, body: CommitBody): Promise<Preview> {
  const answer = await service.post('commitPresentationVersion', { ...body, dryRun: true });
  if (!('nextVersion' in answer)) throw new Error('The service answered a dry run with a commit.');
  return answer;
}

/** Whether title and entry are unchanged. The preview compares only the files. */
function isSameTitleAndEntry(
  { destination, remembered, options = {} }: Pick<FilesRequest<never>, 'destination' | 'remembered' | 'options'>,
  entryPath: string,
): boolean {
  // A new deck that holds the files already was made by this push, and the answer to its commit was lost.
  if (destination.kind === 'new-deck') return true;
  const isSameTitle = options.title === undefined || options.title.trim() === remembered?.title;
  return isSameTitle && (remembered ? entryPath === remembered.entryPath : options.entry === undefined);
}

async function upload<F extends PushedFile>(to: Push<F>, files: readonly F[]): Promise<void> {
  const { reporter } = to;
  if (files.length === 0) return;
  const amount = sumFiles(files);
  reporter.onStart?.('upload', amount);
  await uploadFiles(to, files);
  reporter.onEnd?.('upload', amount);
}

/** Commits. All retries send the same idempotency key, so that a lost answer does not make a second version. */
async function commit(service: DeckService, body: CommitBody): Promise<CommitAnswer> {
  const answer = await service.post('commitPresentationVersion', body, { idempotencyKey: crypto.randomUUID() });
  if ('nextVersion' in answer) throw new Error('The service answered a commit with a dry run.');
  return answer;
}

/** The failure of a commit. A conflict names both versions, and what the user can do. */
function explainConflict(error: unknown, target: UploadTarget): unknown {
  if (!isFailure(error, 'conflict') || target.kind !== 'deck') return error;
  const { serverVersion } = (error.details ?? {}) as { serverVersion?: unknown };
  if (typeof serverVersion !== 'number') return error;
  return error.with({
    message: `The deck is at version ${serverVersion}; this folder is based on version ${target.baseVersion}.`,
    nextAction: `Pull the newer versions into this folder, or overwrite them by force: the folder becomes version ${serverVersion + 1}.`,
  });
}
