import type { Timestamp } from 'firebase-admin/firestore';
import { hashKey } from '../../../functions/src/values/keys';
import { passSeconds } from '../../support/clock';
import { succeed, World, type Account } from '../../support/world';

interface Session {
  sessionToken: string;
  expiresAt: string;
  organizationId: string;
  user: { userId: string; displayName: string; email: string };
}
interface Keys {
  keys: { keyId: string; name: string; status: string; scopes: string[]; isCaller: boolean }[];
  limit: number;
  active: number;
}
interface Created {
  apiKey: { keyId: string; raw?: string; scopes: string[] };
}

let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  owner = await world.anOwner();
});
afterAll(() => world.stop());

async function aSession(account = owner): Promise<Session> {
  passSeconds(31);
  await succeed(world.call('cliRequestLoginOtp', { email: account.email }));
  const code = await world.mailedCode(account.email);
  return succeed(world.call<Session>('createDashboardSession', { email: account.email, code }));
}
const list = (key: string) => world.call<Keys>('listApiKeys', undefined, { key });
const create = (key: string, body: object, headers = {}) =>
  world.call<Created>(
    'createApiKey',
    { name: 'publisher', scopes: ['marketplace:publish'], ...body },
    { key, headers },
  );
const revoke = (key: string, keyId?: string) =>
  world.call<{ keyId: string; status: string; revokedAt: string }>('revokeApiKey', { keyId }, { key });

describe('a dashboard session', () => {
  test('lasts twelve hours, and is stored as a hash', async () => {
    const { sessionToken, expiresAt, user, organizationId } = await aSession();
    expect(sessionToken).toMatch(/^cks_[0-9A-Za-z]{49}$/);
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(11.9 * 3600_000);
    expect([user.displayName, user.email, organizationId]).toEqual(['Ada', owner.email, owner.organizationId]);
    const stored = await world.database.collection('dashboardSessions').get();
    expect(JSON.stringify(stored.docs.map((document) => [document.id, document.data()]))).not.toContain(sessionToken);
    expect((await succeed(list(sessionToken))).active).toBe(1);
    passSeconds(12 * 3600 + 1);
    expect((await list(sessionToken)).status).toBe(401);
  });
});

describe('keys', () => {
  test('are made at the dashboard with any of the scopes, and returned raw once', async () => {
    const { sessionToken } = await aSession();
    const { apiKey } = await succeed(create(sessionToken, { description: 'for CI', expiresInDays: 7 }));
    expect(apiKey.scopes).toEqual(['marketplace:publish']);
    expect((await world.call('verifyApiKey', undefined, { key: apiKey.raw! })).data).toMatchObject({
      scopes: ['marketplace:publish'],
    });
    const { keys, limit, active } = await succeed(list(sessionToken));
    expect([keys.map(({ name }) => name), limit, active]).toEqual([['publisher', 'CLI default key'], 20, 2]);
    expect(JSON.stringify(keys)).not.toContain(apiKey.raw);
    expect((await create(owner.key, {})).status).toBe(403);
  });

  test.each([
    { name: ' ' },
    { name: undefined },
    { scopes: [] },
    { scopes: ['everything'] },
    { scopes: 'marketplace:publish' },
    { expiresInDays: 400 },
  ])('are refused with %j', async (body) => {
    const { sessionToken } = await aSession();
    expect((await create(sessionToken, body)).status).toBe(400);
  });

  test('are made once for each Idempotency-Key', async () => {
    const { sessionToken } = await aSession();
    const retry = () => create(sessionToken, {}, { 'idempotency-key': 'k' });
    const [first, second] = [await succeed(retry()), await succeed(retry())];
    const { raw, ...rest } = first.apiKey;
    expect(raw).toBeTruthy();
    expect(second.apiKey).toEqual(rest);
    expect((await succeed(list(sessionToken))).active).toBe(2);
  });

  test('are twenty at most, however many calls race', async () => {
    const { sessionToken } = await aSession();
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => create(sessionToken, { name: `key ${i}` })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ error }) => error.code))).toEqual(new Set(['MAX_API_KEYS_REACHED']));
    expect(refused[0]!.headers.get('retry-after')).toBe(String(refused[0]!.error.details?.['retryInSeconds']));
    const { active } = await succeed(list(sessionToken));
    expect(active).toBe(20);
    await succeed(revoke(sessionToken, owner.keyId));
    expect((await create(sessionToken, {})).status).toBe(200);
  });

  test('are listed to a key with the reading scope, and the list marks that key', async () => {
    await aSession();
    const { keys } = await succeed(list(owner.key));
    expect(keys.filter(({ isCaller }) => isCaller).map(({ keyId }) => keyId)).toEqual([owner.keyId]);
  });

  test('are revoked at the dashboard or by themselves, and refused at the next call', async () => {
    const { sessionToken } = await aSession();
    const { apiKey } = await succeed(create(sessionToken, { scopes: ['presentations:read'] }));
    expect((await revoke(owner.key, apiKey.keyId)).status).toBe(403);
    const first = await succeed(revoke(sessionToken, apiKey.keyId));
    expect(first).toMatchObject({ keyId: apiKey.keyId, status: 'revoked' });
    expect(await succeed(revoke(sessionToken, apiKey.keyId))).toEqual(first);
    expect((await list(apiKey.raw!)).status).toBe(401);
    expect(await succeed(revoke(owner.key))).toMatchObject({ keyId: owner.keyId, status: 'revoked' });
    expect((await list(owner.key)).status).toBe(401);
    expect((await revoke(sessionToken)).status).toBe(400);
  });

  test('of another organization are answered 404', async () => {
    const { sessionToken } = await aSession();
    const stranger = await world.anOwner();
    expect((await revoke(sessionToken, stranger.keyId)).status).toBe(404);
    expect((await world.database.doc(`apiKeys/${hashKey(stranger.key)}`).get()).get('status')).toBe('active');
  });
});

describe('the last use of a key', () => {
  const stored = () => world.database.doc(`apiKeys/${hashKey(owner.key)}`);
  const lastUse = async () => ((await stored().get()).get('lastUsedAt') as Timestamp | null)?.toMillis();
  const verify = () => succeed(world.call('verifyApiKey', undefined, { key: owner.key }));

  test('is written once a minute, however many calls run', async () => {
    passSeconds(0);
    const first = Date.now();
    const cost = await world.costOf(() => Promise.all(Array.from({ length: 30 }, verify)));
    expect(cost.documentWrites).toBe(1);
    expect(await lastUse()).toBe(first);
    passSeconds(59);
    expect((await world.costOf(verify)).documentWrites).toBe(0);
    expect(await lastUse()).toBe(first);
    passSeconds(1);
    expect((await world.costOf(verify)).documentWrites).toBe(1);
    expect(await lastUse()).toBe(first + 60_000);
    // Another instance has written a use of this minute.
    passSeconds(120);
    await stored().update({ lastUsedAt: new Date(Date.now() - 30_000) });
    expect((await world.costOf(verify)).documentWrites).toBe(0);
  });

  test('neither delays nor fails a call when it cannot be written', async () => {
    await world.database.runTransaction(async (tx) => {
      // The lock of this transaction holds the write of the use.
      await tx.get(stored());
      await verify();
      expect(await lastUse()).toBeUndefined();
    });
  });
});
