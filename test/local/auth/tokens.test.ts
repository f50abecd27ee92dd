import { passSeconds } from '../../support/clock';
import { asClient, auth, authFixture, call, emptied, failed, PROJECT, refusal, server } from './fixture';

authFixture();

describe('tokens', () => {
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
