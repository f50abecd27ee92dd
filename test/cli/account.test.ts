import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { each } from '../support/each';
import { proveDoctor } from './doctor';
import * as codes from './keys-of-account';
import { anOwner, keysOf, login, NAME, typeCode, whoami, withCodeTyped, wrongFor, type Key } from './keys-of-account';
import { inTerminal, testbed, withTestbed, words } from './testbed';

/** An account from the sign-up to its end, its keys, and what the client says about a computer. */

withTestbed();

describe('signing up without a terminal', () => {
  test('takes two commands: the first has the code sent, and the second exchanges it for a key, also after wrong codes', async () => {
    const [computer, email] = [testbed.aComputer(), testbed.anEmail()];
    // A folder that was readable for all.
    const folder = join(computer.configFolder, 'deck');
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const signup = ['signup', '--email', email];
    const next = `deck signup --email ${email} --code <code> --first-name <name>`;
    const sent = { ok: true, status: 'code-sent', email, expiresInSeconds: 600, next };
    expect(await computer.done(...signup)).toEqual(sent);
    const nextAction = words('--code <code> --first-name <name>');
    expect(await computer.refused(...signup)).toMatchObject({ code: 'OTP_RESEND_COOLDOWN', nextAction });
    const given = ['--first-name', 'Ada', '--company', 'B', '--key-name', 'CI', '--expires-in-days', '30'];
    const repeated = { nextAction: words(`${given.join(' ')} --code <code>`) };
    expect(await computer.refused(...signup, ...given)).toMatchObject(repeated);
    const code = await testbed.newestCode(email);
    for (const attemptsRemaining of [4, 3])
      expect(await computer.refused(...signup, '--code', wrongFor(code), '--first-name', 'Ada')).toMatchObject({
        exit: 1,
        code: 'OTP_INVALID',
        message: words(`Attempts left: ${attemptsRemaining}.`),
        details: { attemptsRemaining },
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      });
    const noName = await computer.refused(...signup, '--code', code);
    expect([noName.exit, JSON.stringify(noName)]).toEqual([2, words('--first-name')]);
    const signedIn = await computer.done(...signup, '--code', code, '--first-name', 'Ada');
    const organizationName = "Ada's workspace";
    const apiKey = { scopes: ['presentations:write', 'presentations:read'] };
    expect(signedIn).toMatchObject({ ok: true, status: 'signed-in', email, organizationName, apiKey });
    const limits = /^Plan free\n {2}decks +0 of 100\n {2}stored +0 B of 5 GB\n {2}open uploads +0 B of 500 MB\n/;
    for (const [command, document, text] of [
      ['whoami', { email, organizationName, type: 'org-api-key' }, /Ada's workspace/],
      ['account', { user: { email }, organization: { name: organizationName } }, /\(user-.*@example\.com\)/],
      ['usage', { plan: 'free', decks: { used: 0, limit: 100 }, keys: { used: 1 } }, limits],
    ] as const) {
      expect(await computer.done(command)).toMatchObject(document);
      expect((await computer.deck([command])).stdout).toMatch(text);
    }
    const raw = await computer.key();
    expect(raw).toMatch(/^cko_/);
    expect(JSON.stringify([signedIn, await computer.done('whoami')])).not.toContain(raw);
    // Only the user can read the key.
    const paths = ['.', 'profiles', ...(await readdir(join(folder, 'profiles'))).map((name) => `profiles/${name}`)];
    const modeOf = async (path: string) => (await stat(join(folder, path))).mode & 0o777;
    expect(await Promise.all(paths.map(modeOf))).toEqual([0o700, 0o700, 0o600]);
  });

  test('names what is missing or wrong: an option before anything is sent, an address once', async () => {
    const computer = testbed.aComputer();
    const tooLong = ['--code', '123456', '--expires-in-days', '366'];
    for (const options of [
      ['signup'],
      ['signup', '--email', 'a@example.com', '--expires-in-days', 'soon'],
      // It would use up the code.
      ['login', '--publish', '--email', 'a@example.com', ...tooLong],
    ])
      expect(await computer.refused(...options)).toMatchObject({ exit: 2, code: 'usage' });
    expect(testbed.proxy.calls).toEqual({});
    const { code, message } = await computer.refused('signup', '--email', 'nobody');
    const { stderr } = await computer.deck(['signup', '--email', 'nobody']);
    expect([code, stderr.split(message).length]).toEqual(['EMAIL_INVALID', 2]);
  });
});

describe('in a terminal', () => {
  inTerminal('a sign-up asks for email, code and name, and tells a wrong code at once', async () => {
    const [computer, email] = [testbed.aComputer(), testbed.anEmail()];
    const screen = computer.inTerminal(['signup']);
    await screen.answer('Email address:', 'nonsense');
    await screen.answer('That is not an email address.', email);
    await screen.shows('A six-digit code was sent');
    await typeCode(screen, email, 'Code from the mail:', 'Attempts left: 4.');
    await screen.answer('First name:', 'Ada');
    await screen.shows(`Signed in as ${email}`);
    expect([await screen.exitCode(), await computer.key()]).toEqual([0, expect.stringMatching(/^cko_/)]);
  });

  inTerminal('a question exits with 130 at Ctrl-C, and at the end of the input', async () => {
    for (const keys of ['\x03', '\x04']) {
      const screen = testbed.aComputer().inTerminal(['login']);
      await screen.shows('Email address:');
      screen.type(keys);
      expect(await screen.exitCode()).toBe(130);
    }
  });

  inTerminal('a key is made in one command', async () => {
    const { computer, email } = await anOwner();
    const screen = await withCodeTyped(computer, email, 'keys', 'create', '--name', 'CI');
    await screen.shows('shown only once');
    expect(await screen.exitCode()).toBe(0);
  });

  inTerminal('the address of the account is changed with a code from each of both', async () => {
    const { computer, email } = await anOwner();
    const newEmail = testbed.anEmail();
    const refused = await withCodeTyped(computer, email, 'account', 'email', (await anOwner()).email);
    await refused.shows('Name another address.');
    expect(await refused.exitCode()).toBe(1);
    const screen = await withCodeTyped(computer, email, 'account', 'email', newEmail);
    await typeCode(screen, email, `Code from the mail to ${email}:`);
    await typeCode(screen, newEmail, `Code from the mail to ${newEmail}:`, 'The code is wrong');
    await screen.shows(`You sign in with ${newEmail} from now on.`);
    expect(await screen.exitCode()).toBe(0);
    expect(await computer.done('account')).toMatchObject({ user: { email: newEmail } });
    // The stored key names the new address, to which the next code goes.
    await testbed.later(31);
    expect(await computer.done('keys', 'create', '--name', 'CI')).toMatchObject({ email: newEmail });
  });

  inTerminal('an account is deleted when its effects were told, with a name and a code that are typed', async () => {
    const { computer, email } = await anOwner();
    await computer.done('push', await testbed.aFolder({ 'index.html': '<title>Talk</title>' }));
    expect(await computer.refused('account', 'delete')).toMatchObject({ exit: 2, code: 'usage' });
    const screen = await withCodeTyped(computer, email, 'account', 'delete');
    await screen.shows('closes your 1 deck, the newest first');
    await screen.shows('deck account export --out');
    // No code was mailed for it before.
    await screen.answer('Type the name of the organization', 'Yes');
    await screen.answer('That is not its name.', "Ada's workspace");
    await typeCode(screen, email, `Code from the mail to ${email}:`, 'The code is wrong');
    await screen.shows('The account is deleted.');
    expect(await screen.exitCode()).toBe(0);
    expect(await computer.done('profiles')).toMatchObject({ profiles: [] });
    expect(await readFile(join(computer.configFolder, 'deck', 'code-tokens.json'), 'utf8')).not.toContain(email);
  });

  inTerminal('an account is exported, and another one imports its decks with their versions and links', async () => {
    const { computer, email } = await anOwner();
    await computer.done('push', await testbed.aFolder({ 'index.html': '<title>Talk</title>' }));
    const out = join(testbed.folder, 'exported');
    // These are told before any code is asked for, for which a command needs a terminal.
    const own = await testbed.aFolder({ 'own.txt': 'own' });
    for (const [unfit, code] of [
      [join(own, 'own.txt'), 'usage'],
      [own, 'folder-not-empty'],
    ] as const)
      expect(await computer.refused('account', 'export', '--out', unfit)).toMatchObject({
        code,
        message: expect.stringContaining(unfit) as string,
      });
    const startExport = () => withCodeTyped(computer, email, 'account', 'export', '--out', out);
    const first = await startExport();
    await first.shows('Another code was sent');
    await typeCode(first, email);
    await first.shows('The service has exported 0 of 1 deck');
    // The next command takes the export that was asked for.
    first.type('\x03');
    expect(await first.exitCode()).toBe(130);
    expect((await fetch(`${testbed.baseUrl}/exportAccounts`, { method: 'POST' })).ok).toBe(true);
    const second = await startExport();
    await second.shows('Exported the account to');
    expect(await second.exitCode()).toBe(0);
    const there = await testbed.aSignedInComputer();
    const decks = [{ title: 'Talk', versions: 1, links: [{ name: 'default' }] }];
    for (let run = 0; run < 2; run++) {
      expect(await there.done('account', 'import', out)).toMatchObject({ decks });
      expect(await there.done('list')).toMatchObject({ decks: [{ title: 'Talk', version: 1 }] });
    }
    expect(await there.refused('account', 'import', 'absent')).toMatchObject({ code: 'usage', exit: 2 });
  });
});

describe('signing in', () => {
  test('to an account makes a new key, on another computer; where a sign-up is meant, and the reverse, the other is named', async () => {
    const { computer: home, email } = await anOwner();
    await testbed.later(31);
    const unknown = testbed.anEmail();
    for (const [command, address, code, nextAction] of [
      ['signup', email, 'USER_ALREADY_HAS_ORGANIZATION', `Log in instead: deck login --email ${email}`],
      ['login', unknown, 'USER_NOT_FOUND', `Sign up instead: deck signup --email ${unknown}`],
    ] as const)
      expect(await home.refused(command, '--email', address)).toMatchObject({ exit: 1, code, nextAction });
    const other = testbed.aComputer();
    const args = ['login', '--email', email];
    const next = `deck login --email ${email} --code <code>`;
    expect(await other.done(...args)).toMatchObject({ status: 'code-sent', next });
    const code = await testbed.newestCode(email);
    const signedIn = await other.done(...args, '--code', code, '--key-name', 'Laptop');
    expect(signedIn).toMatchObject({ status: 'signed-in', apiKey: { name: 'Laptop' } });
    expect(await other.key()).not.toBe(await home.key());
    for (const computer of [home, other]) await computer.done('whoami');
  });

  test('works on a computer that has signed in before, while a stranger requests codes and guesses', async () => {
    const { computer, email } = await anOwner();
    await computer.done('logout');
    const stranger = async (name: string, input: object) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ email, ...input });
      return (await fetch(`${testbed.baseUrl}/${name}`, { method: 'POST', headers, body })).status;
    };
    await testbed.later(31);
    expect(await stranger('cliRequestLoginOtp', {})).toBe(200);
    expect(await stranger('cliRequestLoginOtp', {})).toBe(429);
    // The computer need not wait for the stranger's cooldown, and the stranger does not end its code.
    const answers = [await computer.deck(['login', '--email', email, '--json'])];
    const code = await testbed.newestCode(email);
    for (const status of [400, 400, 400, 400, 429, 404])
      expect(await stranger('cliCompleteLogin', { code: wrongFor(code) })).toBe(status);
    await testbed.later(31);
    expect(await stranger('cliRequestLoginOtp', {})).toBe(200);
    answers.push(await computer.deck(['login', '--email', email, '--code', code, '--json']));
    expect(answers.map((answer) => answer.code)).toEqual([0, 0]);

    // The tokens are in a file that only the user can read, and nowhere else.
    const path = join(computer.configFolder, 'deck', 'code-tokens.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const tokens = JSON.parse(await readFile(path, 'utf8')) as object;
    const deviceToken = expect.stringMatching(/^ckd_/) as string;
    expect(Object.values(tokens)).toEqual([{ [email]: { deviceToken } }]);
    for (const { stdout, stderr } of each(answers)) expect(stdout + stderr).not.toMatch(/ckd_|requestToken/);
    const folder = join(computer.configFolder, 'deck', 'profiles');
    for (const name of each(await readdir(folder)))
      expect(await readFile(join(folder, name), 'utf8')).not.toContain('ckd_');
  });

  test('works without the tokens, when their file is damaged or cannot be written', async () => {
    const { computer, email } = await anOwner();
    const path = join(computer.configFolder, 'deck', 'code-tokens.json');
    await writeFile(path, 'not JSON');
    expect(await login(computer, email)).toMatchObject({ status: 'signed-in' });
    await rm(path);
    await mkdir(path);
    expect(await login(computer, email)).toMatchObject({ status: 'signed-in' });
  });

  test('with --publish gets a key with all scopes, shows no secret, and ends its dashboard session', async () => {
    const { computer, email } = await anOwner();
    await testbed.later(31);
    const args = ['login', '--publish', '--email', email];
    const next = `deck login --publish --email ${email} --code <code>`;
    expect(await computer.done(...args)).toMatchObject({ status: 'code-sent', next });
    const code = await testbed.newestCode(email);
    testbed.proxy.reset();
    const ended = await computer.deck([...args, '--code', code, '--json']);
    expect(testbed.proxy.calls).toMatchObject({ createDashboardSession: 1, endDashboardSession: 1 });
    const scopes = ['presentations:write', 'presentations:read', 'marketplace:publish'];
    const name = `CLI key that may publish (${hostname()})`;
    expect(ended.json()).toMatchObject({ status: 'signed-in', email, apiKey: { name, scopes } });
    expect(ended.stdout).not.toMatch(/ck[oas]_[A-Za-z0-9]{10}/);
    const profiles = join(computer.configFolder, 'deck', 'profiles');
    for (const file of each(await readdir(profiles)))
      expect(await readFile(join(profiles, file), 'utf8')).toMatch(/^(?![^]*cks_)[^]*cko_/);
  });
});

describe('a login on a computer that has a key', () => {
  test('leaves one active key when the answer with the key is lost', async () => {
    const { computer, email } = await anOwner();
    const args = await codes.aCode(computer, email, 'login', '--publish', '--email', email);
    testbed.proxy.loseAnswer('createApiKey');
    await computer.done(...args, '--key-name', 'Mine');
    expect(testbed.proxy.calls['createApiKey']).toBeGreaterThan(1);
    expect(await keysOf(computer)).toMatchObject([{ name: 'Mine', isCaller: true }]);
  });

  test('is followed by a logout that revokes its own key first, and keeps those that it cannot revoke for the next login', async () => {
    const { computer, email } = await anOwner();
    const before = await computer.key();
    const refuseToRevokeIt = () => {
      testbed.proxy.watch = ({ name, headers }, response) => {
        if (name !== 'revokeApiKey' || !headers.authorization?.endsWith(before)) return 'forward';
        const error = { code: 'permission-denied', message: 'No.' };
        response.writeHead(403).end(JSON.stringify({ success: false, error }));
        return 'answered';
      };
    };
    const args = await codes.aCode(computer, email, 'login', '--email', email);
    refuseToRevokeIt();
    expect(await computer.done(...args)).toMatchObject({ warnings: [{ message: words('No.') }] });
    const own = await computer.key();
    const warnings = [{ message: words('An earlier key of this computer was not revoked: No.') }];
    expect(await computer.done('logout')).toMatchObject({ forgotten: true, revoked: true, warnings });
    testbed.proxy.reset();
    expect([(await whoami(computer, before)).code, (await whoami(computer, own)).code]).toEqual([0, 3]);
    await login(computer, email);
    expect((await whoami(computer, before)).code).toBe(3);
  });
});

test('deck keys lists, makes and revokes keys; the second step takes the code, and the key is shown once', async () => {
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
  expect((await whoami(computer, apiKey.raw)).json()).toMatchObject({ keyName: 'CI', source: 'DECK_API_KEY' });
  const { stdout } = await computer.deck(['keys']);
  expect(stdout).toMatch(/^cko_\w{4}… {2}CI .* used \S+ .* presentations:read\n.*\(in use here\)\n2 of 20 keys\n$/);
  expect(stdout).not.toContain(apiKey.raw);

  const revoked = await codes.withCode(computer, email, 'keys', 'revoke', 'CI');
  expect(revoked).toMatchObject({ status: 'revoked', keyId: apiKey.keyId });
  expect((await whoami(computer, apiKey.raw)).code).toBe(3);
  const [own, ...others] = await keysOf(computer);
  expect([own, others]).toMatchObject([{ name: NAME }, []]);
  // No code is sent for a key that does not exist, or for the key of this computer.
  testbed.proxy.reset();
  expect(await computer.refused('keys', 'revoke', 'nothing')).toMatchObject({ exit: 1, code: 'not-found' });
  expect((await computer.refused('keys', 'revoke', own!.keyPrefix)).nextAction).toContain('deck logout');
  expect(testbed.proxy.calls).toEqual({ listApiKeys: 2 });
});

test('an address of no service or of another server is told with what to do, and what is no address is a usage error', async () => {
  const [computer, args] = [testbed.aComputer(), ['login', '--email', 'a@example.com']];
  await testbed.proxy.close();
  const error = await computer.refused(...args);
  await testbed.proxy.open();
  const message = words(new URL(testbed.proxy.baseUrl).host);
  expect(error).toMatchObject({ code: 'unreachable', message, nextAction: words('npm start') });
  const answered = { code: 'unexpected-answer' };
  expect(await computer.refused(...args, '--base-url', testbed.mailUrl)).toMatchObject(answered);
  for (const url of ['ftp://x', 'localhost:5001', 'http://a/?b'])
    expect(await computer.refused('whoami', '--base-url', url)).toMatchObject({ exit: 2 });
});

// Over the same service.
proveDoctor();
