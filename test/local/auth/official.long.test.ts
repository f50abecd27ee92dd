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
const calls: ((auth: Auth, client: Client) => Promise<unknown>)[] = [
  (auth) => auth.createUser({ uid: 'a', email: 'A@example.com', password: 'secret1', displayName: 'A' }),
  (auth) => auth.createUser({ uid: 'a' }),
  (auth) => auth.createUser({ email: 'a@example.com' }),
  (auth) => auth.createUser({ uid: 'b', phoneNumber: '+15555550101', photoURL: 'https://example.com/b.png' }),
  (auth) => auth.createUser({ phoneNumber: '+15555550101' }),
  (auth) => auth.createUser({ uid: 'c', email: 'c@example.com', disabled: true, emailVerified: true }),
  (auth) =>
    auth.createUser({
      uid: 'm',
      email: 'm@example.com',
      emailVerified: true,
      multiFactor: { enrolledFactors: [{ factorId: 'phone', phoneNumber: '+15555550199', displayName: 'p' }] },
    }),
  (auth) => auth.getUser('a'),
  (auth) => auth.getUserByEmail('a@EXAMPLE.com'),
  (auth) => auth.getUserByPhoneNumber('+15555550101'),
  (auth) => auth.getUser('nobody'),
  (auth) => auth.getUserByEmail('nobody@example.com'),
  (auth) => auth.getUsers([{ uid: 'a' }, { email: 'c@example.com' }, { phoneNumber: '+15555550101' }, { uid: 'x' }]),
  (auth) => auth.updateUser('a', { displayName: 'Ada', emailVerified: true }),
  (auth) => auth.updateUser('a', { email: 'ada@example.com' }),
  (auth) => auth.updateUser('a', { email: 'c@example.com' }),
  (auth) => auth.updateUser('b', { photoURL: null, displayName: null }),
  (auth) => auth.updateUser('b', { phoneNumber: null }),
  (auth) => auth.updateUser('nobody', { displayName: 'x' }),
  (auth) =>
    auth.updateUser('b', {
      providerToLink: { providerId: 'google.com', uid: 'g-1', email: 'b@gmail.com', displayName: 'B' },
    }),
  (auth) => auth.getUserByProviderUid('google.com', 'g-1'),
  (auth) => auth.updateUser('b', { providersToUnlink: ['google.com'] }),
  (auth) => auth.setCustomUserClaims('a', { role: 'editor' }),
  (auth) => auth.getUser('a'),
  (auth) => auth.listUsers(),
  (auth) => auth.listUsers(2),
  (auth) => auth.listUsers(2, 'a'),
  (auth) => auth.listUsers(2, 'bb'),
  (auth) => auth.listUsers(4),
  (auth) => auth.listUsers(2, 'z'),
  (auth) =>
    auth.importUsers([
      { uid: 'i', email: 'i@example.com', providerData: [{ providerId: 'google.com', uid: 'g-i' }] },
      { uid: 'j', phoneNumber: '+15555550105', customClaims: { a: 1 }, disabled: true },
    ]),
  (auth) => auth.getUsers([{ uid: 'i' }, { uid: 'j' }]),
  (auth) => auth.generatePasswordResetLink('ada@example.com'),
  (auth) => auth.generatePasswordResetLink('ada@example.com', { url: 'https://example.com/x?y=1' }),
  (auth) => auth.generatePasswordResetLink('nobody@example.com'),
  (auth) => auth.generatePasswordResetLink('c@example.com'),
  (auth) => auth.generateEmailVerificationLink('ada@example.com'),
  (auth) => auth.generateEmailVerificationLink('nobody@example.com'),
  (auth) => auth.generateVerifyAndChangeEmailLink('ada@example.com', 'ada2@example.com'),
  (auth) => auth.generateVerifyAndChangeEmailLink('ada@example.com', 'c@example.com'),
  (auth) => auth.generateSignInWithEmailLink('new@example.com', { url: 'https://example.com/', handleCodeInApp: true }),
  async (auth, client) =>
    client('accounts:signInWithCustomToken', { token: await auth.createCustomToken('a', { x: 1 }) }),
  async (auth, client) => auth.verifyIdToken(await idToken(auth, client, 'a')),
  async (auth, client) => auth.verifyIdToken(await idToken(auth, client, 'fresh'), true),
  (auth) => auth.getUser('fresh'),
  async (auth, client) => client('accounts:signInWithCustomToken', { token: await auth.createCustomToken('c') }),
  (_auth, client) => client('accounts:signInWithCustomToken', {}),
  (_auth, client) => client('accounts:signInWithCustomToken', { token: 'x' }),
  async (auth, client) => {
    const answer = await client('accounts:lookup', { idToken: await idToken(auth, client, 'a') });
    const [{ localId, email }] = (answer as { users: [Record<string, unknown>] }).users;
    return { localId, email };
  },
  async (auth, client) =>
    auth.verifySessionCookie(await auth.createSessionCookie(await idToken(auth, client, 'a'), { expiresIn: 3600_000 })),
  async (auth, client) => auth.createSessionCookie(await idToken(auth, client, 'a'), { expiresIn: 1000 }),
  (auth) => auth.createSessionCookie('x', { expiresIn: 3600_000 }),
  (auth) => auth.revokeRefreshTokens('a'),
  async (auth, client) => {
    const code = codeOf(await auth.generatePasswordResetLink('ada@example.com'));
    return [
      await client('accounts:resetPassword', { oobCode: code }),
      await client('accounts:resetPassword', { oobCode: code, newPassword: 'x' }),
      await client('accounts:resetPassword', { oobCode: code, newPassword: 'secret2' }),
      await client('accounts:resetPassword', { oobCode: code, newPassword: 'secret2' }),
    ];
  },
  (auth) => auth.getUser('a'),
  async (auth, client) =>
    client('accounts:update', { oobCode: codeOf(await auth.generateEmailVerificationLink('i@example.com')) }),
  async (auth, client) =>
    client('accounts:update', {
      oobCode: codeOf(await auth.generateVerifyAndChangeEmailLink('i@example.com', 'i2@example.com')),
    }),
  (auth) => auth.getUser('i'),
  async (auth, client) =>
    client('accounts:signInWithEmailLink', {
      email: 'New@example.com',
      oobCode: codeOf(await auth.generateSignInWithEmailLink('new@example.com', { url: 'https://example.com/' })),
    }),
  (_auth, client) => client('accounts:signInWithEmailLink', { email: 'new@example.com', oobCode: 'x' }),
  (auth) => auth.getUserByEmail('new@example.com'),
  async (auth) => auth.deleteUser((await auth.getUserByEmail('new@example.com')).uid),
  (auth) => auth.deleteUser('a'),
  (auth) => auth.deleteUser('a'),
  (auth) => auth.deleteUsers(['b', 'c', 'nobody']),
  (auth) => auth.listUsers(),
];

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
  for (const [i, call] of calls.entries()) {
    const result = await call(getAuth(app), client).catch((error: unknown) => ({
      code: (error as { code: string }).code,
      message: (error as Error).message,
    }));
    results[`${i} ${String(call)}`] = comparable(result, host);
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
