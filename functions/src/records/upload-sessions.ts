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
function newUploadSession(
  { organizationId, userId }: Pick<UploadSession, 'organizationId' | 'userId'>,
  now: Date,
): UploadSession {
  const expiresAt = new Date(now.getTime() + SESSION_TTL_SECONDS * 1000);
  return { presentationId: newId(), organizationId, userId, createdAt: now, expiresAt };
}

/** Hands what was stored in an expired session to finishDeletions. The caller deletes or replaces the session. */
function abandonSession(tx: Transaction, { presentationId, userId, expiresAt }: UploadSession): void {
  createDeletion(tx, { presentationId, ownerId: null, deletedBy: userId, deletedAt: expiresAt });
}

/** Opens a session and returns its id. */
export async function openSession(of: Pick<UploadSession, 'organizationId' | 'userId'>, now: Date) {
  const [sessionId, session] = [newId(), newUploadSession(of, now)];
  await uploadSessionRef(sessionId).create(session);
  return { sessionId, presentationId: session.presentationId };
}

/** Opens the session of a remix, in the place of an expired one when there is one. Returns the reserved deck id. */
export function openRemixSession(
  tx: Transaction,
  sessionId: string,
  expired: UploadSession | undefined,
  of: Pick<UploadSession, 'organizationId' | 'userId'>,
  now: Date,
): string {
  if (expired) abandonSession(tx, expired);
  const session = newUploadSession(of, now);
  tx.set(uploadSessionRef(sessionId), session);
  return session.presentationId;
}

/** Deletes an expired session; finishDeletions deletes what was stored in it. */
export function expireSession(tx: Transaction, sessionId: string, session: UploadSession): void {
  abandonSession(tx, session);
  tx.delete(uploadSessionRef(sessionId));
}

/** The sessions whose hour is over, the oldest first. */
export function expiredSessions(now: Date): AsyncGenerator<QueryDocumentSnapshot<UploadSession>> {
  return documentsOf(
    collection(paths.uploadSessions, uploadSession).where('expiresAt', '<=', now).orderBy('expiresAt'),
  );
}
