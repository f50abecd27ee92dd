import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { version as ofService } from '../../functions/package.json';
import { version as ofLibrary } from '../../client/package.json';
import { version } from '../../cli/package.json';
import { projectRoot } from '../../local/project';
import { version as ofProject } from '../../package.json';
import { run as runIn } from './run-program';
import { commandsOf, expectNoSecret } from './session-svg';
import { testbed, withTestbed, words } from './testbed';

/** The packed client of the site, installed and started in every way, and the packed library, without a registry. */

withTestbed();

let env: NodeJS.ProcessEnv;
let installed: string;
let email: string;
/** The answer of the command that asked for a code. */
let asked: object;

const run = (program: string, args: string[], cwd = testbed.folder) => runIn(program, args, { cwd, env });
const succeed = promisify(execFile);
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
  ['of the clone by the name of its package', () => 'deckhost', projectRoot],
])('npx runs the client %s, and the hints repeat that', async (_whence, packageName, folder) => {
  const asked = packageName();
  const whoami = [asked, 'whoami', '--base-url', 'http://127.0.0.1:9', '--json'];
  const { code, stdout } = await run('npx', ['--yes', ...whoami], folder);
  const nextAction = words(`\`npx ${asked} login --base-url http://127.0.0.1:9\``);
  expect([code, JSON.parse(stdout)]).toMatchObject([3, { error: { nextAction } }]);
});

test('the recorded session can be recorded again with the same commands', async () => {
  const again = join(testbed.folder, 'session.svg');
  await succeed(process.execPath, [join(projectRoot, 'scripts/record.mjs'), again]);
  const paths = [again, join(projectRoot, 'docs/session.svg')];
  const [repeated, recorded] = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  expect(commandsOf(repeated!)).toEqual(commandsOf(recorded!));
  expectNoSecret(repeated!);
});

/** In JavaScript, and loaded with `require`. */
const inJavaScript = `
const { DeckService, download, listDecks, isFailure } = require('deckhost-client');
async function main() {
  const service = new DeckService({ baseUrl: process.env.DECK_BASE_URL, key: process.env.DECK_API_KEY });
  for await (const { id } of listDecks(service)) {
    const { version, fileCount, leftOut } = await download(service, { presentationId: id, folder: 'downloaded' });
    console.log(JSON.stringify({ version, fileCount, leftOut }));
  }
  const unknown = { presentationId: '018f0000-0000-7000-8000-000000000000', tokenName: 'x' };
  const failure = await service.post('addPresentationToken', unknown).catch((error) => error);
  console.log(isFailure(failure, 'not-found'), failure.status);
  service.close();
}
main();
`;

/** Two people push one deck; the first one pulls. */
const pulling = `
import { DeckService, pull, push, readDeckFile, writeDeckFile } from 'deckhost-client';
import { cp, readFile, writeFile } from 'node:fs/promises';
const { DECK_BASE_URL: baseUrl, DECK_API_KEY: key, DECK_FOLDER: folder } = process.env;
const service = new DeckService({ baseUrl, key });
const { presentationId, version, entryPath } = await push(service, { folder, destination: { kind: 'new-deck' } });
await writeDeckFile(folder, { presentationId, baseUrl, version, entryPath });
await cp(folder, 'theirs', { recursive: true });
await writeFile('theirs/index.html', 'theirs');
await push(service, { folder: 'theirs', destination: { kind: 'deck', presentationId, baseVersion: version } });
for (const file of ['style.css', 'index.html']) await writeFile(folder + '/' + file, 'mine');
const deckFile = await readDeckFile(folder);
const { marked } = await pull(service, { folder, deckFile });
const { changes } = await pull(service, { folder, deckFile, prefer: 'theirs' });
console.log('marked', marked.join(), changes.map(({ path, action }) => path + ' ' + action).join(', '));
console.log(await readFile(folder + '/index.html', 'utf8'), (await readDeckFile(folder)).version);
service.close();
`;

/** What the types must refuse. */
const refused = `
import { DeckService } from 'deckhost-client';
const service = new DeckService({ baseUrl: 'http://127.0.0.1' });
// @ts-expect-error: there is no such endpoint.
void service.post('addToken', {});
// @ts-expect-error: the input lacks the name of the link.
void service.post('addPresentationToken', { presentationId: 'x' });
// @ts-expect-error: the answer has no such field.
void service.post('addPresentationToken', { presentationId: 'x', tokenName: 'y' }).then((answer) => answer.url);
`;

describe('the packed client library', () => {
  let folder: string;
  let variables: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = join(testbed.folder, 'project');
    await mkdir(folder);
    const packed = join(testbed.folder, 'packed', 'deckhost-client.tgz');
    const { stdout } = await succeed(process.execPath, [join(projectRoot, 'scripts/pack-client.mjs'), packed]);
    expect(stdout).toBe(`${packed}\n`);
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    await succeed('npm', ['install', '--offline', '--loglevel=error', packed], { cwd: folder });
    const deck = await testbed.aFolder({ 'index.html': '<title>Talk</title><h1>Hello</h1>', 'style.css': 'h1 {}' });
    const key = await (await testbed.aSignedInComputer()).key();
    variables = { PATH: process.env['PATH'], DECK_BASE_URL: testbed.baseUrl, DECK_API_KEY: key, DECK_FOLDER: deck };
  });

  const node = async (file: string, more: NodeJS.ProcessEnv = {}) =>
    (await succeed(process.execPath, [file], { cwd: folder, env: { ...variables, ...more } })).stdout;

  test('holds a program for Node and one for browsers with their types, and installs without any other package', async () => {
    const files = ['hash-worker.mjs', 'index.browser.d.mts', 'index.browser.mjs', 'index.d.mts', 'index.mjs', 'pdf'];
    expect(await readdir(join(folder, 'node_modules/deckhost-client/dist'))).toEqual(files);
    const packages = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'));
    expect(packages).toEqual(['deckhost-client']);
  });

  test('has the same files when npm packs its folder', async () => {
    const cwd = join(projectRoot, 'client');
    await rm(join(cwd, 'dist/index.d.mts'));
    const { stdout } = await succeed('npm', ['pack', '--json', '--offline', '--pack-destination', folder], { cwd });
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['dist/index.d.mts', 'dist/index.mjs']));
  });

  test('runs the example of its README, which compiles under strict without any other types', async () => {
    const readme = await readFile(join(projectRoot, 'client/README.md'), 'utf8');
    await writeFile(join(folder, 'example.mts'), /^```ts example\n([\s\S]*?)^```$/m.exec(readme)![1]!);
    await writeFile(join(folder, 'refused.mts'), refused);
    const options = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--target', 'es2022'];
    const types = ['--module', 'nodenext', '--typeRoots', join(projectRoot, 'node_modules/@types'), '--types', 'node'];
    const tsc = [join(projectRoot, 'node_modules/typescript/bin/tsc'), ...options, ...types];
    await succeed(process.execPath, [...tsc, 'example.mts', 'refused.mts'], { cwd: folder }).catch(
      ({ stdout }: { stdout: string }) => {
        throw new Error(stdout);
      },
    );
    const told = 'pushed version 1\nthe link answers 200\nthe revoked link answers 403\n';
    expect(await node('example.mjs')).toBe(told);
  });

  test('is loaded by a program in JavaScript with require, downloads a deck and throws failures', async () => {
    await writeFile(join(folder, 'program.cjs'), inJavaScript);
    expect(await node('program.cjs')).toBe('{"version":1,"fileCount":2,"leftOut":[]}\ntrue 404\n');
    expect(await readFile(join(folder, 'downloaded/style.css'), 'utf8')).toBe('h1 {}');
  });

  test('pulls the version of somebody else into a folder, and keeps what changed there', async () => {
    const deck = await testbed.aFolder({ 'index.html': 'one', 'style.css': 'h1 {}' });
    await writeFile(join(folder, 'pulling.mjs'), pulling);
    const told = 'marked index.html index.html take, style.css keep\ntheirs 2\n';
    expect(await node('pulling.mjs', { DECK_FOLDER: deck })).toBe(told);
  });
});
