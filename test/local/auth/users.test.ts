import type { UserRecord } from 'firebase-admin/auth';
import { asClient, auth, authFixture, call, emptied, failed, refusal } from './fixture';

authFixture();
beforeEach(emptied);

test('a user is found by id, by e-mail in any case, by phone and by provider', async () => {
  const phoneNumber = '+4915112345678';
  const given = { uid: 'u1', displayName: 'Ada', phoneNumber, photoURL: 'https://example.com/a.png' };
  const user = await auth.createUser({ ...given, email: 'Ada@Example.com' });
  expect(user).toMatchObject({ ...given, email: 'ada@example.com', emailVerified: false, disabled: false });
  expect(Date.parse(user.metadata.creationTime)).not.toBeNaN();
  await auth.updateUser('u1', { providerToLink: { providerId: 'google.com', uid: 'g-1', email: 'ada@gmail.com' } });
  for (const found of [
    await auth.getUser('u1'),
    await auth.getUserByEmail('ADA@example.COM'),
    await auth.getUserByPhoneNumber(phoneNumber),
    await auth.getUserByProviderUid('google.com', 'g-1'),
  ]) {
    expect(found.uid).toBe('u1');
  }
  const { users, notFound } = await auth.getUsers([{ uid: 'u1' }, { email: 'ada@example.com' }, { uid: 'nobody' }]);
  expect([users.map(({ uid }) => uid), notFound]).toEqual([['u1'], [{ uid: 'nobody' }]]);
});

test('a missing user is answered with auth/user-not-found', async () => {
  for (const call of [
    auth.getUser('nobody'),
    auth.getUserByEmail('nobody@example.com'),
    auth.getUserByPhoneNumber('+15555550100'),
    auth.getUserByProviderUid('google.com', 'x'),
    auth.updateUser('nobody', { displayName: 'x' }),
    auth.deleteUser('nobody'),
  ]) {
    await expect(call).rejects.toMatchObject(refusal('user-not-found'));
  }
});

test('ids, e-mails, phones and provider ids are unique', async () => {
  await auth.createUser({ uid: 'first', email: 'a@example.com', phoneNumber: '+15555550101' });
  await auth.createUser({ uid: 'second', email: 'b@example.com' });
  await auth.updateUser('first', { providerToLink: { providerId: 'google.com', uid: 'g' } });
  for (const [change, code] of [
    [() => auth.createUser({ uid: 'first' }), 'uid-already-exists'],
    [() => auth.createUser({ email: 'A@example.com' }), 'email-already-exists'],
    [() => auth.updateUser('second', { email: 'a@example.com' }), 'email-already-exists'],
    [() => auth.createUser({ phoneNumber: '+15555550101' }), 'phone-number-already-exists'],
  ] as const) {
    await expect(change()).rejects.toMatchObject(refusal(code));
  }
  await expect(auth.updateUser('second', { providerToLink: { providerId: 'google.com', uid: 'g' } })).rejects.toThrow(
    'FEDERATED_USER_ID_ALREADY_LINKED',
  );
  expect((await auth.getUser('second')).email).toBe('b@example.com');
});

test('exactly one of 20 concurrent creations with the same e-mail succeeds, and the user gets an id', async () => {
  const create = () => auth.createUser({ email: 'race@example.com' });
  const results = await Promise.allSettled(Array.from({ length: 20 }, create));
  const won = results.filter((result) => result.status === 'fulfilled');
  const lost = results.filter((result) => result.status === 'rejected');
  expect(lost.map(({ reason }) => reason as object)).toMatchObject(Array(19).fill(refusal('email-already-exists')));
  const [{ uid }] = (await auth.listUsers()).users as [UserRecord];
  expect([uid, uid]).toEqual([won[0]!.value.uid, expect.stringMatching(/^[\w-]{28}$/)]);
});

test('an update changes only the named fields; null deletes a field', async () => {
  const phone = { phoneNumber: '+15555550102' };
  await auth.createUser({ uid: 'u', email: 'old@example.com', emailVerified: true, displayName: 'Old', ...phone });
  const change = { email: 'new@example.com', displayName: null, phoneNumber: null, disabled: true };
  const changed = await auth.updateUser('u', change);
  expect(changed).toMatchObject({ email: 'new@example.com', emailVerified: false, disabled: true });
  expect([changed.displayName, changed.phoneNumber]).toEqual([undefined, undefined]);
  await expect(auth.getUserByEmail('old@example.com')).rejects.toMatchObject(refusal('user-not-found'));
  await auth.createUser({ email: 'old@example.com', ...phone });
});

test('claims are stored, and refused above 1000 characters', async () => {
  await auth.createUser({ uid: 'u' });
  await auth.setCustomUserClaims('u', { admin: true });
  expect((await auth.getUser('u')).customClaims).toEqual({ admin: true });
  await auth.setCustomUserClaims('u', null);
  expect((await auth.getUser('u')).customClaims).toEqual({});
  const customAttributes = JSON.stringify({ a: 'x'.repeat(1000) });
  const answer = await call('accounts:update', { localId: 'u', customAttributes });
  expect(answer).toMatchObject({ status: 400, body: { error: { message: 'CLAIMS_TOO_LARGE' } } });
});

test('a password is stored as a salted hash only', async () => {
  for (const email of ['a@example.com', 'b@example.com']) {
    const user = await auth.createUser({ email, password: 'secret1' });
    expect(user).toMatchObject({ providerData: [{ providerId: 'password' }] });
    expect(user.tokensValidAfterTime).toBeDefined();
  }
  const { users } = await auth.listUsers();
  expect(new Set(users.map(({ passwordHash }) => passwordHash)).size).toBe(2);
  expect(JSON.stringify(users)).not.toContain('secret1');
});

test.each([
  ['accounts', { email: 'not-an-email' }, 'INVALID_EMAIL'],
  ['accounts', { password: 'short' }, 'WEAK_PASSWORD'],
  ['accounts', { phoneNumber: '12' }, 'INVALID_PHONE_NUMBER'],
  ['accounts', { displayName: 7 }, 'INVALID_ARGUMENT'],
  ['accounts:delete', {}, 'MISSING_LOCAL_ID'],
  ['accounts:update', { localId: 'u', customAttributes: '[]' }, 'INVALID_CLAIMS'],
  ['accounts:lookup', { localId: Array.from({ length: 101 }, String) }, 'INVALID_ARGUMENT'],
  ['accounts:batchCreate', { users: [] }, 'MISSING_USER_ACCOUNT'],
  ['accounts', [], 'INVALID_ARGUMENT'],
])('%s with %.40j is refused with the code of the cloud', async (path, body, code) => {
  await auth.createUser({ uid: 'u' });
  const message = expect.stringContaining(code) as string;
  expect(await call(path, body)).toMatchObject({ status: 400, body: { error: { code: 400, message } } });
});

test('listUsers starts after the id that its page token names, so its pages have every user once', async () => {
  await auth.importUsers(['a', 'b', 'c', 'd'].map((uid) => ({ uid })));
  const pageAfter = async (uid?: string) => {
    const { users, pageToken } = await auth.listUsers(2, uid);
    return [users.map((user) => user.uid).join(''), pageToken];
  };
  expect(await pageAfter()).toEqual(['ab', 'b']);
  expect(await pageAfter('b')).toEqual(['cd', 'd']);
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

test('a request without credentials, for another project or for an unknown path is refused', async () => {
  expect((await call('accounts:lookup', { localId: ['kept'] }, { authorization: '' })).status).toBe(401);
  expect((await call('accounts:lookup', {}, { project: 'other' })).body).toMatchObject(failed('PROJECT_NOT_FOUND'));
  expect((await call('accounts:signInWithPassword', {})).status).toBe(404);
  expect((await asClient('accounts:lookup', {}, { key: '' })).status).toBe(403);
  expect((await asClient('accounts:lookup', {}, { site: 'cross-site' })).status).toBe(403);
});
