import { AccountStore } from '../../../local/auth/store';
import { textCodec } from '../../../local/data/codecs';
import { DataFile } from '../../../local/data/data-file';
import { passSeconds } from '../../support/clock';
import { aFolder } from '../folders';
import { asClient, auth, authFixture, call, emptied, failed, refusal, server, start, stop } from './fixture';

authFixture();

describe('links by mail', () => {
  beforeEach(emptied);
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
    const data = DataFile.open(folder, { store: 'auth', tables: ['codes'], isTemporary: false, maxReaders: 126 });
    const stored = [...data.table('codes', textCodec()).keys()];
    expect(stored.map((id) => id.split('-')[0])).toEqual(Array.from({ length: 10 }, () => 'live'));
    await data.close();
  });

  async function follow(link: URL) {
    const answer = await fetch(link, { redirect: 'manual' });
    const location = answer.headers.get('location');
    return { status: answer.status, ...(location !== null && { location }) };
  }
});
