import type { z } from 'zod';
import type { createdSession } from '../contract/account-fields';
import type { Transaction } from '../records/database';
import { createDashboardSession } from '../records/dashboard-sessions';
import { deviceTokenFor } from '../records/devices';
import { type User } from '../records/users';
import { displayNameOf } from '../values/display-name';
import { clientName } from '../values/client-name';

/** The client that signs in: its header `User-Agent`, and the time. */
interface Client {
  userAgent: string | undefined;
  now: Date;
}

/** Creates a dashboard session of the user, and returns its answer with the tokens. They are returned only here. */
export function openSession(
  tx: Transaction,
  user: User,
  { organizationId, name }: { organizationId: string; name: string },
  { userAgent, now }: Client,
): z.output<typeof createdSession> {
  const { userId, email } = user;
  const of = { organizationId, userId, device: clientName(userAgent) };
  const { token, exchange, expiresAt } = createDashboardSession(tx, of, now);
  return {
    sessionToken: token,
    expiresAt: expiresAt.toISOString(),
    exchange,
    organizationId,
    organizationName: name,
    user: { userId, displayName: displayNameOf(user), email },
    deviceToken: deviceTokenFor(user, now),
  };
}
