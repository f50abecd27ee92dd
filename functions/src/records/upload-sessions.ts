import type { QueryDocumentSnapshot } from 'firebase-admin/firestore';
import { z } from 'zod';
import { collection, paths } from './collections';
import { documentsOf } from './database';
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

/** The sessions whose hour is over, the oldest first. */
export function expiredSessions(now: Date): AsyncGenerator<QueryDocumentSnapshot<UploadSession>> {
  return documentsOf(
    collection(paths.uploadSessions, uploadSession).where('expiresAt', '<=', now).orderBy('expiresAt'),
  );
}
