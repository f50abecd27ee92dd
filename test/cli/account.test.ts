import { spawnSync } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { World } from './world';

let world: World;
beforeAll(async () => {
  world = await World.create();
});
afterAll(() => world.close());
beforeEach(() => world.gateway.reset());

interface Failed {
  ok: false;
  error: { code: string; message: string; nextAction?: string; requestId?: string; details?: Record<string, unknown> };
  exitCode: number;
}

const keyFile = (configFolder: string) => join(configFolder, 'deck', 'keys.json');

describe('signing up without a terminal', () => {
  test('takes two calls: one has the code sent and says what to run, the other brings it', async () => {
    const { deck, configFolder } = bound(world.aComputer());
    const email = world.anEmail();
    const first = await deck('signup', '--email', email, '--json');
    expect(first.json()).toEqual({
      ok: true,
      status: 'code-sent',
      email,
      expiresInSeconds: 600,
      next: `deck signup --email ${email} --code <code> --first-name <name>`,
    });
    const code = await world.newestCode(email);
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

    const keys = JSON.parse(await readFile(keyFile(configFolder), 'utf8')) as Record<string, { raw: string }>;
    const raw = keys[world.gateway.baseUrl]?.raw ?? '';
    expect(raw).toMatch(/^cko_/);
    for (const { stdout, stderr } of [first, second, whoami]) expect(stdout + stderr).not.toContain(raw);
  });

  test('keeps the key where nobody else can read it, even in a folder that was open to all', async () => {
    const computer = world.aComputer();
    const folder = join(computer.configFolder, 'deck');
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await writeFile(keyFile(computer.configFolder), '{"http://elsewhere": {"raw": "kept"}}', { mode: 0o644 });
    const email = world.anEmail();
    await computer.deck(['signup', '--email', email]);
    const code = await world.newestCode(email);
    await computer.deck(['signup', '--email', email, '--code', code, '--first-name', 'Ada']);
    expect((await stat(keyFile(computer.configFolder))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(JSON.parse(await readFile(keyFile(computer.configFolder), 'utf8'))).toMatchObject({
      'http://elsewhere': { raw: 'kept' },
    });
  });

  test('with a wrong code tells how many tries are left, and the right code still works', async () => {
    const { deck } = bound(world.aComputer());
    const email = world.anEmail();
    await deck('signup', '--email', email);
    const code = await world.newestCode(email);
    const wrong = code === '123456' ? '654321' : '123456';
    const refused = await deck('signup', '--email', email, '--code', wrong, '--first-name', 'Ada', '--json');
    expect(refused.code).toBe(1);
    const { error } = refused.json<Failed>();
    expect(error).toMatchObject({ code: 'OTP_INVALID', details: { attemptsRemaining: 4 } });
    expect(error.message).toContain('Tries left: 4.');
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect((await deck('signup', '--email', email, '--code', code, '--first-name', 'Ada')).code).toBe(0);
  });

  test('asks for what is missing with exit code 2, before anything is sent', async () => {
    const { deck } = bound(world.aComputer());
    const noEmail = await deck('signup', '--json');
    expect({ code: noEmail.code, error: noEmail.json<Failed>().error }).toMatchObject({
      code: 2,
      error: { code: 'usage' },
    });
    const noName = await deck('signup', '--email', 'a@example.com', '--code', '123456');
    expect(noName.code).toBe(2);
    expect(noName.stderr).toContain('--first-name');
    expect((await deck('signup', '--email', 'a@example.com', '--expires-in-days', 'soon')).code).toBe(2);
    expect(world.gateway.calls).toEqual({});
  });
});

describe('signing up in a terminal', () => {
  const inTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ? test : test.skip;

  inTerminal('asks for email, code and name, and asks again after a wrong code', async () => {
    const computer = world.aComputer();
    const email = world.anEmail();
    const screen = computer.inTerminal(['signup']);
    await screen.shows('Email address:');
    screen.type('nonsense\r');
    await screen.shows('That is no email address.');
    screen.type(`${email}\r`);
    await screen.shows('Code from the mail:');
    const code = await world.newestCode(email);
    screen.type(`${code === '123456' ? '654321' : '123456'}\r`);
    await screen.shows('First name:');
    screen.type('Ada\r');
    await screen.shows('Tries left: 4.');
    await screen.shows('Code from the mail:');
    screen.type(`${code}\r`);
    await screen.shows(`Signed in as ${email}`);
    expect(await screen.exitCode()).toBe(0);
    expect(await computer.key()).toMatch(/^cko_/);
  });

  inTerminal('ends with 130 at Ctrl-C, and at the end of the input', async () => {
    for (const keys of ['\x03', '\x04']) {
      const screen = world.aComputer().inTerminal(['login']);
      await screen.shows('Email address:');
      screen.type(keys);
      expect(await screen.exitCode()).toBe(130);
    }
  });
});

describe('signing in', () => {
  test('with an account makes a new key, on another computer', async () => {
    const email = world.anEmail();
    const home = world.aComputer();
    await home.deck(['signup', '--email', email]);
    await home.deck(['signup', '--email', email, '--code', await world.newestCode(email), '--first-name', 'Ada']);
    const tooSoon = await home.deck(['login', '--email', email, '--json']);
    expect(tooSoon.json<Failed>().error).toMatchObject({
      code: 'OTP_RESEND_COOLDOWN',
      nextAction: expect.stringContaining('--code <code>') as string,
    });
    await world.later(31);
    const again = await home.deck(['signup', '--email', email, '--json']);
    expect(again.json<Failed>().error).toMatchObject({
      code: 'USER_ALREADY_HAS_ORGANIZATION',
      nextAction: `Log in instead: deck login --email ${email}`,
    });

    const other = world.aComputer();
    const asked = await other.deck(['login', '--email', email, '--json']);
    expect(asked.json()).toMatchObject({ status: 'code-sent', next: `deck login --email ${email} --code <code>` });
    const code = await world.newestCode(email);
    const login = await other.deck(['login', '--email', email, '--code', code, '--key-name', 'Laptop', '--json']);
    expect(login.json()).toMatchObject({ status: 'signed-in', apiKey: { name: 'Laptop' } });
    expect(await other.key()).not.toBe(await home.key());
    for (const computer of [home, other]) expect((await computer.deck(['whoami'])).code).toBe(0);
  });

  test('without an account names the command that makes one', async () => {
    const { deck } = bound(world.aComputer());
    const email = world.anEmail();
    const refused = await deck('login', '--email', email, '--json');
    expect(refused.json<Failed>()).toMatchObject({
      exitCode: 1,
      error: { code: 'USER_NOT_FOUND', nextAction: `Sign up instead: deck signup --email ${email}` },
    });
  });

  test('ends with logout, which revokes the key and forgets it', async () => {
    const computer = await world.aSignedInComputer();
    const { deck } = bound(computer);
    expect((await deck('logout', '--json')).json()).toMatchObject({ ok: true, forgotten: true, revoked: true });
    expect((await deck('logout', '--json')).json()).toMatchObject({ ok: true, forgotten: false, revoked: false });
    const whoami = await deck('whoami', '--json');
    expect(whoami.json<Failed>().error).toMatchObject({ code: 'not-signed-in' });
    expect(whoami.code).toBe(1);
  });
});

describe('the key', () => {
  test('of DECK_API_KEY goes before the stored one, and a dead one is told', async () => {
    const computer = await world.aSignedInComputer();
    const dead = await computer.deck(['whoami', '--json'], { DECK_API_KEY: `cko_${'0'.repeat(49)}` });
    expect(dead.json<Failed>().error).toMatchObject({
      code: 'unauthenticated',
      nextAction: 'Check DECK_API_KEY, or unset it.',
    });
    const keys = JSON.parse(await readFile(keyFile(computer.configFolder), 'utf8')) as Record<string, { raw: string }>;
    const fresh = world.aComputer();
    const whoami = await fresh.deck(['whoami', '--json'], { DECK_API_KEY: keys[world.gateway.baseUrl]?.raw });
    expect(whoami.json()).toMatchObject({ ok: true, source: 'DECK_API_KEY' });
  });

  test('of DECK_API_KEY is never sent to an address that only the folder names', async () => {
    const computer = world.aComputer();
    const deckFile = { presentationId: 'x', baseUrl: world.gateway.baseUrl, version: 1, entryPath: 'index.html' };
    const folder = await world.aFolder({ 'index.html': '', '.deck.json': JSON.stringify(deckFile) });
    const env = { DECK_API_KEY: 'cko_secret', DECK_BASE_URL: undefined };
    const refused = await computer.deck(['push', folder, '--json'], env);
    expect(refused.json<Failed>().error.code).toBe('not-signed-in');
    expect(world.gateway.calls).toEqual({});
  });
});

describe('an address', () => {
  test('where nothing listens is named, at once, with what to start', async () => {
    await world.gateway.close();
    const { deck } = bound(world.aComputer());
    const refused = await deck('login', '--email', 'a@example.com', '--json');
    await world.gateway.open();
    const { error } = refused.json<Failed>();
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain(new URL(world.gateway.baseUrl).host);
    expect(error.nextAction).toContain('npm start');
  });

  test('of something else is told from a failure of the service', async () => {
    const { deck } = bound(world.aComputer());
    const refused = await deck('login', '--email', 'a@example.com', '--json', '--base-url', world.mailUrl);
    expect(refused.json<Failed>().error).toMatchObject({ code: 'unexpected-answer' });
  });

  test.each(['ftp://x', 'localhost:5001', 'http://a/?b'])('that is none (%s) is a usage error', async (address) => {
    const { deck } = bound(world.aComputer());
    expect((await deck('whoami', '--base-url', address)).code).toBe(2);
  });
});

function bound(computer: ReturnType<World['aComputer']>) {
  return { configFolder: computer.configFolder, deck: (...args: string[]) => computer.deck(args) };
}
