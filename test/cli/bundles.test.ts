import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { runtimeAsText } from '../../functions/runtime/as-text.cjs';
import { projectRoot } from '../../local/project';

/** What the programs of the client are made of, and what a start evaluates: that does not depend on the machine. */

/** The files from which a bundle is made. */
async function inputsOf(options: BuildOptions): Promise<string[]> {
  const made = { bundle: true, write: false, metafile: true, outdir: 'out' } as const;
  const from = { absWorkingDir: projectRoot, preserveSymlinks: true };
  const { metafile } = await build({ ...made, ...from, logLevel: 'silent', ...options });
  const [first] = Object.values(metafile!.outputs).filter(({ entryPoint }) => entryPoint !== undefined);
  return Object.keys(first!.inputs);
}

describe('the command', () => {
  const ofNode = (entry: string) =>
    inputsOf({
      entryPoints: [entry],
      platform: 'node',
      external: ['../mcp/server.js', '../drawing/join-pdfs.js'],
      plugins: [runtimeAsText('driver')],
    });
  const ofAgents = /^(cli\/src\/mcp|node_modules\/(zod|@modelcontextprotocol))\//;

  test('deck.js holds the client and the rules that it shares with the service: the contract is types', async () => {
    const inputs = await ofNode('cli/src/main.ts');
    expect(inputs).toContain('cli/src/main.ts');
    expect(inputs.filter((path) => ofAgents.test(path))).toEqual([]);
    // What the client decides as the service does, with the packages that these files need.
    const shared = ['deck-addresses', 'deck-headers', 'deck-pictures', 'delivery'].map((name) => `policy/${name}`);
    const ofDecks = ['content-types', 'host-rules', 'html-insertion', 'html-metadata', 'human-text', 'paths', 'units'];
    const values = [...ofDecks, 'secrets', 'three-way', 'webhook-body', 'webhook-secrets'].map(
      (name) => `values/${name}`,
    );
    const expected = ['errors', ...shared, ...values].map((path) => `functions/src/${path}.ts`);
    expect(inputs.filter((path) => path.startsWith('functions/')).sort()).toEqual([
      'functions/runtime/bundle.cjs',
      ...expected.sort(),
    ]);
  });

  test('mcp.js holds the server for agents and its packages, and no copy of the client', async () => {
    const own = (await ofNode('cli/src/mcp/server.ts')).filter((path) => !path.startsWith('node_modules/'));
    expect(own).toContain('cli/src/mcp/server.ts');
    const shared = ['cli/package.json', 'cli/src/deck-id.ts'];
    expect(own.filter((path) => !path.startsWith('cli/src/mcp/'))).toEqual(shared);
  });
});

describe('the library', () => {
  /** Bundles for browsers. The compiler rejects a module of Node, which browsers lack. */
  const ofBrowser = (contents: string) => {
    const stdin = { contents, resolveDir: join(projectRoot, 'client/src'), loader: 'ts' } as const;
    return inputsOf({ stdin, platform: 'browser', format: 'esm', splitting: true });
  };

  test('for browsers reaches no module of Node, and nothing of the service but types', async () => {
    const inputs = await ofBrowser("export * from './index.browser';");
    expect(inputs).toContain('client/src/service/browser-transport.ts');
    expect(inputs.filter((path) => path.startsWith('functions/'))).toEqual([]);
    // The test can fail: the library for Node is refused.
    await expect(ofBrowser("export * from './index';")).rejects.toThrow(/Could not resolve "node:/);
  });

  test('in a page that only calls the service loads no package', async () => {
    const names = 'DeckService, BrowserTransport, Failure, listDecks';
    const inputs = await ofBrowser(`export { ${names} } from './index.browser';`);
    expect(inputs).toContain('client/src/service/service.ts');
    expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
  });
});

describe('a start of the built client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deck-start-'));
  beforeAll(() => {
    const { status } = spawnSync(process.execPath, [join(projectRoot, 'scripts/build.mjs')], { stdio: 'inherit' });
    expect(status).toBe(0);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  interface Script {
    url: string;
    functions: { functionName: string; ranges: { startOffset: number; endOffset: number; count: number }[] }[];
  }

  /** The scripts that a command loads. */
  function loaded(...args: string[]): Script[] {
    const coverage = mkdtempSync(join(folder, 'coverage-'));
    const env = { PATH: process.env['PATH'], HOME: folder, NODE_V8_COVERAGE: coverage };
    spawnSync(process.execPath, [join(projectRoot, 'cli/dist/deck.js'), ...args], { env, stdio: 'ignore' });
    const texts = readdirSync(coverage).map((name) => readFileSync(join(coverage, name), 'utf8'));
    return texts.flatMap((text) => (JSON.parse(text) as { result: Script[] }).result);
  }

  /** What a command evaluates: its modules, their packages and their bytes. esbuild names a module by its path. */
  function evaluated(...args: string[]) {
    const functions = loaded(...args).find(({ url }) => url.endsWith('/dist/deck.js'))?.functions ?? [];
    const isModule = /^[\w.@-]+\/.*\.\w+$/;
    const modules = functions.filter((each) => isModule.test(each.functionName) && each.ranges[0]!.count > 0);
    const paths = modules.map(({ functionName }) => functionName);
    const packages = paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    const bytes = modules.reduce((sum, { ranges }) => sum + ranges[0]!.endOffset - ranges[0]!.startOffset, 0);
    return { paths, packages: [...new Set(packages)].sort(), bytes };
  }

  test('for deck --version evaluates one command, and nothing that sends requests', () => {
    const { paths, packages, bytes } = evaluated('--version');
    const found = paths.filter((path) => /\/commands\/|^client\/src\/service\//.test(path));
    expect({ found, packages }).toEqual({
      found: ['cli/src/commands/version.ts'],
      packages: ['ci-info', 'commander', 'picocolors'],
    });
    expect(bytes).toBeLessThan(100_000);
  });

  test('for most commands evaluates no parser and no package that they do not use', () => {
    for (const words of [['list'], ['whoami'], ['open', '.'], ['doctor']]) {
      const { paths, packages, bytes } = evaluated(...words);
      expect(paths).toContain(`cli/src/commands/${words[0]}.ts`);
      expect(packages).toEqual(['ci-info', 'commander', 'picocolors']);
      expect(bytes).toBeLessThan(150_000);
    }
    // The test can fail: a push loads more, and late.
    expect(evaluated('push', folder).packages).not.toEqual(['ci-info', 'commander', 'picocolors']);
  });

  test.each([
    ['--help', ['deck.js']],
    ['mcp', ['deck.js', 'mcp.js']],
  ])('for deck %s reads %j: only deck mcp reads the server for agents', (word, files) => {
    const read = loaded(word).flatMap(({ url }) => /\/cli\/dist\/(.+)$/.exec(url)?.[1] ?? []);
    expect(read.sort()).toEqual(files);
  });
});
