import { asMember } from '../http/authorize';
import type { Presentation } from '../records/presentations';
import type { UploadSession } from '../records/upload-sessions';
import { type Caller } from '../http/authenticate';
import { fail } from '../errors';

/** The session, if it is open and the caller's own: 404 when it is unknown or expired, 403 when it is somebody else's. */
export function assertSession(caller: Caller, session: UploadSession | undefined, now: Date): UploadSession {
  const { organizationId, userId } = asMember(caller);
  if (!session || session.expiresAt <= now) {
    return fail('not-found', undefined, {
      message: 'There is no such upload session, or its hour is over.',
      nextAction: 'Call precheckAssets without sessionId for a new session.',
    });
  }
  if (session.organizationId !== organizationId || session.userId !== userId) return fail('permission-denied');
  return session;
}

/** Of two commits on one base, the second is told that it would overwrite the first. */
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
      message: 'The deck has another version than the one that you started from.',
      nextAction: 'Look at what changed, then commit again with expectedBaseVersion = serverVersion, or with force.',
    },
  );
}
