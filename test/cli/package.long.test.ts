import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { version as ofService } from '../../functions/package.json';
import { version as ofLibrary } from '../../client/package.json';
import { version } from '../../cli/package.json';
import { version as ofProject } from '../../package.json';
import { run as runIn } from './run-program';
import { testbed, withTestbed, words } from './testbed';

/** The packed client of the site, installed and started in every way, without a registry. */

withTestbed();

let env: NodeJS.ProcessEnv;
let installed: string;
let email: string;
/** The answer of the command that asked for a code. */
let asked: object;

const run = (program: string, args: string[], cwd = testbed.folder) => runIn(program, args, { cwd, env });
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
