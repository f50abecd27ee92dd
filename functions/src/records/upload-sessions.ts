import { createHash } from 'node:crypto';
import type { QueryDocumentSnapshot } from 'firebase-admin/firestore';
import { z } from 'zod';
import { newId } from '../values/ids';
import { collection, paths } from './collections';
import { documentsOf, type Transaction } from './database';
import { createDeletion } from './deletions';
import { date } from './fields';

export const SESSION_TTL_SECONDS = 3600;

/** The reserved id of a deck that is being uploaded; consumed by its commit. */
export const uploadSession = z.object({
  presentationId: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  createdAt: date,
  expiresAt: date,
});
export type UploadSession = z.output<typeof uploadSession>;

export const uploadSessionRef = (sessionId: string) => collection(paths.uploadSessions, uploadSession).doc(sessionId);

/**
 * The session in which a user remixes a version of a listing: the same one in every try. Its id has not the shape of those that clients may send,
 * so nobody uploads into it.
 */
export const remixSessionId = (userId: string, slug: string, version: number) =>
  `remix-${createHash('sha256')
    .update(JSON.stringify([userId, slug, version]))
    .digest('hex')}`;

/** A session that begins now and reserves a new id. */
export function newUploadSession(
  { organizationId, userId }: Pick<UploadSession, 'organizationId' | 'userId'>,
  now: Date,
): UploadSession {
  const expiresAt = new Date(now.getTime() + SESSION_TTL_SECONDS * 1000);
  return { presentationId: newId(), organizationId, userId, createdAt: now, expiresAt };
}

/** Leaves what was stored in a session whose hour is over to finishDeletions. Whoever calls it deletes or replaces the session. */
export function abandonSession(tx: Transaction, { presentationId, userId, expiresAt }: UploadSession): void {
  createDeletion(tx, { presentationId, ownerId: null, deletedBy: userId, deletedAt: expiresAt });
}

/** The sessions whose hour is over, the oldest first. */
export function expiredSessions(now: Date): AsyncGenerator<QueryDocumentSnapshot<UploadSession>> {
  return documentsOf(
    collection(paths.uploadSessions, uploadSession).where('expiresAt', '<=', now).orderBy('expiresAt'),
  );
}
