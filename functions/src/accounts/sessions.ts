import type { z } from 'zod';
import type { createdSession } from '../contract/account-fields';
import type { Transaction } from '../records/database';
import { createDashboardSession } from '../records/dashboard-sessions';
import { deviceTokenFor } from '../records/devices';
import { displayNameOf, type User } from '../records/users';

/** Creates a dashboard session of the user, and returns its answer with the tokens. They are returned only here. */
export function openSession(
  tx: Transaction,
  user: User,
  { organizationId, name }: { organizationId: string; name: string },
  now: Date,
): z.output<typeof createdSession> {
  const { userId, email } = user;
  const { token, expiresAt } = createDashboardSession(tx, { organizationId, userId }, now);
  return {
    sessionToken: token,
    expiresAt: expiresAt.toISOString(),
    organizationId,
    organizationName: name,
    user: { userId, displayName: displayNameOf(user), email },
    deviceToken: deviceTokenFor(user, now),
  };
}
