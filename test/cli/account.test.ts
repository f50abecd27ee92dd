import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Testbed, withTestbed, inTerminal } from './testbed';

let testbed: Testbed;
withTestbed((made) => ({ testbed } = made));

interface Failed {
  ok: false;
  error: { code: string; message: string; nextAction?: string; requestId?: string; details?: Record<string, unknown> };
  exitCode: number;
}

describe('signing up without a terminal', () => {
  test('takes two commands: the first has the code sent and names the second, which exchanges the code for a key', async () => {
    const computer = testbed.aComputer();
    const { deck } = bound(computer);
    const email = testbed.anEmail();
    const first = await deck('signup', '--email', email, '--json');
    expect(first.json()).toEqual({
      ok: true,
      status: 'code-sent',
      email,
      expiresInSeconds: 600,
      next: `deck signup --email ${email} --code <code> --first-name <name>`,
    });
    const code = await testbed.newestCode(email);
    const second = await deck('signup', '--email', email, '--code', code, '--first-name', 'Ada', '--json');
    expect(second.code).toBe(0);
    expect(second.json()).toMatchObject({
      ok: true,
      status: 'signed-in',
      email,
      organizationName: "Ada's workspace",
      apiKey: { scopes: ['presentations:write', 'presentations:read'] },
    });
    const whoami = await deck('whoami', '--json');
    expect(whoami.json()).toMatchObject({ email, organizationName: "Ada's workspace", type: 'org-api-key' });
    expect((await deck('whoami')).stdout).toContain("Ada's workspace");
    const account = await deck('account', '--json');
    expect(account.json()).toMatchObject({ user: { email }, organization: { name: "Ada's workspace" } });
    expect((await deck('account')).stdout).toContain(`(${email})`);
    const usage = await deck('usage', '--json');
    expect(usage.json()).toMatchObject({ ok: true, plan: 'free', decks: { used: 0, limit: 100 }, keys: { used: 1 } });
    const { stdout } = await deck('usage');
    expect(stdout).toMatch(
      /^Plan free\n {2}decks +0 of 100\n {2}stored +0 B of 5 GB\n {2}open uploads +0 B of 500 MB\n/,
    );

    const raw = await computer.key();
    expect(raw).toMatch(/^cko_/);
    for (const { stdout, stderr } of [first, second, whoami]) expect(stdout + stderr).not.toContain(raw);
  });

  test('stores the key so that only the user can read it, even in a config folder that was readable for all', async () => {
    const computer = testbed.aComputer();
    const folder = join(computer.configFolder, 'deck');
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const email = testbed.anEmail();
    await computer.deck(['signup', '--email', email]);
    const code = await testbed.newestCode(email);
    await computer.deck(['signup', '--email', email, '--code', code, '--first-name', 'Ada']);
    const profiles = join(folder, 'profiles');
    const files = await readdir(profiles);
    expect(files).toHaveLength(1);
    for (const file of files) expect((await stat(join(profiles, file))).mode & 0o777).toBe(0o600);
    for (const each of [folder, profiles]) expect((await stat(each)).mode & 0o777).toBe(0o700);
  });

  test('with what is not an address says so once', async () => {
    const { deck } = bound(testbed.aComputer());
    const { error } = (await deck('signup', '--email', 'nobody', '--json')).json<Failed>();
    expect(error).toMatchObject({ code: 'EMAIL_INVALID' });
    const { stderr } = await deck('signup', '--email', 'nobody');
    expect(stderr.split(error.message)).toHaveLength(2);
    expect(JSON.stringify(error).split(error.message)).toHaveLength(2);
  });

  test('with a wrong code tells how many attempts are left, and the right code still works', async () => {
    const { deck } = bound(testbed.aComputer());
    const email = testbed.anEmail();
    await deck('signup', '--email', email);
    const code = await testbed.newestCode(email);
    const wrong = code === '123456' ? '654321' : '123456';
    const refused = await deck('signup', '--email', email, '--code', wrong, '--first-name', 'Ada', '--json');
    expect(refused.code).toBe(1);
    const { error } = refused.json<Failed>();
    expect(error).toMatchObject({ code: 'OTP_INVALID', details: { attemptsRemaining: 4 } });
    expect(error.message).toContain('Attempts left: 4.');
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    const nameless = await deck('signup', '--email', email, '--code', wrong, '--json');
    expect(nameless.json<Failed>().error).toMatchObject({ code: 'OTP_INVALID', details: { attemptsRemaining: 3 } });
    const noName = await deck('signup', '--email', email, '--code', code);
    expect(noName.code).toBe(2);
    expect(noName.stderr).toContain('--first-name');
    const tooSoon = await deck('signup', '--email', email, '--json');
    expect(tooSoon.json<Failed>().error).toMatchObject({
      code: 'OTP_RESEND_COOLDOWN',
      nextAction: expect.stringContaining('--code <code> --first-name <name>') as string,
    });
    expect((await deck('signup', '--email', email, '--code', code, '--first-name', 'Ada')).code).toBe(0);
  });

  test('names a missing or wrong option with exit code 2, and sends nothing', async () => {
    const { deck } = bound(testbed.aComputer());
    const noEmail = await deck('signup', '--json');
    expect({ code: noEmail.code, error: noEmail.json<Failed>().error }).toMatchObject({
      code: 2,
      error: { code: 'usage' },
    });
    expect((await deck('signup', '--email', 'a@example.com', '--expires-in-days', 'soon')).code).toBe(2);
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
    const home = testbed.aComputer();
    await home.deck(['signup', '--email', email]);
    await home.deck(['signup', '--email', email, '--code', await testbed.newestCode(email), '--first-name', 'Ada']);
    const tooSoon = await home.deck(['login', '--email', email, '--json']);
    expect(tooSoon.json<Failed>().error).toMatchObject({
      code: 'OTP_RESEND_COOLDOWN',
      nextAction: expect.stringContaining('--code <code>') as string,
    });
    await testbed.later(31);
    const again = await home.deck(['signup', '--email', email, '--json']);
    expect(again.json<Failed>().error).toMatchObject({
      code: 'USER_ALREADY_HAS_ORGANIZATION',
      nextAction: `Log in instead: deck login --email ${email}`,
    });

    const other = testbed.aComputer();
    const asked = await other.deck(['login', '--email', email, '--json']);
    expect(asked.json()).toMatchObject({ status: 'code-sent', next: `deck login --email ${email} --code <code>` });
    const code = await testbed.newestCode(email);
    const login = await other.deck(['login', '--email', email, '--code', code, '--key-name', 'Laptop', '--json']);
    expect(login.json()).toMatchObject({ status: 'signed-in', apiKey: { name: 'Laptop' } });
    expect(await other.key()).not.toBe(await home.key());
    for (const computer of [home, other]) expect((await computer.deck(['whoami'])).code).toBe(0);
  });

  test('without an account names the command that makes one', async () => {
    const { deck } = bound(testbed.aComputer());
    const email = testbed.anEmail();
    const refused = await deck('login', '--email', email, '--json');
    expect(refused.json<Failed>()).toMatchObject({
      exitCode: 1,
      error: { code: 'USER_NOT_FOUND', nextAction: `Sign up instead: deck signup --email ${email}` },
    });
  });

  test('ends with logout, which revokes the key and deletes it from the computer', async () => {
    const computer = await testbed.aSignedInComputer();
    const { deck } = bound(computer);
    expect((await deck('logout', '--json')).json()).toMatchObject({ ok: true, forgotten: true, revoked: true });
    expect((await deck('logout', '--json')).json()).toMatchObject({ ok: true, forgotten: false, revoked: false });
    const whoami = await deck('whoami', '--json');
    expect(whoami.json<Failed>().error).toMatchObject({ code: 'not-signed-in' });
    expect(whoami.code).toBe(3);
  });
});

describe('the key', () => {
  test('of DECK_API_KEY has precedence over the stored one, and an invalid one is reported', async () => {
    const computer = await testbed.aSignedInComputer();
    const invalid = await computer.deck(['whoami', '--json'], { DECK_API_KEY: `cko_${'0'.repeat(49)}` });
    expect(invalid.json<Failed>().error).toMatchObject({
      code: 'unauthenticated',
      nextAction: 'Check DECK_API_KEY, or unset it.',
    });
    const fresh = testbed.aComputer();
    const whoami = await fresh.deck(['whoami', '--json'], { DECK_API_KEY: await computer.key() });
    expect(whoami.json()).toMatchObject({ ok: true, source: 'DECK_API_KEY' });
  });

  test('of DECK_API_KEY is never sent to an address that comes from the folder', async () => {
    const computer = testbed.aComputer();
    const deckFile = { presentationId: 'x', baseUrl: testbed.proxy.baseUrl, version: 1, entryPath: 'index.html' };
    const folder = await testbed.aFolder({ 'index.html': '', '.deck.json': JSON.stringify(deckFile) });
    const env = { DECK_API_KEY: 'cko_secret', DECK_BASE_URL: undefined };
    const refused = await computer.deck(['push', folder, '--json'], env);
    expect(refused.json<Failed>().error.code).toBe('not-signed-in');
    expect(testbed.proxy.calls).toEqual({});
  });
});

describe('an address', () => {
  test('where no service listens is reported without a retry, with the command that starts a service', async () => {
    await testbed.proxy.close();
    const { deck } = bound(testbed.aComputer());
    const refused = await deck('login', '--email', 'a@example.com', '--json');
    await testbed.proxy.open();
    const { error } = refused.json<Failed>();
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain(new URL(testbed.proxy.baseUrl).host);
    expect(error.nextAction).toContain('npm start');
  });

  test('of another server is distinguished from a failure of the service', async () => {
    const { deck } = bound(testbed.aComputer());
    const refused = await deck('login', '--email', 'a@example.com', '--json', '--base-url', testbed.mailUrl);
    expect(refused.json<Failed>().error).toMatchObject({ code: 'unexpected-answer' });
  });

  test.each(['ftp://x', 'localhost:5001', 'http://a/?b'])(
    'that is not a base URL (%s) is a usage error',
    async (address) => {
      const { deck } = bound(testbed.aComputer());
      expect((await deck('whoami', '--base-url', address)).code).toBe(2);
    },
  );
});

function bound(computer: ReturnType<Testbed['aComputer']>) {
  return { configFolder: computer.configFolder, deck: (...args: string[]) => computer.deck(args) };
}
