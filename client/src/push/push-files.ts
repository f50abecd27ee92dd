import type { DeckFile, Merged } from '../deck-file';
import { Failure, isFailure } from '../failure';
import { MAX_TITLE_LENGTH } from '../folder/title';
import { askInfo, askUsage, type Usage } from '../inspection/ask-service';
import { refuseSecrets, secretWarning, type Secret } from '../inspection/secret';
import type { Warning } from '../inspection/warning';
import { sumFiles, type Amount, type PushedFile } from '../pushed-file';
import type { Reporter } from '../reporter';
import type { DeckService } from '../service/service';
import { commitBody, commitFiles, explainConflict, preview, type Preview } from './commit';
import { planPicture, uploadPicture, withKept, type Illustrator, type PicturePlan } from './drawn-picture';
import { assertNewDeckFits } from './new-deck-caps';
import type { SessionStore } from './session-store';
import type { FileSource } from './source';
import { uploadFiles } from './upload';
import { precheck, type Destination } from './upload-target';

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
  /** Whether to publish files that look like secrets. Default: the push is refused with the code `secrets`. */
  allowSecrets?: boolean;
}

/** The deck that the files become a version of, and how. */
export interface FilesRequest<F extends PushedFile> {
  destination: Destination;
  /** What the last push of these files to this deck stored. With it, a push of unchanged files makes no version. */
  remembered?: Pick<DeckFile, 'title' | 'entryPath' | 'merged'> | undefined;
  options?: PushOptions;
  /**
   * Draws the slides, and a picture for link previews. Without one, the deck keeps the picture that an earlier push
   * drew. `none` leaves it out.
   */
  illustrator?: Illustrator<F> | 'none' | undefined;
  /** Asks whether to publish what looks like a secret. Without it, `options.allowSecrets` decides alone. */
  confirmSecrets?: ((secrets: readonly Secret[]) => Promise<boolean>) | undefined;
  /** Where the upload session of a new deck is kept. Without it, an interrupted push begins again. */
  sessions?: SessionStore | undefined;
}

interface Outcome<F extends PushedFile> {
  /**
   * The version that was made; for `unchanged` the current version, for `planned` the version that a push would make.
   */
  version: number;
  title?: string | undefined;
  entryPath: string;
  files: F[];
  /** What was uploaded; for `planned` what a push would upload. */
  uploaded: Amount;
  /** The drawn picture of the version: a new one, or that of the version before. Undefined when it has none. */
  picture?: 'drawn' | 'kept' | undefined;
  /** How the files differ from the version before. Undefined for a new deck that is planned, and for `unchanged`. */
  changes?: Preview | undefined;
  warnings: Warning[];
}

/** What a push did. `unchanged`: the deck holds these files already, and got no version. */
export interface FinishedPush<F extends PushedFile> extends Outcome<F> {
  status: 'pushed' | 'unchanged';
  presentationId: string;
  /** The first link to the latest version of the deck. Null when the deck has none, or when it is not known. */
  shareUrl: string | null;
  /**
   * Whether the service told the link. It does not for an unchanged deck, and a link that belongs to the recipient of a
   * mail is not told: `getSharedPresentationInfo` has all links.
   */
  isLinkKnown: boolean;
  /** Merges with the source of a remix of which the service was not told. The next push tells it. */
  untold?: Merged | undefined;
}

/** What a push would do. */
export interface PlannedPush<F extends PushedFile> extends Outcome<F> {
  status: 'planned';
  /** Undefined for a new deck. */
  presentationId: string | undefined;
}

export type FilesOutcome<F extends PushedFile> = FinishedPush<F> | PlannedPush<F>;

/** A request that is not a dry run. */
export interface NoDryRun {
  options?: { dryRun?: false };
}

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
  const given = titleOf(options);
  const asked = askOnce(service, reporter);
  const entry = { chosen: options.entry, remembered: remembered?.entryPath };
  const { files, entryPath } = await source.read(entry, reporter);
  const inspection = source.inspect({ files, entryPath }, asked).then((warnings) => {
    if (warnings.length > 0) reporter.onWarnings?.(warnings);
    return warnings;
  });
  const isNew = destination.kind === 'new-deck';
  const title = given ?? (isNew ? await source.title(files.find(({ path }) => path === entryPath)) : undefined);
  const deck = { title: title ?? remembered?.title, entryPath, files };
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  if (options.dryRun && isNew) {
    const warnings = [...(await inspection), ...(await searchSecrets(files, request, source, reporter))];
    assertNewDeckFits(files, await asked.info, await asked.usage());
    const { isWanted } = await planPicture(service, undefined, deck, { removed: 0, illustrator });
    const uploaded = sumFiles(byHash.values());
    const picture = pictureOf(isWanted);
    return { ...deck, status: 'planned', presentationId: undefined, version: 1, uploaded, picture, warnings };
  }

  const { target, missing } = await precheck(service, destination, [...byHash.keys()], sessions).catch(
    async (error: unknown) => {
      // The failure is the last thing that the user reads.
      await inspection;
      throw error;
    },
  );
  const [inspected] = await Promise.all([inspection, asked.info]);
  const body = commitBody(target, deck, title, options);
  const { changes: counted, conflict } = await preview(service, target, body);
  const { kept, isWanted } = await planPicture(service, target, deck, { removed: counted.removed, illustrator });
  const changes = kept ? withKept(counted) : counted;
  const { nextVersion: version } = changes;
  const areFilesSame = changes.added + changes.changed + changes.removed === 0;
  const isDrawing = isWanted && !areFilesSame;
  const toUpload = [...missing].map((hash) => byHash.get(hash)).filter((file) => file !== undefined);
  const uploaded = sumFiles(toUpload);
  const { presentationId } = target;
  const planned = {
    ...deck,
    presentationId,
    version,
    uploaded,
    picture: pictureOf(isDrawing, kept),
    changes,
    warnings: inspected,
  };
  const isSame = areFilesSame && (isNew ? isMade(service, planned) : isSameTitleAndEntry(request, entryPath));
  if (await isSame)
    return {
      ...planned,
      status: 'unchanged',
      version: version - 1,
      uploaded: sumFiles([]),
      changes: undefined,
      ...linkOf(undefined),
    };
  if (conflict) throw await explainConflict(service, conflict, target);
  // What the deck holds already is published: it is not asked about again.
  const isNewHere = ({ sha256 }: F) => missing.has(sha256);
  const secrets = await searchSecrets(files.filter(isNewHere), request, source, reporter);
  planned.warnings = [...inspected, ...secrets];
  if (options.dryRun) return { ...planned, status: 'planned' };

  const isChanged = !areFilesSame && typeof illustrator === 'object';
  const drawing = isChanged ? illustrator.begin(deck, isDrawing) : undefined;
  const to = { service, target, source, reporter };
  await uploadFiles(to, toUpload);
  const drawn = await uploadPicture({ ...to, reporter: {} }, await drawing);
  const { answer, hasPicture } = await commitFiles(to, body, files, drawn ?? kept);
  const picture = hasPicture ? pictureOf(!!drawn, kept) : undefined;
  const link = linkOf(answer.shareUrlIsPersonal ? undefined : answer.shareUrl);
  return { ...planned, status: 'pushed', version: answer.version, picture, ...link };
}

/** The link as the outcome tells it. Undefined when it is not known. */
const linkOf = (shareUrl: string | null | undefined) => ({
  shareUrl: shareUrl ?? null,
  isLinkKnown: shareUrl !== undefined,
});

/** The title that the caller wishes. A dry run of a new deck does not ask the service about it. */
function titleOf({ title }: PushOptions): string | undefined {
  const given = title?.trim();
  if (given === undefined || (given.length > 0 && given.length <= MAX_TITLE_LENGTH)) return given;
  throw new Failure(`A title has 1 to ${MAX_TITLE_LENGTH} characters.`, { code: 'wrong-title' });
}

/**
 * Warnings of what looks like secrets. Throws `secrets` when nobody allows to publish it; a dry run publishes nothing.
 */
async function searchSecrets<F extends PushedFile>(
  files: readonly F[],
  { options = {}, confirmSecrets }: FilesRequest<F>,
  source: FileSource<F>,
  reporter: Reporter,
): Promise<Warning[]> {
  const secrets = (await source.findSecrets?.(files)) ?? [];
  if (secrets.length === 0) return [];
  const isAllowed = options.dryRun || options.allowSecrets;
  if (!isAllowed && !(await confirmSecrets?.(secrets))) throw refuseSecrets(secrets);
  const warnings = secrets.map(secretWarning);
  // Who was asked has read them.
  if (isAllowed) reporter.onWarnings?.(warnings);
  return warnings;
}

/** What the service tells about itself, and about the caller's plan at the first call. It is asked once for a push. */
function askOnce(service: DeckService, reporter: Reporter) {
  const info = askInfo(service).then((told) => {
    if (told) reporter.onService?.(told);
    return told;
  });
  let asked: Promise<Usage | undefined> | undefined;
  return { info, usage: () => (asked ??= askUsage(service)) };
}

const pictureOf = (isDrawn: boolean, kept?: PicturePlan['kept']): FilesOutcome<never>['picture'] =>
  isDrawn ? 'drawn' : kept && 'kept';

/**
 * Whether a new deck that holds the files already has their title and entry. An earlier run made it, the answer to its
 * commit was lost, and this run may choose others.
 */
async function isMade(
  service: DeckService,
  { presentationId, title, entryPath }: { presentationId: string; title?: string | undefined; entryPath: string },
): Promise<boolean> {
  try {
    const made = await service.get('getPresentationVersion', { presentationId, version: 'latest' });
    return made.title === title?.normalize('NFC') && made.entryPath === entryPath;
  } catch (error) {
    // A key that may write and not read.
    if (!isFailure(error, 'permission-denied')) throw error;
    return true;
  }
}

/** Whether title and entry are unchanged. The preview compares only the files. */
function isSameTitleAndEntry(
  { remembered, options = {} }: Pick<FilesRequest<never>, 'remembered' | 'options'>,
  entryPath: string,
): boolean {
  const isSameTitle = options.title === undefined || options.title.trim() === remembered?.title;
  return isSameTitle && (remembered ? entryPath === remembered.entryPath : options.entry === undefined);
}
