import type { Timestamp } from 'firebase-admin/firestore';
import { version } from '../../../functions/package.json';
import { planCaps } from '../../../functions/src/policy/plans';
import { hashKey } from '../../../functions/src/values/keys';
import { atOnce, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { bucket, storedObjects } from '../../support/whole-store';
import { type Account, startWorld, succeed, world } from '../../support/world';

/** What a client learns of the service, the keys and sessions of an account, and its profile. */

const MB = 1024 * 1024;
let owner: Account;
let session: string;
startWorld(undefined, { platformLimits: true });
beforeEach(async () => {
  owner = await world.anOwner();
  session = await world.aDashboardSession(owner);
});
afterEach(() => {
  process.env['TRUSTED_PROXY_HOPS'] = '1';
});

interface Keys {
  keys: { keyId: string; name: string; status: string; scopes: string[]; isCaller: boolean }[];
  limit: number;
  active: number;
}
interface Created {
  apiKey: { keyId: string; raw?: string; scopes: string[] };
}
const list = (key = session) => world.call<Keys>('listApiKeys', undefined, { key });
const create = (body: object = {}, headers = {}) => {
  const input = { name: 'publisher', scopes: ['marketplace:publish'], ...body };
  return world.call<Created>('createApiKey', input, { key: session, headers });
};
const revoke = (key: string, keyId?: string) =>
  world.call<{ keyId: string; status: string; revokedAt: string }>('revokeApiKey', { keyId }, { key });

const update = (changes: object) => succeed(world.call('updateOrganization', changes, { key: session }));
const rename = async (changes: object) =>
  (await succeed(world.call('updateProfile', changes, { key: session })))['user'];

test('a client learns the addresses, the limits and the plans before it pushes, and may keep them for an hour', async () => {
  const { data, headers } = await world.call('getServiceInfo');
  expect(headers.get('cache-control')).toBe('public, max-age=3600');
  const { baseUrl, hostingUrl: viewerUrl, marketplaceUrl } = world.cloud;
  const addresses = { baseUrl, viewerUrl, marketplaceUrl, deckOrigins: true };
  const client = { oldest: '0.1.0', download: `${viewerUrl}/deckhost.tgz` };
  const bytes = { requestBytes: 32 * MB, responseBytes: 10 * MB, pageBytes: 30 * MB, manifestBytes: 16 * MB };
  const uploads = { uploadBytes: 31 * MB, uploadFiles: 200, directUploads: 500, precheckHashes: 2000 };
  const hourly = { previewsAnHour: 120, webhookRequestsAnHour: 120 };
  const limits = { ...bytes, ...uploads, ...hourly, sessionSeconds: 3600, recipients: 20, keys: 20 };
  expect(data).toEqual({ version, ...addresses, client, limits, plans: planCaps });
  const deckOrigin = process.env['DECK_ORIGIN']!;
  process.env['DECK_ORIGIN'] = '';
  const without = await world.call('getServiceInfo');
  process.env['DECK_ORIGIN'] = deckOrigin;
  expect(without.data['deckOrigins']).toBe(false);
});

test('getClientAddress tells which entry of X-Forwarded-For counts, and answers at most 20 entries of 100 characters', async () => {
  const seenWith = async (hops: number, entries: string[]) => {
    process.env['TRUSTED_PROXY_HOPS'] = String(hops);
    const forwarded = { headers: { 'x-forwarded-for': entries.join(', ') } };
    const { data, headers } = await world.call('getClientAddress', undefined, forwarded);
    return { ...data, kept: headers.get('cache-control') };
  };
  const [kept, forwardedFor] = ['no-store', ['10.0.0.1', '203.0.113.7', '198.51.100.2']];
  for (const [trustedProxyHops, clientAddress] of ['127.0.0.1', '198.51.100.2', '203.0.113.7'].entries()) {
    const expected = { clientAddress, forwardedFor, trustedProxyHops, kept };
    expect(await seenWith(trustedProxyHops, forwardedFor)).toEqual(expected);
  }
  const entries = Array.from({ length: 30 }, (_, i) => `${i}`.padStart(200, '0'));
  const cut = entries.slice(-20).map((entry) => entry.slice(0, 100));
  const expected = { clientAddress: cut.at(-1), forwardedFor: cut, trustedProxyHops: 1, kept };
  expect(await seenWith(1, entries)).toEqual(expected);
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
    expect([Boolean(raw), (await retry()).apiKey]).toEqual([true, rest]);
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
    const { userId, email, organizationId, key } = owner;
    const user = { userId, email, firstName: 'Ada', lastName: null };
    const organization = { organizationId, name: "Ada's workspace" };
    const { data } = await world.call('getAccount', undefined, { key });
    expect(data).toMatchObject({ user, organization, expiresAt: null });
    expect((await world.call('getAccount', undefined, { key: await world.anAdmin() })).status).toBe(403);
  });

  test('takes the fields that are sent, and keeps the others', async () => {
    expect(await rename({ lastName: ' Lovelace ' })).toMatchObject({ displayName: 'Ada Lovelace' });
    expect(await rename({ firstName: 'Grace' })).toMatchObject({ displayName: 'Grace Lovelace' });
    expect(await rename({ lastName: null })).toMatchObject({ displayName: 'Grace', lastName: null });
    await update({ name: 'Engines', tone: 'Precise', brandPrimary: 'ABCDEF' });
    await update({ tone: null });
    const organization = { name: 'Engines', tone: null, brandPrimary: '#abcdef' };
    const { data } = await world.call('getAccount', undefined, { key: session });
    expect(data).toMatchObject({ organization, user: { firstName: 'Grace' } });
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
  const svg = (text: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><title>${text}</title></svg>`;
  const send = (text: string) =>
    update({ logo: { data: Buffer.from(svg(text)).toString('base64'), contentType: 'image/svg+xml' } });
  const shown = () =>
    fetch(`${world.cloud.baseUrl}/getOrganizationLogo`, { headers: { authorization: `Bearer ${owner.key}` } });
  const stored = () => storedObjects(`logos/${owner.userId}`);

  test('is returned as it was sent, and a browser runs nothing of it', async () => {
    expect((await shown()).status).toBe(404);
    expect(await send('one')).toMatchObject({ organization: { logo: { contentType: 'image/svg+xml' } } });
    const answer = await shown();
    expect([answer.status, await answer.text()]).toEqual([200, svg('one')]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
    });
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

  test('that is replaced or removed leaves no object, and that of a call that was cut off goes an hour later', async () => {
    await bucket().file(`logos/${owner.userId}/of-a-cut-call`).save(svg('old'), { resumable: false });
    await send('one');
    expect(await stored()).toHaveLength(2);
    passSeconds(3700);
    session = await world.aDashboardSession(owner);
    await send('two');
    expect(await stored()).toHaveLength(1);
    expect(await (await shown()).text()).toBe(svg('two'));
    await update({ logo: null });
    expect([(await shown()).status, await stored()]).toEqual([404, []]);
  });
});
