import { setTimeout as delay } from 'node:timers/promises';
import type { Doer } from '../context';
import { fail } from '../errors';
import { mayAct, type Actor, type DeckRole } from '../policy/presentation-access';
import { findApiKey, isLiveKey, noteUse, type ApiKey } from '../records/api-keys';
import { findDashboardSession } from '../records/dashboard-sessions';
import { isSessionToken, isWellFormedKey, type Scope } from '../values/keys';
import { header, type Request } from './request';

/** The caller of a request. An admin key has neither an organization nor a user: both are null. */
export interface Caller extends Actor {
  /** The id of the key or session. Records and logs name the caller by it. */
  keyId: string;
  organizationId: string | null;
}

export interface KeyCaller extends Caller {
  kind: 'organization' | 'admin';
  key: ApiKey;
}

/** A dashboard session. */
export interface SessionCaller extends Member {
  kind: 'session';
  /** When the token of the request expires. */
  expiresAt: Date;
}

/** A caller that acts for a user of an organization. */
export interface Member extends Caller {
  organizationId: string;
  userId: string;
}

/**
 * The longest time that an answer waits for the note of its key's use. The platform throttles the CPU after the answer,
 * so a note that has not ended by then may be lost; the next minute writes another one.
 */
const NOTE_WAIT_MS = 250;

const refuse = (nextAction: string): never => fail('unauthenticated', undefined, { nextAction });

/**
 * Finds the key or session of the request with one read. Throws unauthenticated when it is missing, malformed, unknown,
 * revoked or expired. `noted` resolves when `lastUsedAt` of a key is written, or after 250 ms. It never rejects:
 * `onFault` gets the error, and the call continues.
 */
export async function authenticate(
  request: Request,
  now: Date,
  onFault: (error: unknown) => void,
): Promise<{ caller: KeyCaller | SessionCaller; noted?: Promise<void> | undefined }> {
  if (!header(request, 'authorization')) refuse('Send Authorization: Bearer <API_KEY>.');
  const raw = bearerOf(request);
  // A key holds a checksum: a typing error or a guess is refused without a read.
  if (!isWellFormedKey(raw)) refuse('The key is malformed. Copy the whole key again.');
  return isSessionToken(raw) ? { caller: await findSession(raw, now) } : findKey(raw, now, onFault);
}

/** The key or session token of the request, unchecked. Empty when it has none. */
export const bearerOf = (request: Request): string =>
  /^Bearer +(\S+)$/i.exec(header(request, 'authorization') ?? '')?.[1] ?? '';

async function findKey(
  raw: string,
  now: Date,
  onFault: (error: unknown) => void,
): Promise<{ caller: KeyCaller; noted: Promise<void> | undefined }> {
  const key = await findApiKey(raw);
  if (!key || !isLiveKey(key, now)) {
    return refuse('The key is no longer valid. Log in with cliRequestLoginOtp for a new key.');
  }
  const noted = noteUse(raw, key, now)?.catch(onFault);
  const { kind, keyId, organizationId, userId } = key;
  const caller = { key, kind, keyId, organizationId, userId };
  return {
    caller,
    noted: noted && Promise.race([noted, delay(NOTE_WAIT_MS, undefined, { ref: false })]).then(() => {}),
  };
}

async function findSession(token: string, now: Date): Promise<SessionCaller> {
  const found = await findDashboardSession(token, now);
  if (!found) return refuse('The session has ended. Log in again.');
  const { sessionId, organizationId, userId } = found.session;
  return { kind: 'session', keyId: sessionId, organizationId, userId, expiresAt: found.expiresAt };
}

/** Throws permission-denied when the key lacks the scope. An admin key has every scope. */
export function assertScope(caller: KeyCaller, scope: Scope): void {
  if (caller.kind === 'admin' || caller.key.scopes.includes(scope)) return;
  fail('permission-denied', { requiredScope: scope }, { nextAction: `Use a key with the scope ${scope}.` });
}

/** Returns the caller with its organization and user. Throws permission-denied for an admin key, which has neither. */
export function asMember(caller: Caller): Member {
  const { organizationId, userId } = caller;
  if (organizationId === null || userId === null) {
    return fail('permission-denied', undefined, {
      nextAction: 'Use a key of an organization. An admin key does not belong to an organization.',
    });
  }
  return { ...caller, organizationId, userId };
}

/**
 * The caller as events and records name it. Throws permission-denied for an admin key, which does not belong to an
 * organization.
 */
export function asDoer(caller: KeyCaller | SessionCaller): Doer {
  const { organizationId, userId } = asMember(caller);
  const key = caller.kind === 'session' ? undefined : { keyId: caller.keyId, name: caller.key.name };
  return { organizationId, userId, key };
}

interface Ownership {
  ownerId: string;
  memberIds: readonly string[];
  presentationId?: string;
  unusedMemberIds?: readonly string[] | null | undefined;
}

/**
 * Returns the deck when it exists and the caller has the role that the endpoint declares. Throws not-found when there
 * is no deck and permission-denied when the caller lacks the role.
 */
export type Authorize = <Deck extends Ownership>(deck: Deck | undefined) => Deck;

/**
 * Binds the check to one call. `role` comes from the endpoint's definition, so a handler cannot check another role.
 * `onCheck` runs at every check, and `onFirstUse` when the caller is a dev who has called nothing on the deck yet.
 */
export function authorizer(
  caller: () => Caller | undefined,
  role: DeckRole,
  onCheck: () => void,
  onFirstUse: (presentationId: string, userId: string) => void,
): Authorize {
  return (deck) => {
    onCheck();
    if (!deck) return fail('not-found', undefined, { message: 'There is no such deck.' });
    const by = caller();
    if (by && mayAct(by, role, deck)) {
      const { presentationId, unusedMemberIds } = deck;
      if (presentationId && by.userId && unusedMemberIds?.includes(by.userId)) onFirstUse(presentationId, by.userId);
      return deck;
    }
    return fail('permission-denied', undefined, {
      message: role === 'owner' ? 'Only the owner of the deck may do that.' : 'This deck is not shared with you.',
    });
  };
}
