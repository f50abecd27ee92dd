import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { testbed, withTestbed } from '../cli/testbed';

const project = resolve(__dirname, '../..');
const run = promisify(execFile);

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
  withTestbed();
  let folder: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = join(testbed.folder, 'project');
    await mkdir(folder);
    const packed = join(testbed.folder, 'packed', 'deckhost-client.tgz');
    const { stdout } = await run(process.execPath, [join(project, 'scripts/pack-client.mjs'), packed]);
    expect(stdout).toBe(`${packed}\n`);
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--offline', '--loglevel=error', packed], { cwd: folder });
    const deck = await testbed.aFolder({ 'index.html': '<title>Talk</title><h1>Hello</h1>', 'style.css': 'h1 {}' });
    const key = await (await testbed.aSignedInComputer()).key();
    env = { PATH: process.env['PATH'], DECK_BASE_URL: testbed.baseUrl, DECK_API_KEY: key, DECK_FOLDER: deck };
  });

  const node = async (file: string, more: NodeJS.ProcessEnv = {}) =>
    (await run(process.execPath, [file], { cwd: folder, env: { ...env, ...more } })).stdout;

  test('holds a program for Node and one for browsers with their types, and installs without any other package', async () => {
    const files = ['hash-worker.mjs', 'index.browser.d.mts', 'index.browser.mjs', 'index.d.mts', 'index.mjs', 'pdf'];
    expect(await readdir(join(folder, 'node_modules/deckhost-client/dist'))).toEqual(files);
    const packages = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'));
    expect(packages).toEqual(['deckhost-client']);
  });

  test('has the same files when npm packs its folder', async () => {
    const cwd = join(project, 'client');
    await rm(join(cwd, 'dist/index.d.mts'));
    const { stdout } = await run('npm', ['pack', '--json', '--offline', '--pack-destination', folder], { cwd });
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['dist/index.d.mts', 'dist/index.mjs']));
  });

  test('runs the example of its README, which compiles under strict without any other types', async () => {
    const readme = await readFile(join(project, 'client/README.md'), 'utf8');
    await writeFile(join(folder, 'example.mts'), /^```ts example\n([\s\S]*?)^```$/m.exec(readme)![1]!);
    await writeFile(join(folder, 'refused.mts'), refused);
    const nodeTypes = join(project, 'node_modules/@types');
    const options = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--target', 'es2022'];
    const types = ['--module', 'nodenext', '--typeRoots', nodeTypes, '--types', 'node'];
    const tsc = [join(project, 'node_modules/typescript/bin/tsc'), ...options, ...types, 'example.mts', 'refused.mts'];
    await run(process.execPath, tsc, { cwd: folder }).catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
    const told = 'pushed version 1\nthe link answers 200\nthe revoked link answers 403\n';
    expect(await node('example.mjs')).toBe(told);
  });

  test('is loaded by a program in JavaScript with require, downloads a deck and throws failures', async () => {
    await writeFile(join(folder, 'program.cjs'), inJavaScript);
    const [downloaded, failure] = (await node('program.cjs')).split('\n');
    expect(JSON.parse(downloaded!)).toEqual({ version: 1, fileCount: 2, leftOut: [] });
    expect(failure).toBe('true 404');
    expect(await readFile(join(folder, 'downloaded/style.css'), 'utf8')).toBe('h1 {}');
  });

  test('pulls the version of somebody else into a folder, and keeps what changed there', async () => {
    const deck = await testbed.aFolder({ 'index.html': 'one', 'style.css': 'h1 {}' });
    await writeFile(join(folder, 'pulling.mjs'), pulling);
    const told = 'marked index.html index.html take, style.css keep\ntheirs 2\n';
    expect(await node('pulling.mjs', { DECK_FOLDER: deck })).toBe(told);
  });
});
