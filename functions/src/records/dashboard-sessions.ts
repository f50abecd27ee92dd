import { z } from 'zod';
import { newId } from '../values/ids';
import { hashKey, mintKey } from '../values/keys';
import { collection, date, documentOf, paths } from './collections';
import { read, type Transaction } from './database';

const SESSION_TTL_SECONDS = 12 * 3600;

/** A login at the dashboard, valid for twelve hours. Logout deletes it; the TTL policy deletes expired sessions. */
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

/** The session with this token, expired or not, or undefined. One read. */
export async function findDashboardSession(token: string): Promise<DashboardSession | undefined> {
  const [session] = await read(dashboardSessionRef(token));
  return session;
}

/** Deletes a session: its token is refused from now on. Idempotent. */
export async function endDashboardSession(token: string): Promise<void> {
  await documentOf(dashboardSessionRef(token)).delete();
}

/** Creates a session and returns it with its token. The token is returned only here. */
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
