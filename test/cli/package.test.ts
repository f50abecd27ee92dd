import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { version as ofService } from '../../functions/package.json';
import { version as ofLibrary } from '../../client/package.json';
import { version } from '../../cli/package.json';
import { version as ofProject } from '../../package.json';
import type { Written } from './deck-in-process';
import { computer, testbed, withTestbed, words } from './testbed';

/** The packed client of the site, installed and started in every way, without a registry. */

withTestbed();

let env: NodeJS.ProcessEnv;
let installed: string;
let email: string;
/** The answer of the command that asked for a code. */
let asked: object;

async function run(program: string, args: string[], cwd = testbed.folder): Promise<Written> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number, stdout, stderr };
}

const deck = (...args: string[]) => run(join(installed, 'bin', 'deck'), args);
const tgz = () => `${testbed.hostingUrl}/deckhost.tgz`;

beforeAll(async () => {
  installed = join(testbed.folder, 'installed');
  env = {
    PATH: process.env['PATH'],
    HOME: testbed.folder,
    XDG_CONFIG_HOME: join(testbed.folder, 'config'),
    npm_config_cache: join(testbed.folder, 'npm-cache'),
    // Nothing listens there: the package needs no registry.
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
  };
  const npm = await run('npm', ['install', '--global', '--prefix', installed, '--no-audit', '--no-fund', tgz()]);
  expect([npm.code, npm.stderr]).toEqual([0, '']);
  email = testbed.anEmail();
  const signup = ['signup', '--base-url', testbed.baseUrl, '--email', email, '--json'];
  asked = JSON.parse((await deck(...signup)).stdout) as object;
  await deck(...signup, '--code', await testbed.newestCode(email), '--first-name', 'Ada');
});

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
    expect(headers.get('etag')).toBeTruthy();
    const named = ['cache-control', 'content-encoding', 'content-type'].map((name) => headers.get(name));
    expect(named).toEqual(['no-cache', null, 'application/gzip']);
  });

  test('signs up, pushes, and names its commands by the word that started it', async () => {
    expect(asked).toMatchObject({
      next: `deck signup --email ${email} --code <code> --first-name <name> --base-url ${testbed.baseUrl}`,
    });
    const folder = await testbed.aFolder({ 'index.html': '<title>Packed</title>' });
    const pushed = await deck('push', folder, '--base-url', testbed.baseUrl, '--json', '--no-pictures');
    const { shareUrl } = JSON.parse(pushed.stdout) as { shareUrl: string };
    expect((await fetch(shareUrl)).status).toBe(200);
  });

  test('tells its version, and that of the service that the user names', async () => {
    expect((await deck('--version')).stdout).toBe(`${version}\n`);
    const stdout = `${version}\nservice ${version} at ${testbed.baseUrl}\n`;
    expect(await deck('--version', '--base-url', testbed.baseUrl)).toMatchObject({ code: 0, stdout, stderr: '' });
  });
});

test.each([
  ['from the site', () => tgz(), undefined],
  ['of the clone by the name of its package', () => 'deckhost', join(__dirname, '../..')],
])('npx runs the client %s, and the hints repeat that', async (_whence, packageName, folder) => {
  const asked = packageName();
  const whoami = [asked, 'whoami', '--base-url', 'http://127.0.0.1:9', '--json'];
  const { code, stdout } = await run('npx', ['--yes', ...whoami], folder);
  const nextAction = words(`\`npx ${asked} login --base-url http://127.0.0.1:9\``);
  expect([code, JSON.parse(stdout)]).toMatchObject([3, { error: { nextAction } }]);
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

  const nextAction = () => `Install the client of the service: npm install --global ${tgz()}`;

  test('says so, in doctor as a failure, with the command that installs the right one', async () => {
    const { stdout, stderr } = await oldDeck('--version');
    expect([stdout, stderr]).toEqual([words('0.0.9\n'), words(`${reason} ${nextAction()}`)]);
    const doctor = await oldDeck('doctor', '--json');
    expect([doctor.code, JSON.parse(doctor.stdout)]).toMatchObject([1, { error: { code: 'client-too-old' } }]);
  });

  test('says so after a call that the service did not understand, and once before a push, which goes on', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<title>Old</title>' });
    const push = ['push', folder, '--no-pictures', '--json'];
    const refused = await oldDeck(...push, '--message', 'x'.repeat(10_000));
    const error = { code: 'invalid-argument', message: words(reason), nextAction: nextAction() };
    expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([1, { error }]);
    const pushed = await oldDeck(...push);
    const warnings = [{ code: 'client-too-old', message: `${reason} ${nextAction()}` }];
    expect([pushed.code, JSON.parse(pushed.stdout)]).toMatchObject([0, { status: 'pushed', warnings }]);
  });
});

describe('deck doctor', () => {
  type Checks = { name: string; state: string; message: string }[];
  type Document = { checks?: Checks; error?: { code: string; details: { checks?: Checks } } };
  const doctor = async (env: NodeJS.ProcessEnv = {}, by = computer) => {
    const { code, json } = await by.deck(['doctor', '--json'], env);
    const { error, ...document } = json<Document>();
    const checks = document.checks ?? error?.details.checks ?? [];
    const stateOf = (name: string) => checks.find((check) => check.name === name)?.state;
    return { code, checks, error: error?.code, stateOf };
  };

  test('finds nothing wrong on a computer where all is well', async () => {
    // The program that stands for the browser is none.
    const { code, checks, stateOf } = await doctor({ CHROME_PATH: process.execPath });
    expect([code, stateOf('browser')]).toEqual([0, 'warning']);
    expect(checks.filter(({ name, state }) => name !== 'browser' && state !== 'ok')).toEqual([]);
    const names = ['client', 'config', 'address', 'connection', 'clock', 'versions', 'key', 'scopes', 'expiry'];
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });

  test('ends with 3 without a valid key, and with 4 when nothing or another server answers', async () => {
    expect(await doctor({}, testbed.aComputer())).toMatchObject({ code: 3, error: 'not-signed-in' });
    for (const [code, error, env] of [
      [3, 'unauthenticated', { DECK_API_KEY: `pres_${'x'.repeat(40)}` }],
      [4, 'unreachable', { DECK_BASE_URL: 'http://127.0.0.1:9' }],
      [4, 'unexpected-answer', { DECK_BASE_URL: testbed.hostingUrl }],
    ] as const)
      expect(await doctor(env)).toMatchObject({ code, error });
  });

  test('names the checks that failed in its last line', async () => {
    const { stderr } = await computer.deck(['doctor'], { DECK_BASE_URL: testbed.hostingUrl, DECK_API_KEY: 'a b' });
    expect(stderr).toContain('✗ 2 checks failed: service and key.\n');
  });

  test('takes a key with a line break at its end, and says what is wrong with one that has it elsewhere', async () => {
    const key = await computer.key();
    expect(await doctor({ DECK_API_KEY: `${key}\n` })).toMatchObject({ code: 0 });
    const { code, checks } = await doctor({ DECK_API_KEY: `${key}\n${key}` });
    const message = expect.stringContaining('has a space, a line break') as string;
    expect([code, checks.find(({ name }) => name === 'key')]).toMatchObject([3, { state: 'failed', message }]);
  });

  test('warns about keys that others may read, about a proxy and about a wrong clock', async () => {
    await chmod(join(computer.configFolder, 'deck'), 0o755);
    const { code, stateOf } = await doctor({ HTTPS_PROXY: 'http://proxy.example.com' });
    expect([code, stateOf('config'), stateOf('proxy')]).toEqual([0, 'warning', 'warning']);
    const clock = join(testbed.folder, 'clock.cjs');
    await writeFile(clock, 'const { now } = Date; Date.now = () => now() + 3_600_000;');
    expect((await doctor({ NODE_OPTIONS: `--require ${clock}` })).stateOf('clock')).toBe('warning');
  });
});
