import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../local/project';

/** What a start of the built client evaluates. That decides how long a start takes, and does not depend on the machine. */

const client = join(projectRoot, 'cli/dist/deck.js');
const folder = mkdtempSync(join(tmpdir(), 'deck-start-'));

interface Coverage {
  result: {
    url: string;
    functions: { functionName: string; ranges: { startOffset: number; endOffset: number; count: number }[] }[];
  }[];
}

/** The scripts that a command loads. */
function loaded(...args: string[]): Coverage['result'] {
  const coverage = mkdtempSync(join(folder, 'coverage-'));
  spawnSync(process.execPath, [client, ...args], {
    env: { PATH: process.env['PATH'], HOME: folder, NODE_V8_COVERAGE: coverage },
    stdio: 'ignore',
  });
  return readdirSync(coverage).flatMap(
    (name) => (JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage).result,
  );
}

/** The modules that a command evaluates, with their bytes. esbuild names the function of a module by its path. */
function evaluated(...args: string[]): Map<string, number> {
  const functions = loaded(...args).find(({ url }) => url.endsWith('/dist/deck.js'))?.functions ?? [];
  const modules = functions.filter(
    ({ functionName, ranges }) => /^[\w.@-]+\/.*\.\w+$/.test(functionName) && ranges[0]!.count > 0,
  );
  return new Map(
    modules.map(({ functionName, ranges }) => [functionName, ranges[0]!.endOffset - ranges[0]!.startOffset]),
  );
}

const packagesOf = (modules: Map<string, number>) =>
  [...new Set([...modules.keys()].map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]))]
    .filter(Boolean)
    .sort();
const bytesOf = (modules: Map<string, number>) => [...modules.values()].reduce((sum, bytes) => sum + bytes, 0);

beforeAll(() => {
  const { status } = spawnSync(process.execPath, [join(projectRoot, 'scripts/build.mjs')], { stdio: 'inherit' });
  expect(status).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('deck --version evaluates one command, and nothing that sends requests', () => {
  const modules = evaluated('--version');
  expect([...modules.keys()].filter((path) => path.includes('/commands/'))).toEqual(['cli/src/commands/version.ts']);
  expect([...modules.keys()].filter((path) => path.startsWith('client/src/service/'))).toEqual([]);
  expect(packagesOf(modules)).toEqual(['commander', 'picocolors']);
  expect(bytesOf(modules)).toBeLessThan(100_000);
});

test.each([['list'], ['whoami'], ['open', '.'], ['doctor']])(
  'deck %s evaluates no other command, no parser and no package that it does not use',
  (...words) => {
    const modules = evaluated(...words);
    const [name] = words;
    const commands = [...modules.keys()].flatMap((path) => /\/commands\/([a-z]+)\.ts$/.exec(path)?.[1] ?? []);
    expect(commands).toContain(name);
    expect(packagesOf(modules)).toEqual(['commander', 'picocolors']);
    expect(bytesOf(modules)).toBeLessThan(150_000);
  },
);

test('the guard sees what a command loads late', () => {
  expect(packagesOf(evaluated('push', folder))).not.toEqual(['commander', 'picocolors']);
});

test('only deck mcp reads the file with the server for agents', () => {
  const ofPackage = (...words: string[]) =>
    loaded(...words)
      .flatMap(({ url }) => /\/cli\/dist\/(.+)$/.exec(url)?.[1] ?? [])
      .sort();
  expect(ofPackage('--help')).toEqual(['deck.js']);
  expect(ofPackage('mcp')).toEqual(['deck.js', 'mcp.js']);
});
