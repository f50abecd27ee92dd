import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Computer, type Testbed, withTestbed, inTerminal } from './testbed';

let testbed: Testbed;
withTestbed((made) => ({ testbed } = made));

const hint = (words: string) => expect.stringContaining(words) as string;

describe('signing up without a terminal', () => {
  test('takes two commands: the first has the code sent and names the second, which exchanges the code for a key', async () => {
    const computer = testbed.aComputer();
    const email = testbed.anEmail();
    const first = await computer.done('signup', '--email', email);
    const next = `deck signup --email ${email} --code <code> --first-name <name>`;
    expect(first).toEqual({ ok: true, status: 'code-sent', email, expiresInSeconds: 600, next });
    const code = await testbed.newestCode(email);
    const second = await computer.done('signup', '--email', email, '--code', code, '--first-name', 'Ada');
    const organizationName = "Ada's workspace";
    const apiKey = { scopes: ['presentations:write', 'presentations:read'] };
    expect(second).toMatchObject({ ok: true, status: 'signed-in', email, organizationName, apiKey });
    const whoami = await computer.done('whoami');
    expect(whoami).toMatchObject({ email, organizationName, type: 'org-api-key' });
    expect((await computer.deck(['whoami'])).stdout).toContain(organizationName);
    const account = { user: { email }, organization: { name: organizationName } };
    expect(await computer.done('account')).toMatchObject(account);
    expect((await computer.deck(['account'])).stdout).toContain(`(${email})`);
    const usage = { plan: 'free', decks: { used: 0, limit: 100 }, keys: { used: 1 } };
    expect(await computer.done('usage')).toMatchObject(usage);
    expect((await computer.deck(['usage'])).stdout).toMatch(
      /^Plan free\n {2}decks +0 of 100\n {2}stored +0 B of 5 GB\n {2}open uploads +0 B of 500 MB\n/,
    );
    const raw = await computer.key();
    expect(raw).toMatch(/^cko_/);
    expect(JSON.stringify([first, second, whoami])).not.toContain(raw);
  });

  test('stores the key so that only the user can read it, even in a config folder that was readable for all', async () => {
    const computer = testbed.aComputer();
    const folder = join(computer.configFolder, 'deck');
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await testbed.signUp(computer);
    const profiles = join(folder, 'profiles');
    const files = await readdir(profiles);
    expect(files).toHaveLength(1);
    for (const file of files) expect((await stat(join(profiles, file))).mode & 0o777).toBe(0o600);
    for (const each of [folder, profiles]) expect((await stat(each)).mode & 0o777).toBe(0o700);
  });

  test('with what is not an address says so once', async () => {
    const computer = testbed.aComputer();
    const { exit: _, ...error } = await computer.refused('signup', '--email', 'nobody');
    expect(error).toMatchObject({ code: 'EMAIL_INVALID' });
    const { stderr } = await computer.deck(['signup', '--email', 'nobody']);
    for (const shown of [stderr, JSON.stringify(error)]) expect(shown.split(error.message)).toHaveLength(2);
  });

  test('with a wrong code tells how many attempts are left, and the right code still works', async () => {
    const computer = testbed.aComputer();
    const email = testbed.anEmail();
    const signup = ['signup', '--email', email];
    await computer.done(...signup);
    const code = await testbed.newestCode(email);
    const wrong = [...signup, '--code', code === '123456' ? '654321' : '123456'];
    const error = await computer.refused(...wrong, '--first-name', 'Ada');
    expect(error).toMatchObject({ exit: 1, code: 'OTP_INVALID', details: { attemptsRemaining: 4 } });
    expect(error.message).toContain('Attempts left: 4.');
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await computer.refused(...wrong)).toMatchObject({ code: 'OTP_INVALID', details: { attemptsRemaining: 3 } });
    const noName = await computer.refused(...signup, '--code', code);
    expect([noName.exit, JSON.stringify(noName)]).toEqual([2, hint('--first-name')]);
    const nextAction = hint('--code <code> --first-name <name>');
    expect(await computer.refused(...signup)).toMatchObject({ code: 'OTP_RESEND_COOLDOWN', nextAction });
    await computer.done(...signup, '--code', code, '--first-name', 'Ada');
  });

  test('names a missing or wrong option with exit code 2, and sends nothing', async () => {
    const computer = testbed.aComputer();
    for (const options of [[], ['--email', 'a@example.com', '--expires-in-days', 'soon']])
      expect(await computer.refused('signup', ...options)).toMatchObject({ exit: 2, code: 'usage' });
    expect(testbed.proxy.calls).toEqual({});
  });
});

describe('signing up in a terminal', () => {
  inTerminal('asks for email, code and name, and tells a wrong code before it asks for the name', async () => {
    const computer = testbed.aComputer();
    const email = testbed.anEmail();
    const screen = computer.inTerminal(['signup']);
    await screen.shows('Email address:');
    screen.type('nonsense\r');
    await screen.shows('That is not an email address.');
    screen.type(`${email}\r`);
    await screen.shows('A six-digit code was sent');
    await screen.shows('Code from the mail:');
    const code = await testbed.newestCode(email);
    screen.type(`${code === '123456' ? '654321' : '123456'}\r`);
    await screen.shows('Attempts left: 4.');
    await screen.shows('Code from the mail:');
    screen.type(`${code}\r`);
    await screen.shows('First name:');
    screen.type('Ada\r');
    await screen.shows(`Signed in as ${email}`);
    expect(await screen.exitCode()).toBe(0);
    expect(await computer.key()).toMatch(/^cko_/);
  });

  inTerminal('exits with 130 at Ctrl-C, and at the end of the input', async () => {
    for (const keys of ['\x03', '\x04']) {
      const screen = testbed.aComputer().inTerminal(['login']);
      await screen.shows('Email address:');
      screen.type(keys);
      expect(await screen.exitCode()).toBe(130);
    }
  });
});

describe('signing in', () => {
  test('to an account makes a new key, on another computer', async () => {
    const email = testbed.anEmail();
    const home = await testbed.aSignedInComputer(email);
    const tooSoon = { code: 'OTP_RESEND_COOLDOWN', nextAction: hint('--code <code>') };
    expect(await home.refused('login', '--email', email)).toMatchObject(tooSoon);
    await testbed.later(31);
    expect(await home.refused('signup', '--email', email)).toMatchObject({
      code: 'USER_ALREADY_HAS_ORGANIZATION',
      nextAction: `Log in instead: deck login --email ${email}`,
    });

    const other = testbed.aComputer();
    const login = ['login', '--email', email];
    const next = `deck login --email ${email} --code <code>`;
    expect(await other.done(...login)).toMatchObject({ status: 'code-sent', next });
    const code = await testbed.newestCode(email);
    const signedIn = await other.done(...login, '--code', code, '--key-name', 'Laptop');
    expect(signedIn).toMatchObject({ status: 'signed-in', apiKey: { name: 'Laptop' } });
    expect(await other.key()).not.toBe(await home.key());
    for (const computer of [home, other]) await computer.done('whoami');
  });

  test('without an account names the command that makes one', async () => {
    const email = testbed.anEmail();
    const nextAction = `Sign up instead: deck signup --email ${email}`;
    const error = await testbed.aComputer().refused('login', '--email', email);
    expect(error).toMatchObject({ exit: 1, code: 'USER_NOT_FOUND', nextAction });
  });

  test('ends with logout, which revokes the key and deletes it from the computer', async () => {
    const computer = await testbed.aSignedInComputer();
    for (const isDone of [true, false])
      expect(await computer.done('logout')).toMatchObject({ forgotten: isDone, revoked: isDone });
    expect(await computer.refused('whoami')).toMatchObject({ code: 'not-signed-in', exit: 3 });
  });

  test('is not needed with DECK_API_KEY, which has precedence over the stored key', async () => {
    const computer = await testbed.aSignedInComputer();
    const whoami = (by: Computer, key: string) => by.deck(['whoami', '--json'], { DECK_API_KEY: key });
    expect((await whoami(computer, `cko_${'0'.repeat(49)}`)).json()).toMatchObject({
      error: { code: 'unauthenticated', nextAction: 'Check DECK_API_KEY, or unset it.' },
    });
    const fresh = await whoami(testbed.aComputer(), await computer.key());
    expect(fresh.json()).toMatchObject({ ok: true, source: 'DECK_API_KEY' });
  });
});

describe('an address', () => {
  const login = ['login', '--email', 'a@example.com'];

  test('where no service listens is reported without a retry, with the command that starts a service', async () => {
    await testbed.proxy.close();
    const error = await testbed.aComputer().refused(...login);
    await testbed.proxy.open();
    const message = hint(new URL(testbed.proxy.baseUrl).host);
    expect(error).toMatchObject({ code: 'unreachable', message, nextAction: hint('npm start') });
  });

  test('of another server is distinguished from a failure of the service', async () => {
    const error = await testbed.aComputer().refused(...login, '--base-url', testbed.mailUrl);
    expect(error).toMatchObject({ code: 'unexpected-answer' });
  });

  test.each(['ftp://x', 'localhost:5001', 'http://a/?b'])(
    'that is not a base URL (%s) is a usage error',
    async (url) => {
      expect(await testbed.aComputer().refused('whoami', '--base-url', url)).toMatchObject({ exit: 2 });
    },
  );
});
