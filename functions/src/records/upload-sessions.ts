import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { newId } from '../values/ids';
import { collection, date, paths } from './collections';
import { idsOf, read, type Transaction } from './database';
import { createDeletion } from './deletions';

export const SESSION_TTL_SECONDS = 3600;

/**
 * The reserved id of a deck that is being uploaded, for an hour. The commit that creates the deck deletes the session.
 */
export const uploadSession = z.object({
  presentationId: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  /** The bytes of its files that the usage of the organization counts; see decks/upload-target. */
  storedBytes: z.number().int().nonnegative(),
  createdAt: date,
  expiresAt: date,
});
export type UploadSession = z.output<typeof uploadSession>;

export const uploadSessionRef = (sessionId: string) => collection(paths.uploadSessions, uploadSession).doc(sessionId);

const reservedIds = new LRUCache<string, string>({ max: 1000 });

/**
 * The deck id that a session reserves; undefined for an unknown session. The id of a session never changes, so the
 * instance caches it. The session may have ended: read it to decide about a call.
 */
export async function findReservedId(sessionId: string): Promise<string | undefined> {
  const known = reservedIds.get(sessionId);
  if (known !== undefined) return known;
  const [session] = await read(uploadSessionRef(sessionId));
  if (session) reservedIds.set(sessionId, session.presentationId);
  return session?.presentationId;
}

/**
 * The session in which a user remixes a version of a listing: each try has the same id. The upload endpoints refuse an
 * id of this shape, so no client can upload to the session.
 */
export const remixSessionId = (userId: string, slug: string, version: number) =>
  `remix-${createHash('sha256')
    .update(JSON.stringify([userId, slug, version]))
    .digest('hex')}`;

/** A session of one hour with a new deck id. */
export function newUploadSession(
  { organizationId, userId }: Pick<UploadSession, 'organizationId' | 'userId'>,
  now: Date,
): UploadSession {
  const expiresAt = new Date(now.getTime() + SESSION_TTL_SECONDS * 1000);
  return { presentationId: newId(), organizationId, userId, storedBytes: 0, createdAt: now, expiresAt };
}

/** Lets `finishDeletions` delete the files of an ended session. The caller deletes or replaces the session. */
function abandonSession(tx: Transaction, { presentationId }: UploadSession, deletedAt: Date): void {
  createDeletion(tx, { presentationId, ownerId: null, listingSlug: null, deletedBy: 'system', deletedAt });
}

/** Creates the session of a remix, or replaces an expired one. Returns the reserved deck id. */
export function openRemixSession(
  tx: Transaction,
  sessionId: string,
  expired: UploadSession | undefined,
  of: Pick<UploadSession, 'organizationId' | 'userId'>,
  now: Date,
): string {
  if (expired) abandonSession(tx, expired, expired.expiresAt);
  const session = newUploadSession(of, now);
  tx.set(uploadSessionRef(sessionId), session);
  return session.presentationId;
}

/** Stores the bytes that the usage of the organization counts for a session. */
export function setSessionBytes(tx: Transaction, sessionId: string, storedBytes: number): void {
  tx.update(uploadSessionRef(sessionId), { storedBytes });
}

/**
 * Deletes a session that expired, or that ends with its account at `endedAt`. `finishDeletions` deletes the files of
 * the session.
 */
export function expireSession(
  tx: Transaction,
  sessionId: string,
  session: UploadSession,
  endedAt = session.expiresAt,
): void {
  abandonSession(tx, session, endedAt);
  tx.delete(uploadSessionRef(sessionId));
}

/** The upload sessions of an organization. */
export const sessionsOfOrganization = (organizationId: string): AsyncGenerator<{ id: string }> =>
  idsOf(
    collection(paths.uploadSessions, uploadSession)
      .query()
      .where('organizationId', '==', organizationId)
      .orderBy('storedBytes'),
  );

/** The sessions that expired at or before this time, oldest first. */
export function expiredSessions(now: Date): AsyncGenerator<{ id: string }> {
  return idsOf(
    collection(paths.uploadSessions, uploadSession).query().where('expiresAt', '<=', now).orderBy('expiresAt'),
  );
}
