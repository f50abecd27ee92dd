import { AccountStore } from '../../../local/auth/store';
import { textCodec } from '../../../local/data/codecs';
import { DataFile } from '../../../local/data/data-file';
import { passSeconds } from '../../support/clock';
import { aFolder } from '../folders';
import { asClient, auth, authFixture, call, emptied, failed, PROJECT, refusal, server, start, stop } from './fixture';

authFixture();
beforeEach(emptied);

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

const cookieOf = (token: string, expiresIn = 5 * DAY_MS) => auth.createSessionCookie(token, { expiresIn });

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
  const issued = { uid: 'new', sub: 'new', aud: PROJECT, iss: `https://securetoken.google.com/${PROJECT}` };
  const profile = { name: 'New', email: 'new@example.com', email_verified: false, role: 'editor', deck: 7 };
  const firebase = { sign_in_provider: 'custom', identities: { email: ['new@example.com'] } };
  expect(await auth.verifyIdToken(idToken, true)).toMatchObject({ ...issued, ...profile, firebase });
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
  const cookie = await cookieOf(idToken);
  const claims = await auth.verifySessionCookie(cookie, true);
  expect(claims).toMatchObject({ uid: 'u', deck: 7, iss: `https://session.firebase.google.com/${PROJECT}` });
  expect(claims.exp - claims.iat).toBe((5 * DAY_MS) / 1000);
  await expect(auth.verifyIdToken(cookie)).rejects.toMatchObject(refusal('argument-error'));
  for (const validDuration of [299, 14 * 24 * 3600 + 1, 'soon']) {
    const { body } = await call(':createSessionCookie', { idToken, validDuration });
    expect(body).toMatchObject(failed('INVALID_DURATION'));
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
  for (const other of ['a.b.c', cookie])
    await expect(cookieOf(other)).rejects.toMatchObject(refusal('invalid-id-token'));
  await auth.deleteUser('u');
  await expect(cookieOf(idToken)).rejects.toMatchObject(refusal('user-not-found'));
  expect((await call(':createSessionCookie', {})).body).toMatchObject(failed('MISSING_ID_TOKEN'));
});

test('a revocation ends tokens, cookies and refresh tokens; a later sign-in works', async () => {
  const { idToken, refreshToken } = await signIn('u');
  const cookie = await cookieOf(idToken, DAY_MS);
  passSeconds(2);
  const renewed = await refreshed(refreshToken);
  expect(await auth.verifyIdToken(renewed.body.id_token, true)).toMatchObject({ uid: 'u' });
  expect(renewed.body).toMatchObject({ user_id: 'u', expires_in: '3600', token_type: 'Bearer' });

  await auth.revokeRefreshTokens('u');
  await expect(auth.verifyIdToken(idToken, true)).rejects.toMatchObject(refusal('id-token-revoked'));
  await expect(auth.verifySessionCookie(cookie, true)).rejects.toMatchObject(refusal('session-cookie-revoked'));
  await expect(cookieOf(idToken, DAY_MS)).rejects.toMatchObject(refusal('id-token-expired'));
  expect((await refreshed(refreshToken)).body).toMatchObject(failed('TOKEN_EXPIRED'));
  expect((await refreshed('x')).body).toMatchObject(failed('INVALID_REFRESH_TOKEN'));
  const later = await signIn('u');
  expect(await auth.verifyIdToken(later.idToken, true)).toMatchObject({ uid: 'u' });

  passSeconds(3600);
  await expect(cookieOf(later.idToken, DAY_MS)).rejects.toMatchObject(refusal('id-token-expired'));
  await auth.updateUser('u', { disabled: true });
  expect((await refreshed(later.refreshToken)).body).toMatchObject(failed('USER_DISABLED'));
});

/** A custom token of the Admin SDK's format with other claims. */
function customToken(changes: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const aud = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit';
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode({ aud, uid: 'u', exp, ...changes })}.`;
}

async function refreshed(token: string) {
  const response = await fetch(`http://${server.host}/securetoken.googleapis.com/v1/token?key=any`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token }),
  });
  return { status: response.status, body: (await response.json()) as { id_token: string } };
}

const url = 'https://example.com/back?a=1';

test('a password is reset once by its link', async () => {
  await auth.createUser({ uid: 'u', email: 'ada@example.com', password: 'before1' });
  const before = (await auth.listUsers()).users[0]!.passwordHash;
  const link = new URL(await auth.generatePasswordResetLink('Ada@Example.com', { url }));
  expect(link.origin).toBe(`http://${server.host}`);
  const oobCode = expect.stringMatching(/^[\w-]{54}$/) as string;
  const given = { mode: 'resetPassword', lang: 'en', apiKey: 'fake-api-key', continueUrl: url, oobCode };
  expect([Object.fromEntries(link.searchParams), (await follow(link)).status]).toEqual([given, 400]);
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
  expect([link.searchParams.get('mode'), (await follow(link)).status]).toEqual(['verifyEmail', 200]);
  expect((await auth.getUser('u')).emailVerified).toBe(true);
  const change = new URL(await auth.generateVerifyAndChangeEmailLink('old@example.com', 'new@example.com'));
  const oobCode = change.searchParams.get('oobCode');
  const addresses = { email: 'old@example.com', newEmail: 'new@example.com' };
  const request = { requestType: 'VERIFY_AND_CHANGE_EMAIL', ...addresses };
  expect((await asClient('accounts:resetPassword', { oobCode })).body).toMatchObject(request);
  expect((await asClient('accounts:update', { oobCode })).body).toMatchObject({ email: 'new@example.com' });
  expect(await auth.getUser('u')).toMatchObject({ email: 'new@example.com', emailVerified: true });
  expect((await asClient('accounts:update', { oobCode })).body).toMatchObject(failed('INVALID_OOB_CODE'));
});

test('one of two concurrent sign-ins with the same link succeeds, and makes the user', async () => {
  const email = 'ada@example.com';
  const link = new URL(await auth.generateSignInWithEmailLink(email, { url, handleCodeInApp: true }));
  const back = new URL((await follow(link)).location!);
  expect([back.origin, back.searchParams.get('a')]).toEqual(['https://example.com', '1']);
  const oobCode = back.searchParams.get('oobCode');
  const signIn = (by: string) => asClient('accounts:signInWithEmailLink', { email: by, oobCode });
  expect((await signIn('other@example.com')).body).toMatchObject(failed(expect.stringMatching(/^INVALID_EMAIL/)));
  const tries = await Promise.all([signIn(email), signIn(email)]);
  expect(tries.map(({ status }) => status).sort()).toEqual([200, 400]);
  const { idToken } = tries.find(({ status }) => status === 200)!.body as { idToken: string };
  const { uid } = await auth.verifyIdToken(idToken);
  expect(await auth.getUser(uid)).toMatchObject({ email, emailVerified: true });
});

test('links for unknown users and malformed requests are refused', async () => {
  await auth.createUser({ uid: 'u', email: 'a@example.com' });
  await auth.createUser({ uid: 'v', email: 'b@example.com' });
  for (const [link, code] of [
    [() => auth.generatePasswordResetLink('nobody@example.com'), 'email-not-found'],
    [() => auth.generateEmailVerificationLink('nobody@example.com'), 'user-not-found'],
    [() => auth.generateVerifyAndChangeEmailLink('a@example.com', 'b@example.com'), 'email-already-exists'],
  ] as const) {
    await expect(link()).rejects.toMatchObject(refusal(code));
  }
  const given = { requestType: 'EMAIL_SIGNIN', email: 'a@example.com' };
  for (const [body, code] of [
    [{}, 'MISSING_REQ_TYPE'],
    [{ requestType: 'toString' }, 'INVALID_REQ_TYPE'],
    [{ requestType: 'EMAIL_SIGNIN' }, 'MISSING_EMAIL'],
    [{ ...given, email: 'x' }, 'INVALID_EMAIL'],
    [{ ...given, continueUrl: '/x' }, 'INVALID_CONTINUE_URI'],
    [{ ...given, continueUrl: 'javascript:alert(1)' }, 'INVALID_CONTINUE_URI'],
    [{ ...given, continueUrl: 'data:text/html,x' }, 'INVALID_CONTINUE_URI'],
    [{ ...given, returnOobLink: false }, 'OPERATION_NOT_ALLOWED'],
  ] as const) {
    const message = expect.stringContaining(code) as string;
    const answer = await call('accounts:sendOobCode', { returnOobLink: true, ...body });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 400, message } } });
  }
});

test('a link expires, and survives a restart until then', async () => {
  await auth.createUser({ uid: 'u', email: 'a@example.com' });
  const oobCode = new URL(await auth.generatePasswordResetLink('a@example.com')).searchParams.get('oobCode');
  await stop();
  await start();
  const look = async () => (await asClient('accounts:resetPassword', { oobCode })).status;
  expect(await look()).toBe(200);
  passSeconds(3601);
  expect(await look()).toBe(400);
});

test('a link ends at a non-Latin address', async () => {
  await auth.createUser({ uid: 'u', email: 'ada@example.com' });
  const foreign = 'https://example.com/日本?q=ü';
  const given = { returnOobLink: true, requestType: 'VERIFY_EMAIL', email: 'ada@example.com' };
  const { body } = await call('accounts:sendOobCode', { ...given, continueUrl: foreign });
  const link = new URL((body as { oobLink: string }).oobLink);
  expect(await follow(link)).toEqual({ status: 303, location: new URL(foreign).href });
  expect((await auth.getUser('u')).emailVerified).toBe(true);
});

test('only a code that exists redirects, and only to its own http(s) address', async () => {
  await auth.createUser({ uid: 'u', email: 'ada@example.com' });
  for (const mode of ['signIn', 'verifyEmail', 'resetPassword', 'other']) {
    const forged = new URL(`http://${server.host}/emulator/action?mode=${mode}&oobCode=x&newPassword=longer1`);
    forged.searchParams.set('continueUrl', 'https://evil.example');
    expect(await follow(forged)).toEqual({ status: 400 });
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
  const folder = aFolder();
  const store = new AccountStore(folder, false);
  const live = { requestType: 'EMAIL_SIGNIN', email: 'ada@example.com', continueUrl: null } as const;
  for (let i = 0; i < 40; i++) await store.putCode(`expired-${i}`, { ...live, expiresAt: 1 });
  for (let i = 0; i < 10; i++) await store.putCode(`live-${i}`, { ...live, expiresAt: Date.now() + 3_600_000 });
  await store.close();
  const data = DataFile.open(folder, { store: 'auth', tables: ['codes'], isTemporary: false });
  const stored = [...data.table('codes', textCodec()).keys()];
  expect(stored.map((id) => id.split('-')[0])).toEqual(Array.from({ length: 10 }, () => 'live'));
  await data.close();
});

async function follow(link: URL) {
  const answer = await fetch(link, { redirect: 'manual' });
  const location = answer.headers.get('location');
  return { status: answer.status, ...(location !== null && { location }) };
}
