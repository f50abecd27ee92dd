import { z } from 'zod';
import { fail } from '../errors';
import { sessionView } from '../rows/accounts';
import type { Cursor } from '../values/cursor';
import { newId } from '../values/ids';
import { hashKey, mintSessionToken, sessionIdOf } from '../values/keys';
import { fitsHash, hashOfSecret, mintBinder, mintSessionSecret, sessionIdIn } from '../values/session-secrets';
import { DAY_MS } from '../values/units';
import { collection, date, paths } from './collections';
import { newestPage, read, readIn, type Transaction } from './database';
import { addEvent } from './events';
import { forgetDevices } from './devices';
import { transact } from './transact';
import { userRef } from './users';

/** How long the token lives that a login answers. */
const LOGIN_TTL_MS = 12 * 3600_000;
const EXCHANGE_TTL_MS = 60_000;
/** How long a token lives that a browser gets for its cookie. */
const RENEWED_TTL_MS = 15 * 60_000;
/** A browser stays signed in for 30 days after its last renewal, and for 180 days at most. */
const UNUSED_TTL_MS = 30 * DAY_MS;
const LONGEST_TTL_MS = 180 * DAY_MS;
/** The tokens of a session that are accepted at the same time: one for each tab. The newest are kept. */
const MAX_TOKENS = 50;
/** The cookies of a request that are looked up. A browser has one; other origins of its domain may plant more. */
const MAX_COOKIES = 10;

const expiringHash = z.object({ hash: z.string(), expiresAt: date });

/**
 * A login at the dashboard: of a program, which keeps the token of the login, or of a browser, which renews tokens with
 * its cookie and its binder. All secrets are stored as hashes. The end of a session deletes it, so no token of it is
 * accepted from then on. The TTL policy deletes expired sessions.
 */
const dashboardSession = z.object({
  sessionId: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  /** What the client says about itself: see values/client-name. */
  device: z.string(),
  /** The country from which the browser was last used: two letters; null when Hosting does not tell it. */
  country: z.string().nullable(),
  tokens: z.array(expiringHash),
  /** What a browser exchanges for its cookie; null after that. */
  exchange: expiringHash.nullable(),
  /** Null until the exchange. */
  browser: z.object({ cookieHash: z.string(), binderHash: z.string() }).nullable(),
  createdAt: date,
  lastUsedAt: date,
  expiresAt: date,
});
export type DashboardSession = z.output<typeof dashboardSession>;

const sessions = () => collection(paths.dashboardSessions, dashboardSession);
export const dashboardSessionRef = (sessionId: string) => sessions().doc(sessionId);

const after = (now: Date, ms: number) => new Date(now.getTime() + ms);

/** The session of a live token, and when the token expires; undefined for any other token. One read. */
export async function findDashboardSession(
  token: string,
  now: Date,
): Promise<{ session: DashboardSession; expiresAt: Date } | undefined> {
  const [session] = await read(dashboardSessionRef(sessionIdOf(token)));
  const found = session?.tokens.find(({ hash, expiresAt }) => expiresAt > now && fitsHash(token, hash));
  return session && found && { session, expiresAt: found.expiresAt };
}

/** What a login gets. The secrets are returned only here. */
export interface NewSession {
  sessionId: string;
  token: string;
  exchange: string;
  expiresAt: Date;
}

/** Creates a session with a token of 12 hours, and the secret that a browser exchanges for its cookie. */
export function createDashboardSession(
  tx: Transaction,
  of: Pick<DashboardSession, 'organizationId' | 'userId' | 'device'>,
  now: Date,
): NewSession {
  const sessionId = newId();
  const [token, exchange] = [mintSessionToken(sessionId), mintSessionSecret(sessionId)];
  const expiresAt = after(now, LOGIN_TTL_MS);
  const record = {
    sessionId,
    ...of,
    country: null,
    tokens: [{ hash: hashKey(token), expiresAt }],
    exchange: { hash: hashOfSecret(exchange), expiresAt: after(now, EXCHANGE_TTL_MS) },
    browser: null,
    createdAt: now,
    lastUsedAt: now,
    expiresAt,
  };
  tx.create(dashboardSessionRef(sessionId), record);
  const { organizationId, userId } = of;
  const by = { kind: 'user', userId } as const;
  addEvent(tx, 'session.created', { organizationId, by }, { session: sessionView(record) });
  return { sessionId, token, exchange, expiresAt };
}

/** What a browser gets for its cookie. */
export interface RenewedSession {
  userId: string;
  token: string;
  /** When the token expires. */
  expiresAt: Date;
  cookie: string;
  cookieExpiresAt: Date;
  /** Only after the exchange. */
  binder?: string;
}

/**
 * Turns the session of a login into that of a browser: returns its cookie, its binder and a token of 15 minutes. The
 * cookie and the binder are returned only here. Undefined for a secret that was used, has expired or is unknown.
 */
export function exchangeForCookie(
  exchange: string,
  country: string | null,
  now: Date,
): Promise<RenewedSession | undefined> {
  const sessionId = sessionIdIn(exchange);
  if (sessionId === undefined) return Promise.resolve(undefined);
  return transact(async (tx) => {
    const [session] = await readIn(tx, dashboardSessionRef(sessionId));
    const expected = session?.exchange;
    if (!expected || expected.expiresAt <= now || !fitsHash(exchange, expected.hash)) return undefined;
    const [cookie, binder] = [mintSessionSecret(sessionId), mintBinder()];
    const browser = { cookieHash: hashOfSecret(cookie), binderHash: hashOfSecret(binder) };
    return { ...addToken(tx, session, cookie, { country, exchange: null, browser }, now), binder };
  });
}

/**
 * Returns a new token of 15 minutes for the session whose cookie is among `cookies` and whose binder is `binder`; the
 * earlier tokens stay valid, so that several tabs can renew at once. Undefined when no session fits both. A page of
 * another origin can plant a cookie, but no binder.
 */
export function renewSession(
  cookies: readonly string[],
  binder: string,
  country: string | null,
  now: Date,
): Promise<RenewedSession | undefined> {
  const sent = new Map(
    cookies.slice(0, MAX_COOKIES).flatMap((cookie) => {
      const sessionId = sessionIdIn(cookie);
      return sessionId === undefined ? [] : [[cookie, sessionId] as const];
    }),
  );
  if (sent.size === 0) return Promise.resolve(undefined);
  return transact(async (tx) => {
    const found = await readIn(tx, ...[...new Set(sent.values())].map(dashboardSessionRef));
    for (const [cookie, sessionId] of sent) {
      const session = found.find((each) => each?.sessionId === sessionId);
      if (session && fits(session, cookie, binder, now)) return addToken(tx, session, cookie, { country }, now);
    }
    return undefined;
  });
}

function fits({ browser, expiresAt }: DashboardSession, cookie: string, binder: string, now: Date): boolean {
  if (!browser || expiresAt <= now) return false;
  return fitsHash(cookie, browser.cookieHash) && fitsHash(binder, browser.binderHash);
}

/** Writes a new token of a session, and that the session was used. */
function addToken(
  tx: Transaction,
  { sessionId, userId, tokens, createdAt }: DashboardSession,
  cookie: string,
  changes: Pick<DashboardSession, 'country'> & Partial<Pick<DashboardSession, 'exchange' | 'browser'>>,
  now: Date,
): RenewedSession {
  const cookieExpiresAt = new Date(Math.min(+after(now, UNUSED_TTL_MS), +after(createdAt, LONGEST_TTL_MS)));
  const expiresAt = new Date(Math.min(+after(now, RENEWED_TTL_MS), +cookieExpiresAt));
  const token = mintSessionToken(sessionId);
  const live = tokens.filter((each) => each.expiresAt > now).slice(1 - MAX_TOKENS);
  tx.update(dashboardSessionRef(sessionId), {
    ...changes,
    tokens: [...live, { hash: hashKey(token), expiresAt }],
    lastUsedAt: now,
    expiresAt: cookieExpiresAt,
  });
  return { userId, token, expiresAt, cookie, cookieExpiresAt };
}

const sessionsOf = (userId: string) => sessions().query().where('userId', '==', userId);

/** A page of a user's sessions, newest first, and the cursor of the next page; null on the last page. One query. */
export function listDashboardSessions(
  userId: string,
  limit: number,
  from: Cursor | undefined,
): Promise<{ records: DashboardSession[]; next: string | null }> {
  return newestPage(sessionsOf(userId), 'createdAt', limit, from);
}

/** Ends a session of the user. Its tokens and its cookie are refused from now on. not-found without such a session. */
export function endDashboardSession(userId: string, sessionId: string): Promise<void> {
  return transact(async (tx) => {
    const [session] = await readIn(tx, dashboardSessionRef(sessionId));
    if (session?.userId !== userId) return fail('not-found', undefined, { message: 'You have no such session.' });
    tx.delete(dashboardSessionRef(sessionId));
  });
}

/** The sessions that one transaction ends. A user has a few. */
const ENDED_AT_ONCE = 400;

/** Finds all sessions of the user. Returns what ends them: a transaction reads before it writes. */
export async function endingSessions(tx: Transaction, userId: string): Promise<() => void> {
  const { docs } = await tx.get(sessionsOf(userId).orderBy('createdAt', 'desc'));
  return () => docs.forEach(({ ref }) => tx.delete(ref));
}

/** Ends all sessions of the user, and forgets the devices on which the user has signed in. */
export async function endAllDashboardSessions(userId: string): Promise<void> {
  const endSome = () =>
    transact(async (tx) => {
      const [user] = await readIn(tx, userRef(userId));
      const { docs } = await tx.get(sessionsOf(userId).orderBy('createdAt', 'desc').limit(ENDED_AT_ONCE));
      for (const { ref } of docs) tx.delete(ref);
      if (user) forgetDevices(tx, user);
      return docs.length;
    });
  while ((await endSome()) === ENDED_AT_ONCE);
}
