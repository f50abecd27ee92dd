import { z } from 'zod';
import { newId } from '../values/ids';
import { hashKey, mintKey } from '../values/keys';
import { collection, paths } from './collections';
import { read, type Transaction } from './database';
import { date } from './fields';

const SESSION_TTL_SECONDS = 12 * 3600;

/** A person at the dashboard for twelve hours. Ended ones are deleted, expired ones leave by the TTL policy. */
const dashboardSession = z.object({
  sessionId: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  createdAt: date,
  expiresAt: date,
});
export type DashboardSession = z.output<typeof dashboardSession>;

const dashboardSessionRef = (token: string) =>
  collection(paths.dashboardSessions, dashboardSession).doc(hashKey(token));

/** The session with that token, if there is one. One read. */
export async function findDashboardSession(token: string): Promise<DashboardSession | undefined> {
  const [session] = await read(dashboardSessionRef(token));
  return session;
}

/** Ends a session: its token is refused from now on. */
export async function endDashboardSession(token: string): Promise<void> {
  await dashboardSessionRef(token).delete();
}

/** Writes a new session and returns it with its token, which is kept nowhere. */
export function createDashboardSession(
  tx: Transaction,
  of: { organizationId: string; userId: string },
  now: Date,
): DashboardSession & { token: string } {
  const token = mintKey('session');
  const expiresAt = new Date(now.getTime() + SESSION_TTL_SECONDS * 1000);
  const session = { sessionId: newId(), ...of, createdAt: now, expiresAt };
  tx.create(dashboardSessionRef(token), session);
  return { ...session, token };
}
