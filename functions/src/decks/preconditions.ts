import { fail } from '../errors';
import { asMember, type Caller } from '../http/caller';
import type { Presentation } from '../records/presentations';
import type { UploadSession } from '../records/upload-sessions';

/**
 * Returns the session when it is open and belongs to the caller. Throws not-found when it is unknown or expired, and
 * permission-denied when it belongs to another user.
 */
export function assertSession(caller: Caller, session: UploadSession | undefined, now: Date): UploadSession {
  const { organizationId, userId } = asMember(caller);
  if (!session || session.expiresAt <= now) return failUnknownSession(caller);
  if (session.organizationId !== organizationId || session.userId !== userId) return fail('permission-denied');
  return session;
}

/**
 * Throws not-found for a session that is unknown or expired. An admin key gets permission-denied, as for each session.
 */
export function failUnknownSession(caller: Caller): never {
  asMember(caller);
  return fail('not-found', undefined, {
    message: 'The upload session does not exist or has expired.',
    nextAction: 'Call precheckAssets without sessionId for a new session.',
  });
}

/** Throws invalid-argument when the `expiresAt` of an input has passed. */
export function assertFuture(expiresAt: Date | null | undefined, now: Date): void {
  if (!expiresAt || expiresAt > now) return;
  fail('invalid-argument', { errors: [{ location: 'body.expiresAt', message: 'The time must be in the future.' }] });
}

/**
 * Throws conflict when the current version of the deck is not `expectedBaseVersion`, unless `force` is set: a commit
 * must not overwrite a version that its caller has not seen.
 */
export function assertBase(
  input: { expectedBaseVersion?: number | null | undefined; force?: boolean },
  deck: Presentation,
): void {
  const { expectedBaseVersion } = input;
  const serverVersion = deck.current.version;
  if (input.force || typeof expectedBaseVersion !== 'number' || expectedBaseVersion === serverVersion) return;
  fail(
    'conflict',
    { serverVersion, expectedBaseVersion, updatedAt: deck.updatedAt.toISOString(), updatedBy: deck.updatedBy },
    {
      message: 'The current version of the deck is not the version that you started from.',
      nextAction: 'Look at the changes, then call again with expectedBaseVersion = serverVersion, or with force.',
    },
  );
}
