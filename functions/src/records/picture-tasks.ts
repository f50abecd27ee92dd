import { z } from 'zod';
import { pictureAttemptAt } from '../policy/picture-attempts';
import { collection, date, documentOf, paths } from './collections';
import { idsOf, readIn, type Transaction } from './database';
import { transact } from './transact';

/**
 * Says that the picture of a version must be made. The transaction that creates the version creates it, and the one that
 * stores the picture deletes it.
 */
const pictureTask = z.object({
  presentationId: z.string(),
  version: z.number().int(),
  /** The attempts that began. An attempt may have ended its process. */
  attempts: z.number().int(),
  dueAt: date,
});
export type PictureTask = z.output<typeof pictureTask>;

const refOf = (id: string) => collection(paths.pictureTasks, pictureTask).doc(id);

/** The task of a version. */
export const pictureTaskRef = (presentationId: string, version: number) => refOf(`${presentationId}-${version}`);

export function createPictureTask(tx: Transaction, presentationId: string, version: number, dueAt: Date): void {
  tx.create(pictureTaskRef(presentationId, version), { presentationId, version, attempts: 0, dueAt });
}

/** The tasks that are due, the longest due first. */
export function duePictureTasks(now: Date): AsyncGenerator<{ id: string }> {
  return idsOf(collection(paths.pictureTasks, pictureTask).query().where('dueAt', '<=', now).orderBy('dueAt'));
}

/**
 * Begins an attempt and returns the task. The next attempt is due later, so of two runs one gets the task, and a file
 * that ends the process does not keep the other tasks waiting. Undefined when another run has the task, or ended it.
 */
export function beginPictureTask(id: string, now: Date): Promise<PictureTask | undefined> {
  return transact(async (tx) => {
    const [task] = await readIn(tx, refOf(id));
    if (!task || task.dueAt > now) return undefined;
    const attempts = task.attempts + 1;
    tx.update(refOf(id), { attempts, dueAt: pictureAttemptAt(attempts, now) });
    return { ...task, attempts };
  });
}

/** Deletes the task of a version that does not exist any more. */
export async function endPictureTask({ presentationId, version }: PictureTask): Promise<void> {
  await documentOf(pictureTaskRef(presentationId, version)).delete();
}
