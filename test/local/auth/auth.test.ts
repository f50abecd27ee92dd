import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteApp, initializeApp, type App } from 'firebase-admin/app';
import { getAuth, type Auth } from 'firebase-admin/auth';
import { startAuth, type AuthServer } from '../../../local/auth';
import { AccountStore } from '../../../local/auth/store';
import { textCodec } from '../../../local/data/codecs';
import { DataFile } from '../../../local/data/data-file';

const PROJECT = 'demo-decks';
let dataDir: string;
let server: AuthServer;
let app: App;
let auth: Auth;

async function start(): Promise<void> {
  server = await startAuth({ dataDir, project: PROJECT });
  process.env.FIREBASE_AUTH_EMULATOR_HOST = server.host;
  app = initializeApp({ projectId: PROJECT }, server.host);
  auth = getAuth(app);
}

async function stop(): Promise<void> {
  await deleteApp(app);
  await server.close();
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'auth-'));
  await start();
});

afterAll(async () => {
  await stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function emptied(): Promise<void> {
  const { users } = await auth.listUsers(1000);
  if (users.length > 0) await auth.deleteUsers(users.map(({ uid }) => uid));
}

describe('creation and lookup', () => {
  beforeEach(emptied);

  test('a user is found by id, by e-mail in any case, by phone and by provider', async () => {
    const user = await auth.createUser({
      uid: 'u1',
      email: 'Ada@Example.com',
      displayName: 'Ada',
      phoneNumber: '+4915112345678',
      photoURL: 'https://example.com/a.png',
    });
    expect(user).toMatchObject({
      uid: 'u1',
      email: 'ada@example.com',
      emailVerified: false,
      disabled: false,
      displayName: 'Ada',
    });
    expect(Date.parse(user.metadata.creationTime)).not.toBeNaN();
    await auth.updateUser('u1', { providerToLink: { providerId: 'google.com', uid: 'g-1', email: 'ada@gmail.com' } });

    for (const found of [
      await auth.getUser('u1'),
      await auth.getUserByEmail('ADA@example.COM'),
      await auth.getUserByPhoneNumber('+4915112345678'),
      await auth.getUserByProviderUid('google.com', 'g-1'),
    ]) {
      expect(found.uid).toBe('u1');
    }
    const { users, notFound } = await auth.getUsers([{ uid: 'u1' }, { email: 'ada@example.com' }, { uid: 'nobody' }]);
    expect(users.map(({ uid }) => uid)).toEqual(['u1']);
    expect(notFound).toEqual([{ uid: 'nobody' }]);
  });

  test('a user without an id gets a generated id', async () => {
    const [a, b] = await Promise.all([auth.createUser({}), auth.createUser({})]);
    expect(a.uid).toMatch(/^[\w-]{28}$/);
    expect(a.uid).not.toBe(b.uid);
  });

  test('a missing user is answered with auth/user-not-found', async () => {
    const missing = { code: 'auth/user-not-found' };
    await expect(auth.getUser('nobody')).rejects.toMatchObject(missing);
    await expect(auth.getUserByEmail('nobody@example.com')).rejects.toMatchObject(missing);
    await expect(auth.getUserByPhoneNumber('+15555550100')).rejects.toMatchObject(missing);
    await expect(auth.getUserByProviderUid('google.com', 'x')).rejects.toMatchObject(missing);
    await expect(auth.updateUser('nobody', { displayName: 'x' })).rejects.toMatchObject(missing);
    await expect(auth.deleteUser('nobody')).rejects.toMatchObject(missing);
  });

  test('ids, e-mails, phones and provider ids are unique', async () => {
    await auth.createUser({ uid: 'first', email: 'a@example.com', phoneNumber: '+15555550101' });
    await auth.createUser({ uid: 'second', email: 'b@example.com' });
    await auth.updateUser('first', { providerToLink: { providerId: 'google.com', uid: 'g' } });
    await expect(auth.createUser({ uid: 'first' })).rejects.toMatchObject({ code: 'auth/uid-already-exists' });
    await expect(auth.createUser({ email: 'A@example.com' })).rejects.toMatchObject({
      code: 'auth/email-already-exists',
    });
    await expect(auth.updateUser('second', { email: 'a@example.com' })).rejects.toMatchObject({
      code: 'auth/email-already-exists',
    });
    await expect(auth.createUser({ phoneNumber: '+15555550101' })).rejects.toMatchObject({
      code: 'auth/phone-number-already-exists',
    });
    await expect(auth.updateUser('second', { providerToLink: { providerId: 'google.com', uid: 'g' } })).rejects.toThrow(
      'FEDERATED_USER_ID_ALREADY_LINKED',
    );
    expect((await auth.getUser('second')).email).toBe('b@example.com');
  });

  test('exactly one of 20 concurrent creations with the same e-mail succeeds', async () => {
    const tries = Array.from({ length: 20 }, () => auth.createUser({ email: 'race@example.com' }));
    const results = await Promise.allSettled(tries);
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'auth/email-already-exists' });
    }
    expect((await auth.listUsers()).users.map(({ uid }) => uid)).toEqual([won[0]!.value.uid]);
  });
});

describe('changes', () => {
  beforeEach(emptied);

  test('an update changes only the named fields; null deletes a field', async () => {
    await auth.createUser({
      uid: 'u',
      email: 'old@example.com',
      emailVerified: true,
      displayName: 'Old',
      phoneNumber: '+15555550102',
    });
    const changed = await auth.updateUser('u', {
      email: 'new@example.com',
      displayName: null,
      phoneNumber: null,
      disabled: true,
    });
    expect(changed).toMatchObject({ email: 'new@example.com', emailVerified: false, disabled: true });
    expect(changed.displayName).toBeUndefined();
    expect(changed.phoneNumber).toBeUndefined();
    await expect(auth.getUserByEmail('old@example.com')).rejects.toMatchObject({ code: 'auth/user-not-found' });
    await auth.createUser({ email: 'old@example.com', phoneNumber: '+15555550102' });
  });

  test('claims are stored, and refused above 1000 characters', async () => {
    await auth.createUser({ uid: 'u' });
    await auth.setCustomUserClaims('u', { admin: true });
    expect((await auth.getUser('u')).customClaims).toEqual({ admin: true });
    await auth.setCustomUserClaims('u', null);
    expect((await auth.getUser('u')).customClaims).toEqual({});
    const answer = await call('accounts:update', {
      localId: 'u',
      customAttributes: JSON.stringify({ a: 'x'.repeat(1000) }),
    });
    expect(answer).toMatchObject({ status: 400, body: { error: { message: 'CLAIMS_TOO_LARGE' } } });
  });

  test('a password is stored as a salted hash only', async () => {
    const [a, b] = [
      await auth.createUser({ email: 'a@example.com', password: 'secret1' }),
      await auth.createUser({ email: 'b@example.com', password: 'secret1' }),
    ];
    const { users } = await auth.listUsers();
    const hashes = users.map(({ passwordHash }) => passwordHash);
    expect(new Set(hashes).size).toBe(2);
    expect(JSON.stringify(users)).not.toContain('secret1');
    expect(a.providerData.map(({ providerId }) => providerId)).toEqual(['password']);
    expect(b.tokensValidAfterTime).toBeDefined();
  });

  test('tokens can be revoked', async () => {
    await auth.createUser({ uid: 'u' });
    const before = Math.floor(Date.now() / 1000) * 1000;
    await auth.revokeRefreshTokens('u');
    expect(Date.parse((await auth.getUser('u')).tokensValidAfterTime!)).toBeGreaterThanOrEqual(before);
  });

  test('errors of the server have the codes of the cloud', async () => {
    await auth.createUser({ uid: 'u' });
    const refused = async (path: string, body: unknown, message: string) =>
      expect(await call(path, body)).toMatchObject({
        status: 400,
        body: { error: { code: 400, message: expect.stringContaining(message) as string } },
      });
    await refused('accounts', { email: 'not-an-email' }, 'INVALID_EMAIL');
    await refused('accounts', { password: 'short' }, 'WEAK_PASSWORD');
    await refused('accounts', { phoneNumber: '12' }, 'INVALID_PHONE_NUMBER');
    await refused('accounts', { displayName: 7 }, 'INVALID_ARGUMENT');
    await refused('accounts:delete', {}, 'MISSING_LOCAL_ID');
    await refused('accounts:update', { localId: 'u', customAttributes: '[]' }, 'INVALID_CLAIMS');
    await refused('accounts:lookup', { localId: Array.from({ length: 101 }, String) }, 'INVALID_ARGUMENT');
    await refused('accounts:batchCreate', { users: [] }, 'MISSING_USER_ACCOUNT');
    await refused('accounts', [], 'INVALID_ARGUMENT');
  });
});

describe('tokens', () => {
  beforeEach(emptied);
  const HOUR_MS = 3600 * 1000;
  const DAY_MS = 24 * HOUR_MS;

  async function signIn(uid: string, claims?: object) {
    const { body } = await asClient('accounts:signInWithCustomToken', {
      token: await auth.createCustomToken(uid, claims),
      returnSecureToken: true,
    });
    return body as { idToken: string; refreshToken: string; isNewUser: boolean };
  }

  test('a custom token signs its user in; the ID token carries the claims of the user and of the custom token', async () => {
    expect(await signIn('new')).toMatchObject({ isNewUser: true, expiresIn: '3600' });
    await auth.updateUser('new', { email: 'new@example.com', displayName: 'New' });
    await auth.setCustomUserClaims('new', { role: 'editor' });
    const { idToken, isNewUser } = await signIn('new', { deck: 7 });
    expect(isNewUser).toBe(false);
    expect(await auth.verifyIdToken(idToken, true)).toMatchObject({
      ...{ uid: 'new', sub: 'new', aud: PROJECT, iss: `https://securetoken.google.com/${PROJECT}` },
      ...{ role: 'editor', deck: 7, name: 'New', email: 'new@example.com', email_verified: false },
      firebase: { sign_in_provider: 'custom', identities: { email: ['new@example.com'] } },
    });
    const { metadata } = await auth.getUser('new');
    expect(Date.parse(metadata.lastSignInTime)).toBeGreaterThan(Date.now() - HOUR_MS);
    expect(metadata.lastRefreshTime).toEqual(expect.any(String));
  });

  test.each([
    ['no token', {}, 'MISSING_CUSTOM_TOKEN'],
    ['text', { token: 'x' }, 'INVALID_CUSTOM_TOKEN : Invalid assertion format'],
    ['an ID token', async () => ({ token: (await signIn('u')).idToken }), 'INVALID_CUSTOM_TOKEN : Invalid audience'],
    ['an expired token', () => ({ token: customToken({ exp: 1 }) }), 'INVALID_CUSTOM_TOKEN : The token has expired'],
    ['a token without an id', () => ({ token: customToken({ uid: undefined }) }), 'MISSING_IDENTIFIER'],
    ['a reserved claim', () => ({ token: customToken({ claims: { aud: 'x' } }) }), 'FORBIDDEN_CLAIM : aud'],
    ['a disabled user', () => ({ token: customToken({ uid: 'off' }) }), 'USER_DISABLED'],
  ])('a sign-in with %s is refused', async (_what, request, message) => {
    await auth.createUser({ uid: 'off', disabled: true });
    const body = typeof request === 'function' ? await request() : request;
    expect(await asClient('accounts:signInWithCustomToken', body)).toMatchObject({
      status: 400,
      body: { error: { code: 400, message, errors: [{ message, reason: 'invalid', domain: 'global' }] } },
    });
  });

  test('a session cookie lasts from 5 minutes to 14 days', async () => {
    const { idToken } = await signIn('u', { deck: 7 });
    const cookie = await auth.createSessionCookie(idToken, { expiresIn: 5 * DAY_MS });
    const claims = await auth.verifySessionCookie(cookie, true);
    expect(claims).toMatchObject({ uid: 'u', deck: 7, iss: `https://session.firebase.google.com/${PROJECT}` });
    expect(claims.exp - claims.iat).toBe((5 * DAY_MS) / 1000);
    await expect(auth.verifyIdToken(cookie)).rejects.toMatchObject({ code: 'auth/argument-error' });
    for (const validDuration of [299, 14 * 24 * 3600 + 1, 'soon']) {
      expect((await call(':createSessionCookie', { idToken, validDuration })).body).toMatchObject({
        error: { message: 'INVALID_DURATION' },
      });
    }
    for (const [validDuration, expected] of [
      [300, 300],
      ['1209600', 1_209_600],
      [undefined, 1_209_600],
    ] as const) {
      const { body } = await call(':createSessionCookie', { idToken, validDuration });
      const { exp, iat } = await auth.verifySessionCookie((body as { sessionCookie: string }).sessionCookie);
      expect(exp - iat).toBe(expected);
    }
    const expiresIn = 5 * DAY_MS;
    await expect(auth.createSessionCookie('a.b.c', { expiresIn })).rejects.toMatchObject({
      code: 'auth/invalid-id-token',
    });
    await expect(auth.createSessionCookie(cookie, { expiresIn })).rejects.toMatchObject({
      code: 'auth/invalid-id-token',
    });
    await auth.deleteUser('u');
    await expect(auth.createSessionCookie(idToken, { expiresIn })).rejects.toMatchObject({
      code: 'auth/user-not-found',
    });
    expect((await call(':createSessionCookie', {})).body).toMatchObject({ error: { message: 'MISSING_ID_TOKEN' } });
  });

  test('a revocation ends tokens, cookies and refresh tokens; a later sign-in works', async () => {
    jest.useFakeTimers({ doNotFake: timersThatRun, now: Date.now() });
    try {
      const { idToken, refreshToken } = await signIn('u');
      const cookie = await auth.createSessionCookie(idToken, { expiresIn: DAY_MS });
      jest.setSystemTime(Date.now() + 2000);
      const renewed = await refreshed(refreshToken);
      expect(await auth.verifyIdToken((renewed.body as { id_token: string }).id_token, true)).toMatchObject({
        uid: 'u',
      });
      expect(renewed.body).toMatchObject({ user_id: 'u', expires_in: '3600', token_type: 'Bearer' });

      await auth.revokeRefreshTokens('u');
      await expect(auth.verifyIdToken(idToken, true)).rejects.toMatchObject({ code: 'auth/id-token-revoked' });
      await expect(auth.verifySessionCookie(cookie, true)).rejects.toMatchObject({
        code: 'auth/session-cookie-revoked',
      });
      await expect(auth.createSessionCookie(idToken, { expiresIn: DAY_MS })).rejects.toMatchObject({
        code: 'auth/id-token-expired',
      });
      expect((await refreshed(refreshToken)).body).toMatchObject({ error: { message: 'TOKEN_EXPIRED' } });
      expect((await refreshed('x')).body).toMatchObject({ error: { message: 'INVALID_REFRESH_TOKEN' } });
      const later = await signIn('u');
      expect(await auth.verifyIdToken(later.idToken, true)).toMatchObject({ uid: 'u' });

      jest.setSystemTime(Date.now() + HOUR_MS);
      await expect(auth.createSessionCookie(later.idToken, { expiresIn: DAY_MS })).rejects.toMatchObject({
        code: 'auth/id-token-expired',
      });
      await auth.updateUser('u', { disabled: true });
      expect((await refreshed(later.refreshToken)).body).toMatchObject({ error: { message: 'USER_DISABLED' } });
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('links by mail', () => {
  beforeEach(emptied);
  const url = 'https://example.com/back?a=1';

  test('a password is reset once by its link', async () => {
    await auth.createUser({ uid: 'u', email: 'ada@example.com', password: 'before1' });
    const before = (await auth.listUsers()).users[0]!.passwordHash;
    const link = new URL(await auth.generatePasswordResetLink('Ada@Example.com', { url }));
    expect(link.origin).toBe(`http://${server.host}`);
    expect(Object.fromEntries(link.searchParams)).toEqual({
      ...{ mode: 'resetPassword', lang: 'en', apiKey: 'fake-api-key', continueUrl: url },
      oobCode: expect.stringMatching(/^[\w-]{54}$/) as string,
    });
    expect((await follow(link)).status).toBe(400);
    link.searchParams.set('newPassword', 'short');
    expect((await follow(link)).status).toBe(400);
    link.searchParams.set('newPassword', 'longer1');
    expect(await follow(link)).toEqual({ status: 303, location: url });
    const [user] = (await auth.listUsers()).users;
    expect(user).toMatchObject({ emailVerified: true });
    expect(user!.passwordHash).not.toBe(before);
    expect((await follow(link)).status).toBe(400);
  });

  test('an address is verified, and changed, by its link', async () => {
    await auth.createUser({ uid: 'u', email: 'old@example.com' });
    const link = new URL(await auth.generateEmailVerificationLink('old@example.com'));
    expect(link.searchParams.get('mode')).toBe('verifyEmail');
    expect((await follow(link)).status).toBe(200);
    expect((await auth.getUser('u')).emailVerified).toBe(true);
    const change = new URL(await auth.generateVerifyAndChangeEmailLink('old@example.com', 'new@example.com'));
    const oobCode = change.searchParams.get('oobCode');
    expect((await asClient('accounts:resetPassword', { oobCode })).body).toMatchObject({
      ...{ requestType: 'VERIFY_AND_CHANGE_EMAIL', email: 'old@example.com', newEmail: 'new@example.com' },
    });
    expect((await asClient('accounts:update', { oobCode })).body).toMatchObject({ email: 'new@example.com' });
    expect(await auth.getUser('u')).toMatchObject({ email: 'new@example.com', emailVerified: true });
    expect((await asClient('accounts:update', { oobCode })).body).toMatchObject({
      error: { message: 'INVALID_OOB_CODE' },
    });
  });

  test('one of two concurrent sign-ins with the same link succeeds, and makes the user', async () => {
    const email = 'ada@example.com';
    const link = new URL(await auth.generateSignInWithEmailLink(email, { url, handleCodeInApp: true }));
    const back = new URL((await follow(link)).location!);
    expect([back.origin, back.searchParams.get('a')]).toEqual(['https://example.com', '1']);
    const oobCode = back.searchParams.get('oobCode');
    expect(
      (await asClient('accounts:signInWithEmailLink', { email: 'other@example.com', oobCode })).body,
    ).toMatchObject({
      error: { message: expect.stringMatching(/^INVALID_EMAIL/) as string },
    });
    const tries = await Promise.all([1, 2].map(() => asClient('accounts:signInWithEmailLink', { email, oobCode })));
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 400]);
    const { idToken } = tries.find(({ status }) => status === 200)!.body as { idToken: string };
    const { uid } = await auth.verifyIdToken(idToken);
    expect(await auth.getUser(uid)).toMatchObject({ email, emailVerified: true });
  });

  test('links for unknown users and malformed requests are refused', async () => {
    await auth.createUser({ uid: 'u', email: 'a@example.com' });
    await auth.createUser({ uid: 'v', email: 'b@example.com' });
    await expect(auth.generatePasswordResetLink('nobody@example.com')).rejects.toMatchObject({
      code: 'auth/email-not-found',
    });
    await expect(auth.generateEmailVerificationLink('nobody@example.com')).rejects.toMatchObject({
      code: 'auth/user-not-found',
    });
    await expect(auth.generateVerifyAndChangeEmailLink('a@example.com', 'b@example.com')).rejects.toMatchObject({
      code: 'auth/email-already-exists',
    });
    const refused = async (body: object, message: string) =>
      expect(await call('accounts:sendOobCode', { returnOobLink: true, ...body })).toMatchObject({
        status: 400,
        body: { error: { code: 400, message: expect.stringContaining(message) as string } },
      });
    await refused({}, 'MISSING_REQ_TYPE');
    await refused({ requestType: 'toString' }, 'INVALID_REQ_TYPE');
    await refused({ requestType: 'EMAIL_SIGNIN' }, 'MISSING_EMAIL');
    await refused({ requestType: 'EMAIL_SIGNIN', email: 'x' }, 'INVALID_EMAIL');
    await refused({ requestType: 'EMAIL_SIGNIN', email: 'a@example.com', continueUrl: '/x' }, 'INVALID_CONTINUE_URI');
    await refused(
      { requestType: 'EMAIL_SIGNIN', email: 'a@example.com', returnOobLink: false },
      'OPERATION_NOT_ALLOWED',
    );
  });

  test('a link expires, and survives a restart until then', async () => {
    await auth.createUser({ uid: 'u', email: 'a@example.com' });
    const oobCode = new URL(await auth.generatePasswordResetLink('a@example.com')).searchParams.get('oobCode');
    await stop();
    await start();
    const look = async () => (await asClient('accounts:resetPassword', { oobCode })).status;
    expect(await look()).toBe(200);
    jest.useFakeTimers({ doNotFake: timersThatRun, now: Date.now() + 3600 * 1000 + 1 });
    try {
      expect(await look()).toBe(400);
    } finally {
      jest.useRealTimers();
    }
  });

  test('a link ends at a non-Latin address', async () => {
    await auth.createUser({ uid: 'u', email: 'ada@example.com' });
    const foreign = 'https://example.com/日本?q=ü';
    const request = {
      returnOobLink: true,
      requestType: 'VERIFY_EMAIL',
      email: 'ada@example.com',
      continueUrl: foreign,
    };
    const { oobLink } = (await call('accounts:sendOobCode', request)).body as { oobLink: string };
    expect(await follow(new URL(oobLink))).toEqual({ status: 303, location: new URL(foreign).href });
    expect((await auth.getUser('u')).emailVerified).toBe(true);
  });

  test('only a code that exists redirects, and only to its own http(s) address', async () => {
    await auth.createUser({ uid: 'u', email: 'ada@example.com' });
    for (const mode of ['signIn', 'verifyEmail', 'resetPassword', 'other']) {
      const forged = new URL(`http://${server.host}/emulator/action?mode=${mode}&oobCode=x&newPassword=longer1`);
      forged.searchParams.set('continueUrl', 'https://evil.example');
      expect(await follow(forged)).toEqual({ status: 400 });
    }
    const given = { returnOobLink: true, requestType: 'EMAIL_SIGNIN', email: 'ada@example.com' };
    for (const continueUrl of ['javascript:alert(1)', 'data:text/html,x']) {
      expect((await call('accounts:sendOobCode', { ...given, continueUrl })).body).toMatchObject({
        error: { message: expect.stringMatching(/^INVALID_CONTINUE_URI/) as string },
      });
    }
    const link = new URL(await auth.generateSignInWithEmailLink('ada@example.com', { url, handleCodeInApp: true }));
    link.searchParams.set('continueUrl', 'https://evil.example');
    expect(new URL((await follow(link)).location!).origin).toBe('https://example.com');
  });

  test('a code belongs to one account, and not to a disabled or deleted one', async () => {
    const email = 'ada@example.com';
    const newCode = async () => new URL(await auth.generatePasswordResetLink(email)).searchParams.get('oobCode');
    const reset = async (oobCode: string | null) =>
      (await asClient('accounts:resetPassword', { oobCode, newPassword: 'longer1' })).body as object;
    const refused = (message: string) => ({ error: expect.objectContaining({ message }) as object });

    await auth.createUser({ uid: 'u1', email });
    const ofDeleted = await newCode();
    await auth.deleteUser('u1');
    await auth.createUser({ uid: 'u1', email });
    expect(await reset(ofDeleted)).toEqual(refused('INVALID_OOB_CODE'));

    const ofMoved = await newCode();
    await auth.updateUser('u1', { email: 'moved@example.com' });
    await auth.createUser({ uid: 'u2', email });
    expect(await reset(ofMoved)).toEqual(refused('INVALID_OOB_CODE'));
    await auth.deleteUser('u2');
    await auth.updateUser('u1', { email, disabled: true });
    expect(await reset(ofMoved)).toEqual(refused('USER_DISABLED'));
    await auth.updateUser('u1', { disabled: false });
    expect(await reset(ofMoved)).toMatchObject({ email });
  });

  test('new codes replace the expired ones', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'codes-'));
    const store = new AccountStore(folder, false);
    const live = { requestType: 'EMAIL_SIGNIN', email: 'ada@example.com', continueUrl: null } as const;
    for (let i = 0; i < 40; i++) await store.putCode(`expired-${i}`, { ...live, expiresAt: 1 });
    for (let i = 0; i < 10; i++) await store.putCode(`live-${i}`, { ...live, expiresAt: Date.now() + 3_600_000 });
    await store.close();
    const data = DataFile.open(folder, { store: 'auth', tables: ['codes'], isTemporary: false, maxReaders: 126 });
    const stored = [...data.table('codes', textCodec()).keys()];
    expect(stored.map((id) => id.split('-')[0])).toEqual(Array.from({ length: 10 }, () => 'live'));
    await data.close();
    await rm(folder, { recursive: true });
  });

  async function follow(link: URL) {
    const answer = await fetch(link, { redirect: 'manual' });
    const location = answer.headers.get('location');
    return { status: answer.status, ...(location !== null && { location }) };
  }
});

describe('many users', () => {
  beforeEach(emptied);

  test('listUsers returns every user exactly once over its pages', async () => {
    const uids = Array.from({ length: 25 }, (_, index) => `user-${String(index).padStart(2, '0')}`);
    await Promise.all(uids.map((uid) => auth.createUser({ uid })));
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const page = await auth.listUsers(10, token);
      seen.push(...page.users.map(({ uid }) => uid));
      token = page.pageToken;
    } while (token !== undefined);
    expect(seen).toEqual(uids);
  });

  test('listUsers starts after the id that its page token names, and a full page has a token', async () => {
    await auth.importUsers(['a', 'b', 'c', 'd'].map((uid) => ({ uid })));
    const pageAfter = async (uid?: string) => {
      const { users, pageToken } = await auth.listUsers(2, uid);
      return [users.map((user) => user.uid).join(''), pageToken];
    };
    expect(await pageAfter()).toEqual(['ab', 'b']);
    expect(await pageAfter('a')).toEqual(['bc', 'c']);
    expect(await pageAfter('bb')).toEqual(['cd', 'd']);
    expect(await pageAfter('d')).toEqual(['', undefined]);
  });

  test('an import reports each refused user and imports the others', async () => {
    await auth.createUser({ uid: 'there', email: 'taken@example.com' });
    const result = await auth.importUsers([
      { uid: 'a', email: 'a@example.com', providerData: [{ providerId: 'google.com', uid: 'g-a' }] },
      { uid: 'b', email: 'taken@example.com' },
      { uid: 'there', displayName: 'Replaced' },
    ]);
    expect(result).toMatchObject({ successCount: 2, failureCount: 1, errors: [{ index: 1 }] });
    expect((await auth.getUserByProviderUid('google.com', 'g-a')).uid).toBe('a');
    expect(await auth.getUser('there')).toMatchObject({ displayName: 'Replaced' });
    await auth.createUser({ email: 'taken@example.com' });
  });

  test('deleteUsers deletes many users and ignores unknown ids', async () => {
    await auth.importUsers([{ uid: 'a' }, { uid: 'b' }, { uid: 'c' }]);
    expect(await auth.deleteUsers(['a', 'nobody', 'c'])).toMatchObject({ successCount: 3, failureCount: 0 });
    expect((await auth.listUsers()).users.map(({ uid }) => uid)).toEqual(['b']);
  });
});

describe('the server', () => {
  test('users survive a restart', async () => {
    await emptied();
    await auth.createUser({ uid: 'kept', email: 'kept@example.com' });
    await stop();
    await start();
    expect((await auth.getUserByEmail('kept@example.com')).uid).toBe('kept');
  });

  test('a request without credentials, for another project or for an unknown path is refused', async () => {
    expect((await call('accounts:lookup', { localId: ['kept'] }, { authorization: '' })).status).toBe(401);
    expect((await call('accounts:lookup', {}, { project: 'other' })).body).toMatchObject({
      error: { message: 'PROJECT_NOT_FOUND' },
    });
    expect((await call('accounts:signInWithPassword', {})).status).toBe(404);
    expect((await asClient('accounts:lookup', {}, { key: '' })).status).toBe(403);
    expect((await asClient('accounts:lookup', {}, { site: 'cross-site' })).status).toBe(403);
  });

  test('the error for a port in use names the port', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'auth-'));
    await expect(startAuth({ dataDir: elsewhere, project: PROJECT, port: server.port })).rejects.toThrow(
      `Port ${server.port} is taken`,
    );
    await rm(elsewhere, { recursive: true, force: true });
  });
});

/** All timers but the clock run as usual. */
const timersThatRun = [
  ...(['nextTick', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout', 'setInterval'] as const),
  ...(['clearInterval', 'queueMicrotask', 'performance', 'hrtime'] as const),
];

/** A custom token of the Admin SDK's format with other claims. */
function customToken(changes: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const aud = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit';
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode({ aud, uid: 'u', exp, ...changes })}.`;
}

/** A client's call, with an API key and no other credential. */
async function asClient(path: string, body: unknown, { key = 'any', site = '' } = {}) {
  const response = await fetch(`http://${server.host}/identitytoolkit.googleapis.com/v1/${path}?key=${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(site && { 'sec-fetch-site': site }) },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function refreshed(token: string) {
  const response = await fetch(`http://${server.host}/securetoken.googleapis.com/v1/token?key=any`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token }),
  });
  return { status: response.status, body: await response.json() };
}

async function call(path: string, body: unknown, { authorization = 'Bearer owner', project: named = PROJECT } = {}) {
  const response = await fetch(
    `http://${server.host}/identitytoolkit.googleapis.com/v1/projects/${named}${path.startsWith(':') ? '' : '/'}${path}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify(body),
    },
  );
  return { status: response.status, body: await response.json() };
}
