import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getAuth, type Auth } from 'firebase-admin/auth';
import { startProgram } from '../../../emulators/program';
import { startAuth } from '../../../local/auth';
import { firebaseTools, officialTest } from '../../support/official-emulator';
import { close, listen } from '../../support/sockets';
import { aFolder } from '../folders';

const PROJECT = 'demo-decks';

/** Values that differ between two runs. Only their presence is compared. */
const volatileKeys = new Set([
  ...['passwordHash', 'passwordSalt', 'idToken', 'refreshToken', 'iat', 'exp', 'auth_time'],
  ...['creationTime', 'lastRefreshTime', 'tokensValidAfterTime'],
]);

/**
 * Values that are not compared. The emulator counts a creation as a sign-in, and omits the time of an enrollment and
 * the federated id of a linked identity. The cloud does not.
 */
const ignoredKeys = new Set(['lastSignInTime', 'enrollmentTime', 'federatedId']);

/**
 * Calls of the Admin SDK and of clients. Left out is what the emulator itself names as different from the cloud:
 * importing an address in use, and linking an identity in use, which it accepts.
 */
const calls: Record<string, (auth: Auth, client: Client) => Promise<unknown>> = {
  create: (auth) => auth.createUser({ uid: 'a', email: 'A@example.com', password: 'secret1', displayName: 'A' }),
  'create twice': (auth) => auth.createUser({ uid: 'a' }),
  'create with an address in use': (auth) => auth.createUser({ email: 'a@example.com' }),
  'create with a phone': (auth) =>
    auth.createUser({ uid: 'b', phoneNumber: '+15555550101', photoURL: 'https://example.com/b.png' }),
  'create with a phone in use': (auth) => auth.createUser({ phoneNumber: '+15555550101' }),
  'create disabled': (auth) =>
    auth.createUser({ uid: 'c', email: 'c@example.com', disabled: true, emailVerified: true }),
  'create with factors': (auth) =>
    auth.createUser({
      uid: 'm',
      email: 'm@example.com',
      emailVerified: true,
      multiFactor: { enrolledFactors: [{ factorId: 'phone', phoneNumber: '+15555550199', displayName: 'p' }] },
    }),
  get: (auth) => auth.getUser('a'),
  'get by e-mail': (auth) => auth.getUserByEmail('a@EXAMPLE.com'),
  'get by phone': (auth) => auth.getUserByPhoneNumber('+15555550101'),
  'get an unknown id': (auth) => auth.getUser('nobody'),
  'get an unknown address': (auth) => auth.getUserByEmail('nobody@example.com'),
  'get many': (auth) =>
    auth.getUsers([{ uid: 'a' }, { email: 'c@example.com' }, { phoneNumber: '+15555550101' }, { uid: 'x' }]),
  update: (auth) => auth.updateUser('a', { displayName: 'Ada', emailVerified: true }),
  'update the address': (auth) => auth.updateUser('a', { email: 'ada@example.com' }),
  'update to an address in use': (auth) => auth.updateUser('a', { email: 'c@example.com' }),
  'update with nulls': (auth) => auth.updateUser('b', { photoURL: null, displayName: null }),
  'remove a phone': (auth) => auth.updateUser('b', { phoneNumber: null }),
  'update an unknown id': (auth) => auth.updateUser('nobody', { displayName: 'x' }),
  link: (auth) =>
    auth.updateUser('b', {
      providerToLink: { providerId: 'google.com', uid: 'g-1', email: 'b@gmail.com', displayName: 'B' },
    }),
  'get by provider': (auth) => auth.getUserByProviderUid('google.com', 'g-1'),
  unlink: (auth) => auth.updateUser('b', { providersToUnlink: ['google.com'] }),
  'set claims': (auth) => auth.setCustomUserClaims('a', { role: 'editor' }),
  'get with claims': (auth) => auth.getUser('a'),
  list: (auth) => auth.listUsers(),
  'list a page': (auth) => auth.listUsers(2),
  'list after an id': (auth) => auth.listUsers(2, 'a'),
  'list after an id that is not there': (auth) => auth.listUsers(2, 'bb'),
  'list a full page': (auth) => auth.listUsers(4),
  'list after the last': (auth) => auth.listUsers(2, 'z'),
  import: (auth) =>
    auth.importUsers([
      { uid: 'i', email: 'i@example.com', providerData: [{ providerId: 'google.com', uid: 'g-i' }] },
      { uid: 'j', phoneNumber: '+15555550105', customClaims: { a: 1 }, disabled: true },
    ]),
  'get the imported': (auth) => auth.getUsers([{ uid: 'i' }, { uid: 'j' }]),
  'reset link': (auth) => auth.generatePasswordResetLink('ada@example.com'),
  'reset link with settings': (auth) =>
    auth.generatePasswordResetLink('ada@example.com', { url: 'https://example.com/x?y=1' }),
  'reset link of an unknown address': (auth) => auth.generatePasswordResetLink('nobody@example.com'),
  'reset link of a disabled user': (auth) => auth.generatePasswordResetLink('c@example.com'),
  'verification link': (auth) => auth.generateEmailVerificationLink('ada@example.com'),
  'verification link of an unknown address': (auth) => auth.generateEmailVerificationLink('nobody@example.com'),
  'change link': (auth) => auth.generateVerifyAndChangeEmailLink('ada@example.com', 'ada2@example.com'),
  'change link to a taken address': (auth) => auth.generateVerifyAndChangeEmailLink('ada@example.com', 'c@example.com'),
  'sign-in link': (auth) =>
    auth.generateSignInWithEmailLink('new@example.com', { url: 'https://example.com/', handleCodeInApp: true }),
  'custom token': async (auth, client) =>
    client('accounts:signInWithCustomToken', { token: await auth.createCustomToken('a', { x: 1 }) }),
  'ID token': async (auth, client) => auth.verifyIdToken(await idToken(auth, client, 'a')),
  'ID token of a new user': async (auth, client) => auth.verifyIdToken(await idToken(auth, client, 'fresh'), true),
  'new user': (auth) => auth.getUser('fresh'),
  'custom token of a disabled user': async (auth, client) =>
    client('accounts:signInWithCustomToken', { token: await auth.createCustomToken('c') }),
  'no custom token': (_auth, client) => client('accounts:signInWithCustomToken', {}),
  'text as custom token': (_auth, client) => client('accounts:signInWithCustomToken', { token: 'x' }),
  'own account': async (auth, client) => {
    const answer = await client('accounts:lookup', { idToken: await idToken(auth, client, 'a') });
    const [{ localId, email }] = (answer as { users: [Record<string, unknown>] }).users;
    return { localId, email };
  },
  'session cookie': async (auth, client) =>
    auth.verifySessionCookie(await auth.createSessionCookie(await idToken(auth, client, 'a'), { expiresIn: 3600_000 })),
  'session cookie too short': async (auth, client) =>
    auth.createSessionCookie(await idToken(auth, client, 'a'), { expiresIn: 1000 }),
  'session cookie of text': (auth) => auth.createSessionCookie('x', { expiresIn: 3600_000 }),
  revoke: (auth) => auth.revokeRefreshTokens('a'),
  'follow a reset link': async (auth, client) => {
    const code = codeOf(await auth.generatePasswordResetLink('ada@example.com'));
    return [
      await client('accounts:resetPassword', { oobCode: code }),
      await client('accounts:resetPassword', { oobCode: code, newPassword: 'x' }),
      await client('accounts:resetPassword', { oobCode: code, newPassword: 'secret2' }),
      await client('accounts:resetPassword', { oobCode: code, newPassword: 'secret2' }),
    ];
  },
  'after the reset': (auth) => auth.getUser('a'),
  'follow a verification link': async (auth, client) =>
    client('accounts:update', { oobCode: codeOf(await auth.generateEmailVerificationLink('i@example.com')) }),
  'follow a change link': async (auth, client) =>
    client('accounts:update', {
      oobCode: codeOf(await auth.generateVerifyAndChangeEmailLink('i@example.com', 'i2@example.com')),
    }),
  'after the change': (auth) => auth.getUser('i'),
  'follow a sign-in link': async (auth, client) =>
    client('accounts:signInWithEmailLink', {
      email: 'New@example.com',
      oobCode: codeOf(await auth.generateSignInWithEmailLink('new@example.com', { url: 'https://example.com/' })),
    }),
  'a wrong code': (_auth, client) => client('accounts:signInWithEmailLink', { email: 'new@example.com', oobCode: 'x' }),
  'after the sign-in': (auth) => auth.getUserByEmail('new@example.com'),
  'delete the new user': async (auth) => auth.deleteUser((await auth.getUserByEmail('new@example.com')).uid),
  delete: (auth) => auth.deleteUser('a'),
  'delete an unknown id': (auth) => auth.deleteUser('a'),
  'delete many': (auth) => auth.deleteUsers(['b', 'c', 'nobody']),
  'list at the end': (auth) => auth.listUsers(),
};

type Client = (path: string, body: object) => Promise<unknown>;

async function idToken(auth: Auth, client: Client, uid: string): Promise<string> {
  const answer = await client('accounts:signInWithCustomToken', { token: await auth.createCustomToken(uid) });
  return (answer as { idToken: string }).idToken;
}

const codeOf = (link: string) => new URL(link).searchParams.get('oobCode');

async function resultsOf(host: string): Promise<Record<string, unknown>> {
  process.env.FIREBASE_AUTH_EMULATOR_HOST = host;
  const app = initializeApp({ projectId: PROJECT }, host);
  const client: Client = async (path, body) => {
    const answer = await fetch(`http://${host}/identitytoolkit.googleapis.com/v1/${path}?key=fake-api-key`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.json();
  };
  const results: Record<string, unknown> = {};
  for (const [name, call] of Object.entries(calls)) {
    const result = await call(getAuth(app), client).catch((error: unknown) => ({
      code: (error as { code: string }).code,
      message: (error as Error).message,
    }));
    results[name] = comparable(result, host);
  }
  await deleteApp(app);
  return results;
}

/** Replaces addresses of the server, codes, generated ids and volatile values. */
function comparable(value: unknown, host: string): unknown {
  return JSON.parse(JSON.stringify(value ?? null), (key, inner: unknown) => {
    if (ignoredKeys.has(key)) return undefined;
    if (volatileKeys.has(key)) return inner === null ? null : '<set>';
    if (typeof inner !== 'string') return inner;
    if (/^(uid|localId)$/.test(key) && /^([\w-]{28}|[\da-f]{32})$/.test(inner)) return '<generated>';
    return inner.replaceAll(host, '<host>').replace(/oobCode=[\w-]{54}/, 'oobCode=<code>');
  }) as unknown;
}

async function startOfficial(cwd: string) {
  const probe = createServer();
  const port = await listen(probe);
  await close(probe);
  const emulators = { auth: { host: '127.0.0.1', port }, ui: { enabled: false } };
  await writeFile(join(cwd, 'firebase.json'), JSON.stringify({ emulators }));
  const program = await startProgram({
    name: 'The emulator',
    command: [firebaseTools!, 'emulators:start', '--only', 'auth', '--project', PROJECT],
    cwd,
    env: { ...process.env, CI: '1' },
    readyWhen: /All emulators ready/,
    onOutput: () => {},
  });
  return { host: `127.0.0.1:${port}`, close: () => program.close() };
}

officialTest(
  'the Admin SDK gets the same answers from the official emulator',
  async () => {
    const folder = aFolder();
    const ours = await startAuth({ dataDir: folder, project: PROJECT });
    const official = await startOfficial(folder);
    try {
      expect(await resultsOf(ours.host)).toEqual(await resultsOf(official.host));
    } finally {
      await Promise.all([official.close(), ours.close()]);
    }
  },
  120_000,
);
