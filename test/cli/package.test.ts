import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { version as ofService } from '../../functions/package.json';
import { version as ofLibrary } from '../../client/package.json';
import { version } from '../../cli/package.json';
import { version as ofProject } from '../../package.json';
import { Testbed } from './testbed';

/** The packed client of the site, installed and started in every way, without a registry. */

let testbed: Testbed;
let env: NodeJS.ProcessEnv;
let installed: string;
let email: string;
/** The answer of the command that asked for a code. */
let asked: object;

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

async function run(
  program: string,
  args: string[],
  more: NodeJS.ProcessEnv = {},
  cwd = testbed.folder,
): Promise<Ended> {
  const child = spawn(program, args, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number, stdout, stderr };
}

const deck = (...args: string[]) => run(join(installed, 'bin', 'deck'), args);
const tgz = () => `${testbed.hostingUrl}/deckhost.tgz`;

beforeAll(async () => {
  testbed = await Testbed.create();
  installed = join(testbed.folder, 'installed');
  env = {
    PATH: process.env['PATH'],
    HOME: testbed.folder,
    XDG_CONFIG_HOME: join(testbed.folder, 'config'),
    npm_config_cache: join(testbed.folder, 'npm-cache'),
    // Nothing listens there: the package needs no registry.
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_update_notifier: 'false',
    CHROME_PATH: process.execPath,
    npm_config_fetch_retries: '0',
  };
  const npm = await run('npm', ['install', '--global', '--prefix', installed, '--no-audit', '--no-fund', tgz()]);
  expect([npm.code, npm.stderr]).toEqual([0, '']);
  email = testbed.anEmail();
  const signup = ['signup', '--base-url', testbed.baseUrl, '--email', email, '--json'];
  asked = JSON.parse((await deck(...signup)).stdout) as object;
  await deck(...signup, '--code', await testbed.newestCode(email), '--first-name', 'Ada');
});
afterAll(() => testbed.close());

test('all packages of the project have one version: the service names its own for the client', () => {
  expect([ofService, ofLibrary, ofProject]).toEqual([version, version, version]);
});

describe('the installed package', () => {
  test('is two bundles with a manual page, a licence and no dependency', async () => {
    const folder = join(installed, 'lib', 'node_modules', 'deckhost');
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    for (const key of ['dependencies', 'devDependencies', 'private', 'scripts'])
      expect(manifest).not.toHaveProperty(key);
    for (const name of ['LICENSE', 'README.md', 'dist/deck.js', 'dist/mcp.js', 'dist/deck.1'])
      expect((await stat(join(folder, name))).isFile()).toBe(true);
    const page = await readFile(join(installed, 'share', 'man', 'man1', 'deck.1'), 'utf8');
    expect(page).toBe((await deck('help', '--man')).stdout);
  });

  test('is never older than its site: a new version has another tag, and npm asks for it each time', async () => {
    const { headers } = await fetch(tgz());
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('etag')).toBeTruthy();
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('content-type')).toBe('application/gzip');
  });

  test('signs up, pushes, and names its commands by the word that started it', async () => {
    expect(asked).toMatchObject({
      next: `deck signup --email ${email} --code <code> --first-name <name> --base-url ${testbed.baseUrl}`,
    });
    const folder = await testbed.aFolder({ 'index.html': '<title>Packed</title>' });
    const pushed = await deck('push', folder, '--base-url', testbed.baseUrl, '--json', '--no-thumbnail');
    const { shareUrl } = JSON.parse(pushed.stdout) as { shareUrl: string };
    expect((await fetch(shareUrl)).status).toBe(200);
  });

  test('tells its version, and that of the service that the user names', async () => {
    expect((await deck('--version')).stdout).toBe(`${version}\n`);
    const named = await deck('--version', '--base-url', testbed.baseUrl);
    expect(named).toMatchObject({
      code: 0,
      stdout: `${version}\nservice ${version} at ${testbed.baseUrl}\n`,
      stderr: '',
    });
  });
});

describe('npx', () => {
  test('runs the client from the site, and the hints repeat that', async () => {
    const { code, stdout } = await run('npx', ['--yes', tgz(), 'whoami', '--base-url', 'http://127.0.0.1:9', '--json']);
    expect(code).toBe(3);
    const { error } = JSON.parse(stdout) as { error: { nextAction: string } };
    expect(error.nextAction).toContain(`\`npx ${tgz()} login --base-url http://127.0.0.1:9\``);
  });

  test('runs the client of the clone by the name of its package, and the hints repeat that', async () => {
    const project = join(__dirname, '../..');
    const whoami = ['deckhost', 'whoami', '--base-url', 'http://127.0.0.1:9', '--json'];
    const { code, stdout } = await run('npx', whoami, {}, project);
    expect(code).toBe(3);
    const { error } = JSON.parse(stdout) as { error: { nextAction: string } };
    expect(error.nextAction).toContain('`npx deckhost login --base-url http://127.0.0.1:9`');
  });
});

describe('a client that is too old for its service', () => {
  /** The same client with a lower version. */
  let old: string;
  beforeAll(async () => {
    const bundle = await readFile(join(installed, 'lib', 'node_modules', 'deckhost', 'dist', 'deck.js'), 'utf8');
    expect(bundle.split(`version="${version}"`).length).toBeGreaterThan(1);
    old = join(testbed.folder, 'old-deck.js');
    await writeFile(old, bundle.replaceAll(`version="${version}"`, 'version="0.0.9"'));
  });
  const oldDeck = (...args: string[]) => run(process.execPath, [old, ...args, '--base-url', testbed.baseUrl]);
  const reason = `This client (0.0.9) is too old for the service, which needs ${version} or newer.`;

  test('says so, with the command that installs the right one', async () => {
    const { stdout, stderr } = await oldDeck('--version');
    expect(stdout).toContain('0.0.9\n');
    expect(stderr).toContain(`${reason} Install the client of the service: npm install --global ${tgz()}`);
  });

  test('says so after a call that the service did not understand', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<title>Old</title>' });
    const { code, stdout } = await oldDeck('push', folder, '--title', 'x'.repeat(1000), '--no-thumbnail', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'invalid-argument',
        message: expect.stringContaining(reason) as string,
        nextAction: `Install the client of the service: npm install --global ${tgz()}`,
      },
    });
  });

  test('says so once before a push, which goes on', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<title>Old</title>' });
    const { code, stdout } = await oldDeck('push', folder, '--no-thumbnail', '--json');
    expect(code).toBe(0);
    const { status, warnings } = JSON.parse(stdout) as {
      status: string;
      warnings: { code?: string; message: string }[];
    };
    const install = `Install the client of the service: npm install --global ${tgz()}`;
    expect([status, warnings]).toEqual(['pushed', [{ code: 'client-too-old', message: `${reason} ${install}` }]]);
  });

  test('says so in doctor, which fails', async () => {
    const { code, stdout } = await oldDeck('doctor', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'client-too-old' } });
  });
});

describe('deck doctor', () => {
  interface Document {
    ok: boolean;
    checks: { name: string; state: string; message: string }[];
    error: { code: string; details: { checks: { name: string; state: string }[] } };
  }
  const doctor = async (args: string[] = [], more: NodeJS.ProcessEnv = {}) => {
    const all = ['doctor', '--json', ...(args.length > 0 ? args : ['--base-url', testbed.baseUrl])];
    const { code, stdout } = await run(join(installed, 'bin', 'deck'), all, more);
    return { code, document: JSON.parse(stdout) as Document };
  };
  const stateOf = (checks: Document['checks'], name: string) => checks.find((each) => each.name === name)?.state;

  test('finds nothing wrong on a computer where all is well', async () => {
    const { code, document } = await doctor();
    expect(code).toBe(0);
    // The program that stands for the browser is none.
    for (const { name, state, message } of document.checks.filter((each) => each.name !== 'browser'))
      expect([name, message, state]).toEqual([name, message, 'ok']);
    expect(stateOf(document.checks, 'browser')).toBe('warning');
    const names = ['client', 'config', 'address', 'connection', 'clock', 'versions', 'key', 'scopes', 'expiry'];
    expect(document.checks.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });

  test('ends with 3 without a key, and with a key that is not valid', async () => {
    const missing = await doctor([], {
      XDG_CONFIG_HOME: join(testbed.folder, 'nobody'),
      DECK_BASE_URL: testbed.baseUrl,
    });
    expect([missing.code, missing.document.error.code]).toEqual([3, 'not-signed-in']);
    const wrong = await doctor([], { DECK_API_KEY: `pres_${'x'.repeat(40)}` });
    expect([wrong.code, wrong.document.error.code]).toEqual([3, 'unauthenticated']);
  });

  test('ends with 4 when nothing answers, and when another server answers', async () => {
    const nobody = await doctor(['--base-url', 'http://127.0.0.1:9']);
    expect([nobody.code, nobody.document.error.code]).toEqual([4, 'unreachable']);
    const other = await doctor(['--base-url', testbed.hostingUrl]);
    expect([other.code, other.document.error.code]).toEqual([4, 'unexpected-answer']);
  });

  test('warns about keys that others may read, about a proxy and about a wrong clock', async () => {
    const config = join(testbed.folder, 'config', 'deck');
    await chmod(config, 0o755);
    const { code, document } = await doctor([], { HTTPS_PROXY: 'http://proxy.example.com' });
    await chmod(config, 0o700);
    expect(code).toBe(0);
    expect(stateOf(document.checks, 'config')).toBe('warning');
    expect(stateOf(document.checks, 'proxy')).toBe('warning');
    const clock = join(testbed.folder, 'clock.cjs');
    await writeFile(clock, 'const { now } = Date; Date.now = () => now() + 3_600_000;');
    const late = await doctor([], { NODE_OPTIONS: `--require ${clock}` });
    expect(stateOf(late.document.checks, 'clock')).toBe('warning');
  });
});
