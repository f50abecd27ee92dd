import { z } from 'zod';
import { collection, paths } from './collections';
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
