import { revokeAllKeys } from './api-keys';
import { endAllDashboardSessions } from './dashboard-sessions';
import type { User } from './users';
import { disableAllWebhooks } from './webhooks';

/**
 * Ends all sessions and keys of a user, who gets a new code for each device. Then disables the webhooks, so that nobody
 * who lost access has made another one.
 */
export async function endAccess({ userId, organizationId }: User, now: Date): Promise<void> {
  await endAllDashboardSessions(userId);
  if (!organizationId) return;
  await revokeAllKeys(organizationId, now);
  await disableAllWebhooks(organizationId, now);
}
