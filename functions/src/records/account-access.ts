import { revokeAllKeys } from './api-keys';
import { endAllDashboardSessions } from './dashboard-sessions';
import type { User } from './users';

/** Ends all sessions and keys of a user, who gets a new code for each device. */
export async function endAccess({ userId, organizationId }: User, now: Date): Promise<void> {
  await endAllDashboardSessions(userId);
  if (organizationId) await revokeAllKeys(organizationId, now);
}
