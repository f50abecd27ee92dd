import { z } from 'zod';
import { pictureAttemptAt } from '../policy/picture-attempts';
import { collection, date, documentOf, paths } from './collections';
import { documentsOf, readIn, type Transaction } from './database';
import { transact } from './transact';

/** The pictures of the slides of a version that a client sent: see blobs/slide-pictures. */
const sentPictures = z.object({
  /** The id of the object that holds them, one after the other. */
  sentId: z.string(),
  /** The organization of the deck. */
  organizationId: z.string(),
  /** In the order of the slides. */
  slides: z.array(z.object({ key: z.string(), title: z.string().nullable(), sizeBytes: z.number().int() })),
});
export type SentPictures = z.output<typeof sentPictures>;

/**
 * Says that the picture of a version must be made, and perhaps those of its slides. The transaction that creates the
 * version creates it, and the one that stores the pictures deletes it.
 */
const pictureTask = z.object({
  presentationId: z.string(),
  version: z.number().int(),
  /** The attempts that began. An attempt may have ended its process. */
  attempts: z.number().int(),
  dueAt: date,
  /** Null when no pictures of slides were sent since the last task of the version ended. */
  sent: sentPictures.nullable(),
});
export type PictureTask = z.output<typeof pictureTask>;

const refOf = (id: string) => collection(paths.pictureTasks, pictureTask).doc(id);

/** The task of a version. */
export const pictureTaskRef = (presentationId: string, version: number) => refOf(`${presentationId}-${version}`);

export function createPictureTask(tx: Transaction, presentationId: string, version: number, dueAt: Date): void {
  tx.create(pictureTaskRef(presentationId, version), { presentationId, version, attempts: 0, dueAt, sent: null });
}

/** Says that sent pictures must be made. They replace those that wait. */
export function setSentPictures(
  tx: Transaction,
  presentationId: string,
  { version, sent, now }: { version: number; sent: SentPictures; now: Date },
): void {
  tx.set(pictureTaskRef(presentationId, version), { presentationId, version, attempts: 0, dueAt: now, sent });
}

/** Whether no other run has ended the task since an attempt began it, and no other pictures were sent. */
export const isUnchanged = (task: PictureTask, present: PictureTask | undefined): boolean =>
  present !== undefined && present.sent?.sentId === task.sent?.sentId;

/**
 * The tasks that are due, the longest due first. Those with sent pictures take longer and come last, one of each
 * organization in turn.
 */
export async function* duePictureTasks(now: Date): AsyncGenerator<{ id: string }> {
  const due = collection(paths.pictureTasks, pictureTask).query().where('dueAt', '<=', now).orderBy('dueAt');
  const ofOrganizations = new Map<string, string[]>();
  for await (const document of documentsOf(due.select('dueAt', 'sent.organizationId'))) {
    const { id } = document;
    const organizationId = document.get('sent.organizationId') as string | undefined;
    if (organizationId === undefined) yield { id };
    else ofOrganizations.set(organizationId, [...(ofOrganizations.get(organizationId) ?? []), id]);
  }
  while (ofOrganizations.size > 0) {
    for (const [organizationId, [id, ...others]] of ofOrganizations) {
      if (others.length > 0) ofOrganizations.set(organizationId, others);
      else ofOrganizations.delete(organizationId);
      yield { id: id! };
    }
  }
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
