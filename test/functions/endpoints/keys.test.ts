import type { Timestamp } from 'firebase-admin/firestore';
import { version } from '../../../functions/package.json';
import { planCaps } from '../../../functions/src/policy/plans';
import { hashKey } from '../../../functions/src/values/keys';
import { atOnce, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { bucket, storedObjects } from '../../support/whole-store';
import { succeed, World, type Account } from '../../support/world';

/** What a client learns of the service, the keys and sessions of an account, and its profile. */

const MB = 1024 * 1024;
let world: World;
let owner: Account;
let session: string;
beforeAll(async () => {
  world = await World.start({ platformLimits: true });
});
beforeEach(async () => {
  owner = await world.anOwner();
  session = await world.aDashboardSession(owner);
});
afterEach(() => {
  process.env['TRUSTED_PROXY_HOPS'] = '1';
});
afterAll(() => world.stop());

interface Keys {
  keys: { keyId: string; name: string; status: string; scopes: string[]; isCaller: boolean }[];
  limit: number;
  active: number;
}
interface Created {
  apiKey: { keyId: string; raw?: string; scopes: string[] };
}
const list = (key = session) => world.call<Keys>('listApiKeys', undefined, { key });
const create = (body: object = {}, headers = {}, key = session) =>
  world.call<Created>(
    'createApiKey',
    { name: 'publisher', scopes: ['marketplace:publish'], ...body },
    { key, headers },
  );
const revoke = (key: string, keyId?: string) =>
  world.call<{ keyId: string; status: string; revokedAt: string }>('revokeApiKey', { keyId }, { key });

interface Shown {
  user: Record<string, unknown>;
  organization: Record<string, unknown> & { logo: { contentType: string } | null };
  expiresAt: string | null;
}
const account = (key: string) => succeed(world.call<Shown>('getAccount', undefined, { key }));
const update = (changes: object) =>
  world.call<Pick<Shown, 'organization'>>('updateOrganization', changes, { key: session });
const rename = async (changes: object) =>
  (await succeed(world.call<Pick<Shown, 'user'>>('updateProfile', changes, { key: session }))).user;

test('a client learns the addresses, the limits and the plans before it pushes, and may keep them for an hour', async () => {
  const { data, headers } = await world.call('getServiceInfo');
  expect(headers.get('cache-control')).toBe('public, max-age=3600');
  const { baseUrl, hostingUrl: viewerUrl, marketplaceUrl } = world.cloud;
  expect(data).toEqual({
    version,
    baseUrl,
    viewerUrl,
    marketplaceUrl,
    deckOrigins: true,
    client: { oldest: '0.1.0', download: `${viewerUrl}/deckhost.tgz` },
    limits: {
      requestBytes: 32 * MB,
      responseBytes: 10 * MB,
      pageBytes: 30 * MB,
      manifestBytes: 16 * MB,
      precheckHashes: 2000,
      uploadFiles: 200,
      uploadBytes: 31 * MB,
      directUploads: 500,
      sessionSeconds: 3600,
      recipients: 20,
      keys: 20,
    },
    plans: planCaps,
  });
  const deckOrigin = process.env['DECK_ORIGIN']!;
  process.env['DECK_ORIGIN'] = '';
  const without = await world.call('getServiceInfo');
  process.env['DECK_ORIGIN'] = deckOrigin;
  expect(without.data['deckOrigins']).toBe(false);
});

test('getClientAddress tells which entry of X-Forwarded-For counts, and answers at most 20 entries of 100 characters', async () => {
  const seenWith = async (hops: string, entries: string[]) => {
    process.env['TRUSTED_PROXY_HOPS'] = hops;
    const forwarded = { headers: { 'x-forwarded-for': entries.join(', ') } };
    const { data, headers } = await world.call('getClientAddress', undefined, forwarded);
    expect(headers.get('cache-control')).toBe('no-store');
    return data;
  };
  const forwardedFor = ['10.0.0.1', '203.0.113.7', '198.51.100.2'];
  for (const [trustedProxyHops, clientAddress] of ['127.0.0.1', '198.51.100.2', '203.0.113.7'].entries()) {
    const seen = await seenWith(String(trustedProxyHops), forwardedFor);
    expect(seen).toEqual({ clientAddress, forwardedFor, trustedProxyHops });
  }
  const entries = Array.from({ length: 30 }, (_, i) => `${i}`.padStart(200, '0'));
  const long = (await seenWith('1', entries)) as Record<string, string>;
  expect(long['forwardedFor']).toEqual(entries.slice(-20).map((entry) => entry.slice(0, 100)));
  expect(long['clientAddress']).toHaveLength(100);
});

test('a dashboard session lasts twelve hours, and is stored as a hash', async () => {
  passSeconds(31);
  const { email, organizationId } = owner;
  await succeed(world.call('cliRequestLoginOtp', { email }));
  const code = await world.mailedCode(email);
  const made = await succeed(world.call<Record<string, string>>('createDashboardSession', { email, code }));
  const token = made['sessionToken']!;
  expect(token).toMatch(/^cks_[0-9A-Za-z]{49}$/);
  expect(Date.parse(made['expiresAt']!) - Date.now()).toBeGreaterThan(11.9 * 3600_000);
  expect(made).toMatchObject({ user: { displayName: 'Ada', email }, organizationId });
  const stored = await world.database.collection('dashboardSessions').get();
  expect(JSON.stringify(stored.docs.map((document) => [document.id, document.data()]))).not.toContain(token);
  expect((await succeed(list(token))).active).toBe(1);
  passSeconds(12 * 3600 + 1);
  expect((await list(token)).status).toBe(401);
});

describe('keys', () => {
  test('are made at the dashboard with any of the scopes, returned raw once, and listed', async () => {
    const { apiKey } = await succeed(create({ description: 'for CI', expiresInDays: 7 }));
    const scopes = ['marketplace:publish'];
    expect(apiKey.scopes).toEqual(scopes);
    expect((await world.call('verifyApiKey', undefined, { key: apiKey.raw! })).data).toMatchObject({ scopes });
    const { keys, limit, active } = await succeed(list());
    expect([keys.map(({ name }) => name), limit, active]).toEqual([['publisher', 'CLI default key'], 20, 2]);
    expect(JSON.stringify(keys)).not.toContain(apiKey.raw);
    expect((await create({ name: ' ' })).status).toBe(400);
    // A list marks the key that asks for it.
    const marked = (await succeed(list(owner.key))).keys.filter(({ isCaller }) => isCaller);
    expect(marked.map(({ keyId }) => keyId)).toEqual([owner.keyId]);
  });

  test('are made once for each Idempotency-Key', async () => {
    const retry = () => succeed(create({}, { 'idempotency-key': 'k' }));
    const { raw, ...rest } = (await retry()).apiKey;
    expect(raw).toBeTruthy();
    expect((await retry()).apiKey).toEqual(rest);
    expect((await succeed(list())).active).toBe(2);
  });

  test('are twenty at most, however many calls race', async () => {
    const answers = await atOnce(25, (i) => create({ name: `key ${i}` }));
    expect(outcomes(answers)).toEqual({ ok: 19, MAX_API_KEYS_REACHED: 6 });
    const { headers, error } = answers.find(({ status }) => status !== 200)!;
    expect(headers.get('retry-after')).toBe(String(error.details?.['retryInSeconds']));
    expect((await succeed(list())).active).toBe(20);
    await succeed(revoke(session, owner.keyId));
    expect((await create()).status).toBe(200);
  });

  test('are revoked at the dashboard or by themselves, and refused at the next call', async () => {
    const { apiKey } = await succeed(create({ scopes: ['presentations:read'] }));
    expect((await revoke(owner.key, apiKey.keyId)).status).toBe(403);
    const first = await succeed(revoke(session, apiKey.keyId));
    expect(first).toMatchObject({ keyId: apiKey.keyId, status: 'revoked' });
    expect(await succeed(revoke(session, apiKey.keyId))).toEqual(first);
    expect((await list(apiKey.raw)).status).toBe(401);
    expect(await succeed(revoke(owner.key))).toMatchObject({ keyId: owner.keyId, status: 'revoked' });
    expect((await list(owner.key)).status).toBe(401);
    expect((await revoke(session)).status).toBe(400);
  });

  test('of another organization are answered 404', async () => {
    const stranger = await world.anOwner();
    expect((await revoke(session, stranger.keyId)).status).toBe(404);
    expect((await world.database.doc(`apiKeys/${hashKey(stranger.key)}`).get()).get('status')).toBe('active');
  });
});

describe('the last use of a key', () => {
  const stored = () => world.database.doc(`apiKeys/${hashKey(owner.key)}`);
  const lastUse = async () => ((await stored().get()).get('lastUsedAt') as Timestamp | null)?.toMillis();
  const verify = () => succeed(world.call('verifyApiKey', undefined, { key: owner.key }));
  const writes = async (work: () => Promise<unknown> = verify) => (await world.costOf(work)).documentWrites;

  test('is written once a minute, however many calls run', async () => {
    passSeconds(0);
    const first = Date.now();
    expect(await writes(() => atOnce(30, verify))).toBe(1);
    expect(await lastUse()).toBe(first);
    passSeconds(59);
    expect([await writes(), await lastUse()]).toEqual([0, first]);
    passSeconds(1);
    expect([await writes(), await lastUse()]).toEqual([1, first + 60_000]);
    // Another instance has written a use of this minute.
    passSeconds(120);
    await stored().update({ lastUsedAt: new Date(Date.now() - 30_000) });
    expect(await writes()).toBe(0);
  });

  test('neither delays nor fails a call when it cannot be written', async () => {
    await world.database.runTransaction(async (tx) => {
      // The lock of this transaction holds the write of the use.
      await tx.get(stored());
      await verify();
      expect(await lastUse()).toBeUndefined();
    });
    // A call that waits for the write is answered after a minute.
  }, 30_000);
});

describe('the account', () => {
  test('is shown to a key, whose expiry it names', async () => {
    const { userId, email, organizationId } = owner;
    expect(await account(owner.key)).toMatchObject({
      user: { userId, email, firstName: 'Ada', lastName: null },
      organization: { organizationId, name: "Ada's workspace" },
      expiresAt: null,
    });
    expect((await world.call('getAccount', undefined, { key: await world.anAdmin() })).status).toBe(403);
  });

  test('takes the fields that are sent, and keeps the others', async () => {
    expect(await rename({ lastName: ' Lovelace ' })).toMatchObject({ displayName: 'Ada Lovelace' });
    expect(await rename({ firstName: 'Grace' })).toMatchObject({ displayName: 'Grace Lovelace' });
    expect(await rename({ lastName: null })).toMatchObject({ displayName: 'Grace', lastName: null });
    await succeed(update({ name: 'Engines', tone: 'Precise', brandPrimary: 'ABCDEF' }));
    await succeed(update({ tone: null }));
    const { organization, user } = await account(session);
    expect(organization).toMatchObject({ name: 'Engines', tone: null, brandPrimary: '#abcdef' });
    expect(user['firstName']).toBe('Grace');
  });

  test.each([
    ['updateProfile', {}, 'invalid-argument'],
    ['updateProfile', { firstName: ' ' }, 'USER_FIRST_NAME_REQUIRED'],
    ['updateProfile', { lastName: 'x'.repeat(61) }, 'USER_NAME_TOO_LONG'],
    ['updateOrganization', {}, 'invalid-argument'],
    ['updateOrganization', { name: ' ' }, 'invalid-argument'],
    ['updateOrganization', { name: 'x'.repeat(101) }, 'COMPANY_NAME_TOO_LONG'],
    ['updateOrganization', { brandAccent: 'red' }, 'BRAND_COLOR_INVALID'],
    ['updateOrganization', { logo: { data: 'eHg=', contentType: 'image/png' } }, 'LOGO_INVALID_FORMAT'],
    ['updateOrganization', { logo: { data: '*', contentType: 'image/png' } }, 'LOGO_DECODE_FAILED'],
  ])('%s refuses %j', async (name, body, code) => {
    expect(await refusal(world.call(name, body, { key: session }))).toEqual([400, code]);
  });
});

describe('the logo', () => {
  const svg = (text: string) => `<svg xmlns="http://www.w3.org/2000/svg"><title>${text}</title></svg>`;
  const send = (text: string) =>
    succeed(update({ logo: { data: Buffer.from(svg(text)).toString('base64'), contentType: 'image/svg+xml' } }));
  const shown = () =>
    fetch(`${world.cloud.baseUrl}/getOrganizationLogo`, { headers: { authorization: `Bearer ${owner.key}` } });
  const shownText = async () => (await shown()).text();
  const stored = () => storedObjects(`logos/${owner.userId}`);

  test('is returned as it was sent, and a browser runs nothing of it', async () => {
    expect((await shown()).status).toBe(404);
    expect((await send('one')).organization.logo).toEqual({ contentType: 'image/svg+xml' });
    const answer = await shown();
    expect([answer.status, await answer.text()]).toEqual([200, svg('one')]);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('is replaced and removed without an object that remains', async () => {
    await send('one');
    await send('two');
    expect(await shownText()).toBe(svg('two'));
    expect(await stored()).toHaveLength(1);
    await succeed(update({ logo: null }));
    expect((await shown()).status).toBe(404);
    expect(await stored()).toEqual([]);
  });

  test('that racing calls replace is always one that was sent, and the record never names a missing object', async () => {
    const texts = Array.from({ length: 8 }, (_, i) => `racing ${i}`);
    await send('first');
    const looks: Promise<Response>[] = [];
    await Promise.all(texts.map((text) => send(text).then(() => looks.push(shown()))));
    for (const look of each(await Promise.all([...looks, shown()]))) {
      expect(look.status).toBe(200);
      expect(texts.map(svg)).toContain(await look.text());
    }
    expect(await stored()).toHaveLength(1);
  });

  test('of a call that was cut off is deleted by a change that comes an hour later', async () => {
    await bucket().file(`logos/${owner.userId}/of-a-cut-call`).save(svg('old'), { resumable: false });
    await send('one');
    expect(await stored()).toHaveLength(2);
    passSeconds(3700);
    session = await world.aDashboardSession(owner);
    await send('two');
    expect(await stored()).toHaveLength(1);
    expect(await shownText()).toBe(svg('two'));
  });
});
