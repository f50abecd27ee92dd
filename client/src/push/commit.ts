import { isFailure, type Failure } from '../failure';
import { plain } from '../format';
import type { PushedFile } from '../pushed-file';
import type { Contract } from '../service/contract';
import type { DeckService } from '../service/service';
import { rowOf, type PicturePlan } from './drawn-picture';
import type { Upload } from './file-upload';
import { uploadFiles } from './upload';
import { findMissing, targetField, type UploadTarget } from './upload-target';

type CommitBody = Contract['commitPresentationVersion']['input'];
/** The answer to the dry run of a commit. */
export type Preview = Extract<Contract['commitPresentationVersion']['answer'], { nextVersion: number }>;
type CommitAnswer = Exclude<Contract['commitPresentationVersion']['answer'], Preview>;

/**
 * Commits the version with the picture, and without it when the service refuses that, such as for a deck that has as
 * many files as the plan allows: a picture that nobody asked for must not fail a push.
 */
export async function commitFiles<F extends PushedFile>(
  to: Upload<F>,
  body: CommitBody,
  files: readonly F[],
  row: PicturePlan['kept'],
): Promise<{ answer: CommitAnswer; hasPicture: boolean }> {
  const { service, target, reporter } = to;
  const send = (complete: CommitBody) => {
    reporter.onCommit?.();
    return commit(service, complete);
  };
  const commitOnce = async (complete: CommitBody) =>
    send(complete).catch(async (error: unknown) => {
      if (!isFailure(error, 'blobs-missing')) throw await explainConflict(service, error, target);
      // The service no longer holds files that it held at the precheck. Upload them, and commit once more.
      const byHash = new Map(files.map((file) => [file.sha256, file]));
      const lost = await findMissing(service, target, [...byHash.keys()]);
      const again = files.filter((file) => lost.delete(file.sha256));
      await uploadFiles(to, again);
      return send(complete);
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
export function commitBody(
  target: UploadTarget,
  { files, entryPath }: { files: readonly PushedFile[]; entryPath: string },
  title: string | undefined,
  { message, force }: { message?: string; force?: boolean },
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
export async function preview(
  service: DeckService,
  target: UploadTarget,
  body: CommitBody,
): Promise<{ changes: Preview; conflict?: Failure }> {
  try {
    return { changes: await dryRun(service, body) };
  } catch (error) {
    if (!isFailure(error, 'conflict')) throw error;
    return { changes: await dryRun(service, { ...body, expectedBaseVersion: undefined }), conflict: error };
  }
}

async function dryRun(service: DeckService, body: CommitBody): Promise<Preview> {
  const answer = await service.post('commitPresentationVersion', { ...body, dryRun: true });
  if (!('nextVersion' in answer)) throw new Error('The service answered a dry run with a commit.');
  return answer;
}

/** Commits. All retries send the same idempotency key, so that a lost answer does not make a second version. */
async function commit(service: DeckService, body: CommitBody): Promise<CommitAnswer> {
  const answer = await service.post('commitPresentationVersion', body, { idempotencyKey: crypto.randomUUID() });
  if ('nextVersion' in answer) throw new Error('The service answered a commit with a dry run.');
  return answer;
}

/**
 * The failure of a commit. A conflict names both versions, who pushed the newer one and when, and what the user can do.
 */
export async function explainConflict(service: DeckService, error: unknown, target: UploadTarget): Promise<unknown> {
  if (!isFailure(error, 'conflict') || target.kind !== 'deck') return error;
  const { serverVersion } = (error.details ?? {}) as { serverVersion?: unknown };
  if (typeof serverVersion !== 'number') return error;
  const pushed = await findVersion(service, target.presentationId, serverVersion);
  const at = pushed && `${pushed.createdAt.slice(0, 16).replace('T', ' ')} UTC`;
  const by = pushed && ` by ${plain(pushed.createdByName ?? 'an admin key')} at ${at}`;
  return error.with({
    message: `The deck is at version ${serverVersion}, pushed${by ?? ' meanwhile'}; this folder is based on version ${target.baseVersion}.`,
    details: { ...error.details, ...(pushed && { updatedByName: pushed.createdByName }) },
    nextAction: `Pull the newer versions into this folder, or overwrite them by force: the folder becomes version ${serverVersion + 1}.`,
  });
}

/** Who made a version, and when. Undefined when the service does not tell it: the failure is shown without it. */
async function findVersion(service: DeckService, presentationId: string, version: number) {
  const listed = await service
    .get('listPresentationVersions', { presentationId }, { canRepeat: false })
    .catch(() => undefined);
  return listed?.versions.find((each) => each.version === version);
}
