import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import ts from 'typescript';
import { projectRoot } from '../../local/project';
import { ENTRY, sceneOf, type Scene } from '../support/example-scene';
import { World } from '../support/world';
import { built, buildSite, documentedEndpoints, examplesOf } from './pages';

buildSite();
const endpoints = documentedEndpoints();
const codeOf = (name: string, language: string, start: RegExp) =>
  examplesOf(built(`docs/api/${name}.md`)).find((each) => each.language === language && start.test(each.code))?.code;

/** An endpoint with a host name of its own refuses a call at the address of the functions. */
const expected: Partial<Record<string, number>> = { deckSite: 421 };

/** The variables from which the examples read their credentials. */
const keysOf = ({ key, session }: Scene) => ({ API_KEY: key, SESSION_TOKEN: session });

let world: World;
const folder = mkdtempSync(join(tmpdir(), 'decks-examples-'));
beforeAll(async () => {
  world = await World.start();
  mkdirSync(join(folder, 'talk'));
  for (const name of ['index.html', 'talk/index.html']) writeFileSync(join(folder, name), ENTRY.bytes);
});
afterAll(async () => {
  await world.stop();
  rmSync(folder, { recursive: true });
});

async function run(program: string, args: string[], env: Record<string, string>) {
  const child = spawn(program, args, { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, ...env } });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number | null, stdout, stderr };
}

describe('curl', () => {
  const isInstalled = process.env['PATH']!.split(delimiter).some((each) => existsSync(join(each, 'curl')));
  const standIn = `"${process.execPath}" "${join(__dirname, 'curl.mjs')}"`;
  const send = async (program: string, name: string) => {
    const code = codeOf(name, 'sh', /^curl /)!;
    const scene = await sceneOf(world, name, code);
    const script = `curl() { ${program} -sS -o answer -w '%{http_code}' "$@"; }\n${scene.real(code)}`;
    return run('sh', ['-c', script], keysOf(scene));
  };

  test.each(endpoints)('the example of %s is a call that succeeds', async (name) => {
    const { stdout, stderr } = await send(isInstalled ? 'command curl' : standIn, name);
    expect({ stdout, stderr }).toEqual({ stdout: String(expected[name] ?? 200), stderr: '' });
  });

  // So that the stand-in is right where there is no curl.
  test.each(['precheckAssets', 'uploadPresentationAsset', 'reportPage'])(
    'so is that of %s without curl',
    async (name) => {
      const { stdout } = await send(standIn, name);
      expect(stdout).toBe('200');
    },
  );
});

describe('TypeScript', () => {
  const library = join(projectRoot, 'client/src/index.ts');
  const files = new Map<string, string>();
  beforeAll(() => {
    for (const name of [...endpoints, 'library']) {
      const page = name === 'library' ? 'docs/guides/library.md' : `docs/api/${name}.md`;
      for (const [i, { code }] of examplesOf(built(page))
        .filter(({ language }) => language === 'ts')
        .entries())
        files.set(name + (i > 0 ? `-${i}` : ''), code);
    }
  });

  test('the examples compile under the strict rules', () => {
    const sources = join(folder, 'sources');
    mkdirSync(sources);
    const paths = [...files].map(([name, code]) => {
      const file = join(sources, `${name}.ts`);
      writeFileSync(file, `${code}\nexport {};\n`);
      return file;
    });
    const program = ts.createProgram(paths, {
      ...{ strict: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: true, resolveJsonModule: true },
      ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, lib: ['lib.es2024.d.ts'] },
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: ['node'],
      typeRoots: [join(projectRoot, 'node_modules/@types')],
      paths: { 'deckhost-client': [library] },
    });
    const problems = paths.flatMap((path) => ts.getPreEmitDiagnostics(program, program.getSourceFile(path)));
    expect(problems.map(({ file, messageText }) => [file?.fileName, messageText])).toEqual([]);
  });

  test('the examples do what they say', async () => {
    const bundles = join(folder, 'bundles');
    mkdirSync(bundles);
    const steps = [];
    for (const [name, code] of files) {
      const scene = await sceneOf(world, name, code);
      const entry = join(bundles, `${name}.ts`);
      writeFileSync(entry, scene.real(code));
      steps.push({ name, entry, file: join(bundles, 'made', `${name}.mjs`), env: keysOf(scene) });
    }
    await build({
      entryPoints: steps.map(({ entry }) => entry),
      outdir: join(bundles, 'made'),
      ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', outExtension: { '.js': '.mjs' } },
      alias: { 'deckhost-client': library },
      logLevel: 'error',
    });
    const { stdout, stderr } = await run(
      process.execPath,
      [join(__dirname, 'run-examples.mjs'), JSON.stringify(steps)],
      {},
    );
    if (stdout === '') throw new Error(stderr);
    const results = JSON.parse(stdout) as { printed: unknown[][]; error?: string }[];
    const failed = steps.flatMap(({ name }, i) => {
      const { printed, error } = results[i]!;
      const status = printed[0]?.[0];
      const isFine = !error && printed.length > 0 && (typeof status !== 'number' || status === (expected[name] ?? 200));
      return isFine ? [] : [{ name, printed, error }];
    });
    expect(failed).toEqual([]);
  });
});
