import { isFailure } from '../failure';
import type { PushedFile } from '../pushed-file';
import type { Contract } from '../service/contract';
import type { DeckService } from '../service/service';
import type { Upload } from './file-upload';
import { uploadFiles } from './upload';
import { findMissing, type UploadTarget } from './upload-target';

/** A row of a version's files. */
type ManifestRow = Contract['getPresentationVersion']['answer']['files'][number];

/** Where a drawn picture is in the deck, and its type. The parameter tells it from a picture of the deck's author. */
export const DRAWN_PATH = 'thumbnail.webp';
export const DRAWN_TYPE = 'image/webp; drawn=deck';

/** Whether a push drew the file. Such a file is not a part of the folder: downloads leave it out. */
export const isDrawn = ({ path, contentType }: { path: string; contentType: string }) =>
  path === DRAWN_PATH && contentType === DRAWN_TYPE;

/** Draws the slides of a deck, and the picture that link previews show of a deck without one. */
export interface Illustrator<F extends PushedFile> {
  /** Whether link previews would show no picture of these files. */
  isNeeded(deck: { files: readonly F[]; entryPath: string }): Promise<boolean>;
  /** Whether this computer can draw. */
  canDraw(): Promise<boolean>;
  /**
   * Begins to draw a version whose files have changed, beside the upload. Resolves with the picture for link previews
   * as a file of the source: undefined when it is not wanted (`hasCover`), or could not be drawn. Never rejects, and
   * ends in bounded time.
   */
  begin(deck: { files: readonly F[]; entryPath: string }, hasCover: boolean): Promise<F | undefined>;
}

/** What a push does with the drawn picture of the deck. */
export interface PicturePlan {
  /** The drawn picture of the current version, which the next version keeps when no other one is drawn. */
  kept: ManifestRow | undefined;
  /** Whether to draw one when files have changed. */
  isWanted: boolean;
}

/**
 * Looks up the drawn picture of the current version, which the folder does not hold. `removed` is the number of files
 * that the current version has and the folder lacks: without one, the service is not asked. A new deck may have no
 * target yet.
 */
export async function planPicture<F extends PushedFile>(
  service: DeckService,
  target: UploadTarget | undefined,
  deck: { files: readonly F[]; entryPath: string },
  { removed, illustrator }: { removed: number; illustrator: Illustrator<F> | 'none' | undefined },
): Promise<PicturePlan> {
  const nothing = { kept: undefined, isWanted: false };
  if (illustrator === 'none' || deck.files.some(({ path }) => path === DRAWN_PATH)) return nothing;
  if (illustrator && !(await illustrator.isNeeded(deck))) return nothing;
  const isWanted = illustrator !== undefined && (await illustrator.canDraw());
  if (removed === 0 || target?.kind !== 'deck') return { kept: undefined, isWanted };
  const { presentationId } = target;
  try {
    const { files } = await service.get('getPresentationVersion', { presentationId, version: 'latest' });
    return { kept: files.find(isDrawn), isWanted };
  } catch (error) {
    // A key that may write and not read.
    if (!isFailure(error, 'permission-denied')) throw error;
    return { kept: undefined, isWanted };
  }
}

/** The row of a file in the request of a commit. */
export const rowOf = ({ path, sha256, sizeBytes, contentType }: PushedFile): ManifestRow => ({
  path,
  sha256,
  size: sizeBytes,
  contentType,
});

/** The changes of a version that keeps a drawn picture, which the folder does not hold. */
export const withKept = <C extends { removed: number; unchanged: number }>(changes: C): C => ({
  ...changes,
  removed: changes.removed - 1,
  unchanged: changes.unchanged + 1,
});

/** Uploads a drawn picture. Undefined when there is none or the service refuses it: the push goes on without it. */
export async function uploadPicture<F extends PushedFile>(
  to: Upload<F>,
  picture: F | undefined,
): Promise<ManifestRow | undefined> {
  if (!picture) return undefined;
  try {
    const missing = await findMissing(to.service, to.target, [picture.sha256]);
    if (missing.size > 0) await uploadFiles(to, [picture]);
    return rowOf(picture);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return undefined;
  }
}
