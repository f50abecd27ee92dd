import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildClient } from '../support/bundles';
import { successOf } from '../support/every-call';
import { ENTRY, sceneOf, type Scene } from '../support/example-scene';
import { slide } from '../support/pictures';
import type { World } from '../support/world';
import { codeOf, library } from './pages';

/** The statuses of calls that only browsers at another address can make, or only the mail provider can sign. */
const refusals: Partial<Record<string, number>> = { deckSite: 421, dashboardSession: 403, receiveMailEvents: 401 };
const statusOf = (name: string) => refusals[name] ?? successOf(name);

/** The variables from which the examples read their credentials. */
const keysOf = ({ key, session }: Scene) => ({ API_KEY: key, SESSION_TOKEN: session });

export function write(folder: string, path: string, content: string | Buffer): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** A folder with the files that the examples send. */
export function aHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'decks-examples-')));
  for (const path of ['index.html', 'talk/index.html']) write(home, path, ENTRY.bytes);
  write(home, 'agenda.png', slide(10));
  return home;
}

export async function run(program: string, args: string[], cwd: string, variables: Record<string, string> = {}) {
  const env = { PATH: process.env['PATH'], HOME: cwd, ...variables };
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number | null, stdout, stderr };
}

const hasCurl = process.env['PATH']!.split(delimiter).some((folder) => existsSync(join(folder, 'curl')));

/** Demands that the example of an endpoint for curl, or for the program that stands for it, is a call that succeeds. */
export async function expectToAnswer(world: World, home: string, name: string, isReal = hasCurl): Promise<void> {
  const code = codeOf(name, /^curl /)!;
  const scene = await sceneOf(world, name, code);
  const program = isReal ? 'command curl' : `"${process.execPath}" "${join(__dirname, 'curl.mjs')}"`;
  const script = `curl() { ${program} -sS -o answer -w '%{http_code}' "$@"; }\n${scene.real(code)}`;
  const { stdout, stderr } = await run('sh', ['-c', script], home, keysOf(scene));
  expect({ stdout, stderr }).toEqual({ stdout: String(statusOf(name)), stderr: '' });
}

/** Demands that examples in TypeScript, by name, print an answer. They run in the folder `home`. */
export async function expectToRun(world: World, home: string, examples: Iterable<[name: string, code: string]>) {
  const bundles = join(home, 'bundles');
  const steps: { name: string; entry: string; file: string; env: Record<string, string> }[] = [];
  for (const [name, code] of examples) {
    const scene = await sceneOf(world, name, code);
    write(bundles, `${name}.ts`, scene.real(code));
    const entry = join(bundles, `${name}.ts`);
    steps.push({ name, entry, file: join(bundles, 'made', `${name}.mjs`), env: keysOf(scene) });
  }
  expect(steps).not.toEqual([]);
  buildClient();
  await build({
    entryPoints: steps.map(({ entry }) => entry),
    outdir: join(bundles, 'made'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outExtension: { '.js': '.mjs' },
    alias: { 'deckhost-client': library },
    logLevel: 'error',
  });
  const program = join(__dirname, 'example-runner.mjs');
  const { stdout, stderr } = await run(process.execPath, [program, JSON.stringify(steps)], home);
  if (stdout === '') throw new Error(stderr);
  const results = JSON.parse(stdout) as { printed: unknown[][]; error?: string }[];
  const failed = steps.flatMap(({ name }, i) => {
    const { printed, error } = results[i]!;
    const status = printed[0]?.[0];
    const isFine = !error && printed.length > 0 && (typeof status !== 'number' || status === statusOf(name));
    return isFine ? [] : [{ name, printed, error }];
  });
  expect(failed).toEqual([]);
}
