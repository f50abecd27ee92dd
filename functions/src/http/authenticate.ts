import { isSessionToken, isWellFormedKey } from '../values/keys';
import type { Actor } from '../policy/presentation-access';
import { findApiKey, isLiveKey, touchApiKey, type ApiKey } from '../records/api-keys';
import { endDashboardSession, findDashboardSession } from '../records/dashboard-sessions';
import { fail } from '../errors';
import { header, type Request } from './request';

/** Who calls, and the organization and user for whom (both null for an admin key). */
export interface Caller extends Actor {
  /** What the caller is known by in records: the key's id, or the session's. */
  keyId: string;
  organizationId: string | null;
}

export interface KeyCaller extends Caller {
  kind: 'organization' | 'admin';
  key: ApiKey;
}

/** Somebody at the dashboard. */
export interface SessionCaller extends Member {
  kind: 'session';
  end(): Promise<void>;
}

/** A caller with an organization and a user of its own. */
export interface Member extends Caller {
  organizationId: string;
  userId: string;
}

const dead = (nextAction: string): never => fail('unauthenticated', undefined, { nextAction });

/**
 * The caller of the request, or 401. One read. `used` settles when the use of a key is noted (`lastUsedAt`); it never rejects, since a call must not
 * fail for its bookkeeping.
 */
export async function authenticate(
  request: Request,
  now: Date,
  onFault: (error: unknown) => void,
): Promise<{ caller: KeyCaller | SessionCaller; used?: Promise<void> }> {
  const sent = header(request, 'authorization');
  if (!sent) dead('Send Authorization: Bearer <API_KEY>.');
  const raw = /^Bearer +(\S+)$/i.exec(sent ?? '')?.[1] ?? '';
  // A wrong checksum costs no read: guessing is pointless and typing errors are common.
  if (!isWellFormedKey(raw)) dead('The key is malformed: copy it again, whole.');
  return isSessionToken(raw) ? { caller: await findSession(raw, now) } : findKey(raw, now, onFault);
}

async function findKey(
  raw: string,
  now: Date,
  onFault: (error: unknown) => void,
): Promise<{ caller: KeyCaller; used: Promise<void> }> {
  const key = await findApiKey(raw);
  if (!key || !isLiveKey(key, now)) {
    return dead('The key is not valid any more: log in for a new one with cliRequestLoginOtp.');
  }
  const used = touchApiKey(raw, now).catch(onFault);
  const { kind, keyId, organizationId, userId } = key;
  return { caller: { key, kind, keyId, organizationId, userId }, used };
}

async function findSession(token: string, now: Date): Promise<SessionCaller> {
  const session = await findDashboardSession(token);
  if (!session || session.expiresAt <= now) return dead('The session is over: log in again.');
  const { sessionId, organizationId, userId } = session;
  return { kind: 'session', keyId: sessionId, organizationId, userId, end: () => endDashboardSession(token) };
}
