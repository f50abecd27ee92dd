import { hostname } from 'node:os';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Computer, type Testbed, withTestbed, inTerminal } from './testbed';

/** Keys of several computers are told apart by name. */
const NAME = `CLI default key (${hostname()})`;

let testbed: Testbed;
withTestbed((made) => ({ testbed } = made));

interface Key {
  keyId: string;
  raw: string;
  keyPrefix: string;
  name: string;
  scopes: string[];
  isCaller: boolean;
}

/** Runs a command that needs a code: the first run has it sent, and the second sends it. */
async function withCode(computer: Computer, email: string, ...args: string[]): Promise<Record<string, unknown>> {
  await testbed.later(31);
  await computer.done(...args);
  return computer.done(...args, '--code', await testbed.newestCode(email));
}

/** A login that is killed when the key was made and before it is stored. */
async function killedLogin(computer: Computer, email: string, ...options: string[]): Promise<void> {
  const login = ['login', '--email', email, ...options];
  await testbed.later(31);
  await computer.done(...login);
  let kill: () => void = () => undefined;
  testbed.proxy.watch = ({ name }, response) => {
    if (name !== 'createApiKey') return 'forward';
    response.once('close', () => kill());
    return 'lose the answer';
  };
  const running = computer.start([...login, '--code', await testbed.newestCode(email)]);
  kill = () => running.process.kill('SIGKILL');
  await running.ended;
  testbed.proxy.reset();
}

const keysOf = async (computer: Computer) => (await computer.done<{ keys: Key[] }>('keys')).keys;

async function anOwner(): Promise<{ computer: Computer; email: string }> {
  const email = testbed.anEmail();
  return { computer: await testbed.aSignedInComputer(email), email };
}

/** Adds keys until the organization of the computer has 20. */
async function fillKeys(computer: Computer): Promise<void> {
  const raw = await computer.key();
  await testbed.withDatabase(async (database) => {
    const keys = database.collection('apiKeys');
    const own = (await keys.doc(createHash('sha256').update(raw).digest('hex')).get()).data()!;
    const batch = database.batch();
    for (let made = 1; made < 20; made++) {
      const number = String(made).padStart(2, '0');
      batch.create(keys.doc(), { ...own, keyId: `id-${number}`, keyPrefix: `cko_KE${number}`, name: `Old ${number}` });
    }
    await batch.commit();
  });
}

describe('deck keys', () => {
  test('lists, makes and revokes keys; the second step takes the code, and the key is shown once', async () => {
    const { computer, email } = await anOwner();
    expect(await keysOf(computer)).toMatchObject([{ name: NAME, isCaller: true }]);
    const create = ['keys', 'create', '--name', 'CI', '--scope', 'presentations:read', '--expires-in-days', '30'];
    await testbed.later(31);
    const next = `deck ${create.join(' ')} --email ${email} --code <code>`;
    expect(await computer.done(...create)).toMatchObject({ status: 'code-sent', next });
    testbed.proxy.reset();
    const code = await testbed.newestCode(email);
    const { apiKey } = await computer.done<{ apiKey: Key }>(...create, '--code', code);
    expect(apiKey).toMatchObject({ name: 'CI', scopes: ['presentations:read'] });
    expect(testbed.proxy.calls).toEqual({ createDashboardSession: 1, createApiKey: 1, endDashboardSession: 1 });
    const whoami = await computer.deck(['whoami', '--json'], { DECK_API_KEY: apiKey.raw });
    expect(whoami.json()).toMatchObject({ keyName: 'CI', source: 'DECK_API_KEY' });
    const listed = await computer.deck(['keys']);
    expect(listed.stdout).toMatch(
      /^cko_\w{4}… {2}CI .* used \S+ .* presentations:read\n.*\(in use here\)\n2 of 20 keys\n$/,
    );
    expect(listed.stdout).not.toContain(apiKey.raw);

    const revoked = await withCode(computer, email, 'keys', 'revoke', 'CI');
    expect(revoked).toMatchObject({ status: 'revoked', keyId: apiKey.keyId });
    expect((await computer.deck(['whoami', '--json'], { DECK_API_KEY: apiKey.raw })).code).toBe(3);
    expect((await keysOf(computer)).map(({ name }) => name)).toEqual([NAME]);
  });

  test('sends no code for a key that does not exist, or for the key of this computer', async () => {
    const { computer } = await anOwner();
    await testbed.later(31);
    const [own] = await keysOf(computer);
    testbed.proxy.reset();
    expect(await computer.refused('keys', 'revoke', 'nothing')).toMatchObject({ exit: 1, code: 'not-found' });
    expect((await computer.refused('keys', 'revoke', own!.keyPrefix)).nextAction).toContain('deck logout');
    expect(testbed.proxy.calls).toEqual({ listApiKeys: 2 });
  });

  inTerminal('makes a key in one command in a terminal, and tells a wrong code at once', async () => {
    const { computer, email } = await anOwner();
    await testbed.later(31);
    const screen = computer.inTerminal(['keys', 'create', '--name', 'CI']);
    await screen.shows('Code from the mail:');
    const code = await testbed.newestCode(email);
    screen.type(`${code === '123456' ? '654321' : '123456'}\r`);
    await screen.shows('Attempts left: 4.');
    screen.type(`${code}\r`);
    await screen.shows(' with presentations:write, presentations:read');
    await screen.shows('shown only this once');
    expect(await screen.exitCode()).toBe(0);
  });
});

describe('a login on a computer that has a key', () => {
  const login = (computer: Computer, email: string, ...options: string[]) =>
    withCode(computer, email, 'login', '--email', email, ...options);
  const isValid = async (computer: Computer, raw: string) =>
    (await computer.deck(['whoami', '--json'], { DECK_API_KEY: raw })).code === 0;

  test('revokes that key when the new one is stored', async () => {
    const { computer, email } = await anOwner();
    const before = await computer.key();
    expect(await login(computer, email, '--publish')).toMatchObject({ status: 'signed-in' });
    expect(await isValid(computer, before)).toBe(false);
    expect(await keysOf(computer)).toMatchObject([
      { isCaller: true, name: `CLI key that may publish (${hostname()})` },
    ]);
  });

  test('keeps both keys valid when it cannot revoke the old one, and the next login revokes it', async () => {
    const { computer, email } = await anOwner();
    const before = await computer.key();
    testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'revokeApiKey') return 'forward';
      response.writeHead(403, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ success: false, error: { code: 'permission-denied', message: 'No.' } }));
      return 'answered';
    };
    const ended = await login(computer, email, '--publish');
    expect(ended).toMatchObject({ warnings: [{ message: expect.stringContaining('No.') as string }] });
    testbed.proxy.reset();
    for (const raw of [before, await computer.key()]) expect(await isValid(computer, raw)).toBe(true);
    await login(computer, email);
    expect(await isValid(computer, before)).toBe(false);
    expect(await keysOf(computer)).toHaveLength(1);
  });

  test('killed after the key was made keeps the old one, and the next login revokes the lost one', async () => {
    const { computer, email } = await anOwner();
    const before = await computer.key();
    await killedLogin(computer, email, '--publish');
    expect(await computer.key()).toBe(before);
    expect((await keysOf(computer)).map(({ isCaller }) => isCaller).sort()).toEqual([false, true]);
    await login(computer, email);
    expect(await keysOf(computer)).toMatchObject([{ isCaller: true, name: NAME }]);
  });

  test('that lost its key is remembered, until a login to the same organization revokes the key', async () => {
    const { computer, email } = await anOwner();
    const other = testbed.anEmail();
    await (await testbed.aSignedInComputer(other)).done('logout');
    await killedLogin(computer, email);
    await login(computer, other);
    await computer.done('logout');
    await login(computer, email);
    expect(await keysOf(computer)).toMatchObject([{ isCaller: true }]);
  });
});

describe('deck login --publish', () => {
  test('gets a key with all scopes in two commands, shows no secret, and ends its dashboard session', async () => {
    const { computer, email } = await anOwner();
    await testbed.later(31);
    const login = ['login', '--publish', '--email', email];
    const next = `deck login --publish --email ${email} --code <code>`;
    expect(await computer.done(...login)).toMatchObject({ status: 'code-sent', next });
    let session = '';
    testbed.proxy.watch = ({ name, headers }) => {
      if (name === 'createApiKey') session = headers.authorization?.replace('Bearer ', '') ?? '';
      return 'forward';
    };
    const code = await testbed.newestCode(email);
    const ended = await computer.deck([...login, '--code', code, '--json']);
    const scopes = ['presentations:write', 'presentations:read', 'marketplace:publish'];
    expect(ended.json()).toMatchObject({ status: 'signed-in', email, apiKey: { scopes } });
    expect(ended.stdout).not.toMatch(/ck[oas]_[A-Za-z0-9]{10}/);
    const profiles = join(computer.configFolder, 'deck', 'profiles');
    const files = await Promise.all((await readdir(profiles)).map((file) => readFile(join(profiles, file), 'utf8')));
    expect(files.join()).not.toContain(session);
    expect(session).toMatch(/^cks_/);
    const listKeys = await fetch(`${testbed.baseUrl}/listApiKeys`, { headers: { Authorization: `Bearer ${session}` } });
    expect(listKeys.status).toBe(401);
  });

  test('leaves one active key when the answer with the key is lost', async () => {
    const { computer, email } = await anOwner();
    await testbed.later(31);
    await computer.done('login', '--publish', '--email', email);
    testbed.proxy.watch = ({ name, number }) =>
      name === 'createApiKey' && number === 1 ? 'lose the answer' : 'forward';
    const code = await testbed.newestCode(email);
    await computer.done('login', '--publish', '--email', email, '--code', code, '--key-name', 'Mine');
    expect(testbed.proxy.calls['createApiKey']).toBeGreaterThan(1);
    expect(await keysOf(computer)).toMatchObject([{ name: 'Mine', isCaller: true }]);
  });

  test('refuses an expiry of more than 365 days before it uses up the code', async () => {
    const args = ['login', '--publish', '--email', 'a@example.com', '--code', '123456', '--expires-in-days', '366'];
    expect(await testbed.aComputer().refused(...args)).toMatchObject({ exit: 2, code: 'usage' });
    expect(testbed.proxy.calls).toEqual({});
  });
});

describe('at 20 keys', () => {
  test('a login without a terminal lists them, keeps the key, and names the command that needs one new code', async () => {
    const { computer, email } = await anOwner();
    await fillKeys(computer);
    const before = await computer.key();
    await testbed.later(31);
    await computer.done('login', '--email', email);
    testbed.proxy.reset();
    const error = await computer.refused('login', '--email', email, '--code', await testbed.newestCode(email));
    const once = { createDashboardSession: 1, createApiKey: 1, listApiKeys: 1, endDashboardSession: 1 };
    expect(testbed.proxy.calls).toEqual(once);
    expect(error.code).toBe('MAX_API_KEYS_REACHED');
    expect(error.details['keys']).toHaveLength(19);
    const [, prefix] = /--revoke (cko_KE\d\d)/.exec(error.nextAction) ?? [];
    expect(await computer.key()).toBe(before);
    const login = await withCode(computer, email, 'login', '--email', email, '--revoke', prefix!);
    expect(login).toMatchObject({ status: 'signed-in' });
    const keys = await keysOf(computer);
    expect(keys).toHaveLength(19);
    expect(keys.map(({ keyPrefix }) => keyPrefix)).not.toContain(prefix);
  });

  inTerminal('a login in a terminal offers to revoke one, with the same code', async () => {
    const { computer, email } = await anOwner();
    await fillKeys(computer);
    await testbed.later(31);
    const screen = computer.inTerminal(['login', '--email', email]);
    await screen.shows('Code from the mail:');
    screen.type(`${await testbed.newestCode(email)}\r`);
    await screen.shows('cko_KE07…  Old 07');
    await screen.shows('Which key do you want to revoke?');
    screen.type('cko_XXXX\r');
    await screen.shows('Enter the prefix of one of these keys.');
    screen.type('cko_KE07\r');
    await screen.shows('Revoked the key cko_KE07… "Old 07"');
    await screen.shows(`Signed in as ${email}`);
    expect(await screen.exitCode()).toBe(0);
    expect((await keysOf(computer)).map(({ name }) => name)).not.toContain('Old 07');
  });
});
