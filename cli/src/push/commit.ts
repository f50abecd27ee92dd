import { randomUUID } from 'node:crypto';
import type { Failure } from '../failure';
import type { HashedFile } from '../folder/hash';
import type { Contract } from '../service/contract';
import type { Service } from '../service/service';
import type { Target } from './target';
import { targetField } from './target';

export type CommitBody = Contract['commitPresentationVersion']['input'];
type CommitAnswer = Exclude<Contract['commitPresentationVersion']['answer'], Preview>;

/** What a commit says beyond the files. */
export interface CommitOptions {
  entryPath: string;
  title: string | undefined;
  message: string | undefined;
  force: boolean;
}

/** The request of a commit; the version that the folder is based on goes with it, so that nobody is overwritten unseen. */
export function commitBody(target: Target, files: readonly HashedFile[], options: CommitOptions): CommitBody {
  const { entryPath, title, message, force } = options;
  const expectedBaseVersion = target.kind === 'deck' ? target.baseVersion : undefined;
  return {
    ...targetField(target),
    entryPath,
    files: files.map(({ path, sha256, sizeBytes, contentType }) => ({ path, sha256, size: sizeBytes, contentType })),
    ...(title !== undefined && { title }),
    ...(message !== undefined && { message }),
    ...(expectedBaseVersion !== undefined && { expectedBaseVersion }),
    ...(force && { force }),
  };
}

/** Commits. One idempotency key goes with all tries of it, so that a lost answer does not make a second version. */
export async function commit(service: Service, body: CommitBody): Promise<CommitAnswer> {
  const answer = await service.post('commitPresentationVersion', body, { idempotencyKey: randomUUID() });
  if ('nextVersion' in answer) throw new Error('A commit was answered as a trial.');
  return answer;
}

/** What a trial of a commit answers. */
export type Preview = Extract<Contract['commitPresentationVersion']['answer'], { nextVersion: number }>;

/**
 * What the commit would do, before anything is uploaded: too many or too large files and other people's pushes are told
 * now and not after the last byte.
 */
export async function preview(service: Service, body: CommitBody): Promise<Preview> {
  const answer = await service.post('commitPresentationVersion', { ...body, dryRun: true });
  if (!('nextVersion' in answer)) throw new Error('A trial was answered as a commit.');
  return answer;
}

/** The version that the service has, told with a conflict over the base version. */
export function serverVersionOf(error: Failure): number | undefined {
  const version = (error.details as { serverVersion?: unknown } | undefined)?.serverVersion;
  return typeof version === 'number' ? version : undefined;
}

/** Whether the preview says that nothing would change. */
export function isUnchanged({ added, changed, removed }: Preview): boolean {
  return added + changed + removed === 0;
}
