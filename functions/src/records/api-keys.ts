import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { fail } from '../errors';
import { currentContext, type Doer } from '../context';
import { keyView } from '../rows/accounts';
import { newId } from '../values/ids';
import { MAX_ACTIVE_KEYS, hashKey, keyPrefix, mintKey, scopes, type Scope } from '../values/keys';
import { DAY_MS } from '../values/units';
import { collection, date, documentOf, paths } from './collections';
import { documentsOf, read, type Transaction } from './database';
import { addEvent } from './events';
import { transact } from './transact';
import { disablingOf } from './webhooks';

export const apiKey = z.object({
  keyId: z.string(),
  kind: z.enum(['organization', 'admin']),
  keyPrefix: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  scopes: z.array(z.enum(scopes)),
  organizationId: z.string().nullable(),
  userId: z.string().nullable(),
  status: z.enum(['active', 'revoked']),
  createdAt: date,
  lastUsedAt: date.nullable(),
  expiresAt: date.nullable(),
  revokedAt: date.nullable(),
});
export type ApiKey = z.output<typeof apiKey>;

const apiKeyRef = (raw: string) => collection(paths.apiKeys, apiKey).doc(hashKey(raw));

/** The key with this raw value, or undefined. One read. */
export async function findApiKey(raw: string): Promise<ApiKey | undefined> {
  const [key] = await read(apiKeyRef(raw));
  return key;
}

/** `lastUsedAt` is right to this time. */
const NOTED_EVERY_MS = 60_000;

/** When this instance last wrote the use of a key, by key id. Parallel calls read the key before that write. */
const notedUses = new LRUCache<string, number>({ max: 10_000 });

/**
 * Stores the time of the last use of a key, outside of a transaction: one write a minute for each instance and key.
 * Firestore sustains about one write a second on a document, and a push makes many calls a second with one key.
 * Undefined when nothing is to be written.
 */
export function noteUse(raw: string, { keyId, lastUsedAt }: ApiKey, now: Date): Promise<unknown> | undefined {
  const isRecent = (time: number | undefined) => time !== undefined && Math.abs(now.getTime() - time) < NOTED_EVERY_MS;
  if (isRecent(lastUsedAt?.getTime()) || isRecent(notedUses.get(keyId))) return undefined;
  notedUses.set(keyId, now.getTime());
  return documentOf(apiKeyRef(raw)).update({ lastUsedAt: now });
}

/** Whether the key is neither revoked nor expired at this time. */
export function isLiveKey(key: ApiKey, now: Date): boolean {
  return key.status === 'active' && (key.expiresAt === null || key.expiresAt > now);
}

/** Deletes every key of an organization, revoked ones included. */
export async function deleteKeys(organizationId: string): Promise<void> {
  const keys = collection(paths.apiKeys, apiKey).query().where('organizationId', '==', organizationId);
  for await (const { ref } of documentsOf(keys.orderBy('createdAt', 'desc').select())) await ref.delete();
}

const unrevokedKeys = (organizationId: string) =>
  collection(paths.apiKeys, apiKey)
    .query()
    .where('organizationId', '==', organizationId)
    .where('status', '==', 'active');

/** The keys of an organization that are neither revoked nor expired. One query, which does not read revoked keys. */
async function findLiveKeys(tx: Transaction | undefined, organizationId: string, now: Date): Promise<ApiKey[]> {
  const active = unrevokedKeys(organizationId);
  const { docs } = await (tx ? tx.get(active) : active.get());
  return docs.map((document) => document.data()).filter((key) => isLiveKey(key, now));
}

/**
 * MAX_API_KEYS_REACHED when the organization has 20 active keys. The query is part of the transaction, so parallel
 * logins count each other's keys.
 */
export async function assertRoomForKey(tx: Transaction, organizationId: string, now: Date): Promise<void> {
  const active = await findLiveKeys(tx, organizationId, now);
  if (active.length < MAX_ACTIVE_KEYS) return;
  // A key becomes free when the first one expires. Without an expiry only a revocation helps; the client is then told
  // to retry in an hour.
  const expiries = active.flatMap((key) => key.expiresAt ?? []).map((time) => time.getTime() - now.getTime());
  const retryInSeconds = expiries.length > 0 ? Math.ceil(Math.min(...expiries) / 1000) : 3600;
  fail('MAX_API_KEYS_REACHED', { limit: MAX_ACTIVE_KEYS, active: active.length, retryInSeconds });
}

export interface NewKey {
  name: string;
  description?: string | null;
  scopes: Scope[];
  organizationId: string;
  userId: string;
  expiresInDays?: number | null | undefined;
}

/** Creates an organization key and returns its record with the raw key. The raw key is returned only here. */
export function createApiKey(tx: Transaction, key: NewKey, now: Date): ApiKey & { raw: string } {
  return writeKey(tx, 'organization', key, now);
}

/**
 * Creates an admin key, which has every scope and no owner. Only the operator's command creates admin keys. The raw key
 * is returned only here.
 */
export function createAdminKey(
  tx: Transaction,
  key: Pick<NewKey, 'name' | 'expiresInDays'>,
  now: Date,
): ApiKey & { raw: string } {
  return writeKey(tx, 'admin', { ...key, scopes: [...scopes], organizationId: null, userId: null }, now);
}

type AnyKey = Omit<NewKey, 'organizationId' | 'userId'> & Pick<ApiKey, 'organizationId' | 'userId'>;

function writeKey(tx: Transaction, kind: ApiKey['kind'], key: AnyKey, now: Date): ApiKey & { raw: string } {
  const raw = mintKey(kind);
  const record: ApiKey = {
    keyId: newId(),
    kind,
    keyPrefix: keyPrefix(raw),
    name: key.name,
    description: key.description ?? null,
    scopes: key.scopes,
    organizationId: key.organizationId,
    userId: key.userId,
    status: 'active',
    createdAt: now,
    lastUsedAt: null,
    expiresAt: key.expiresInDays ? new Date(now.getTime() + key.expiresInDays * DAY_MS) : null,
    revokedAt: null,
  };
  tx.create(apiKeyRef(raw), record);
  const { organizationId, userId } = record;
  // A signup and a login have no caller yet.
  const by = currentContext()?.doer ? {} : { by: { kind: 'user' as const, userId } };
  if (organizationId) addEvent(tx, 'key.created', { organizationId, ...by }, { key: keyView(record) });
  return { ...record, raw };
}

/**
 * Every key with this id or prefix, of any organization, admin keys included. Several keys may share a prefix. One
 * query.
 */
export async function findKeys(by: { keyId: string } | { keyPrefix: string }): Promise<ApiKey[]> {
  const [field, value] = 'keyId' in by ? (['keyId', by.keyId] as const) : (['keyPrefix', by.keyPrefix] as const);
  const found = await collection(paths.apiKeys, apiKey).query().where(field, '==', value).get();
  return found.docs.map((document) => document.data());
}

/** How many keys of the organization are neither revoked nor expired. */
export async function countLiveKeys(organizationId: string, now: Date): Promise<number> {
  return (await findLiveKeys(undefined, organizationId, now)).length;
}

/** Every key of an organization, newest first. One query. */
export async function listApiKeys(organizationId: string): Promise<ApiKey[]> {
  const found = await collection(paths.apiKeys, apiKey)
    .query()
    .where('organizationId', '==', organizationId)
    .orderBy('createdAt', 'desc')
    .get();
  return found.docs.map((document) => document.data());
}

/**
 * Revokes a key of the organization and returns the time of its revocation, which is the earlier one for a revoked key.
 * not-found when the organization has no key with this id.
 */
export function revokeApiKey(organizationId: string, keyId: string, now: Date): Promise<Date> {
  return transact((tx) => revokeKey(tx, organizationId, keyId, now));
}

/** Revokes every key of the organization that works. */
export async function revokeAllKeys(organizationId: string, now: Date): Promise<void> {
  for (const { keyId } of await findLiveKeys(undefined, organizationId, now)) {
    await revokeApiKey(organizationId, keyId, now);
  }
}

/**
 * Finds the keys of an organization that are not revoked. Returns what deletes them: a transaction reads before it
 * writes.
 */
export async function deletingKeys(tx: Transaction, organizationId: string): Promise<() => void> {
  const { docs } = await tx.get(unrevokedKeys(organizationId));
  return () => docs.forEach(({ ref }) => tx.delete(ref));
}

const keyQuery = (organizationId: string | null, keyId: string) =>
  collection(paths.apiKeys, apiKey)
    .query()
    .where('organizationId', '==', organizationId)
    .where('keyId', '==', keyId)
    .limit(1);

const mayEditWebhooks = ({ scopes: has }: ApiKey) =>
  has.includes('presentations:read') && has.includes('presentations:write');

/**
 * Throws unauthenticated when the key of the caller was revoked meanwhile. The transaction locks the key, so the
 * revocation finds what the key makes in it. One query for a key, none for a session.
 */
export async function assertUnrevoked(tx: Transaction, { organizationId, key }: Doer): Promise<void> {
  if (!key) return;
  const [found] = (await tx.get(keyQuery(organizationId, key.keyId))).docs;
  if (found?.data().status !== 'active')
    fail('unauthenticated', undefined, { nextAction: 'The key is no longer valid.' });
}

/** Revokes like `revokeApiKey` in a transaction. Admin keys have the organization null. Reads before it writes. */
export async function revokeKey(
  tx: Transaction,
  organizationId: string | null,
  keyId: string,
  now: Date,
): Promise<Date> {
  const [found] = (await tx.get(keyQuery(organizationId, keyId))).docs;
  const key = found?.data();
  if (!found || !key) return fail('not-found', undefined, { message: 'The organization has no key with this id.' });
  if (key.revokedAt) return key.revokedAt;
  const disableWebhooks =
    organizationId && mayEditWebhooks(key) ? await disablingOf(tx, { organizationId, keyId }, now) : undefined;
  tx.update(found.ref, { status: 'revoked', revokedAt: now });
  const revoked = { ...key, status: 'revoked' as const };
  if (organizationId) addEvent(tx, 'key.revoked', { organizationId }, { key: keyView(revoked) });
  disableWebhooks?.();
  return now;
}
