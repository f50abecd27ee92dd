import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { version } from '../../cli/package.json';
import { examples } from '../../cli/src/help/examples';
import { runtimeAsText } from '../../functions/runtime/as-text.cjs';
import { projectRoot } from '../../local/project';
import { each } from '../support/each';
import { buildBundles } from '../support/bundles';
import { deckInProcess } from './deck-in-process';
import { commandsOf, expectNoSecret } from './session-svg';

/** The built client: its help, completions and manual page, what it is made of, and what a start evaluates. */

let run: ReturnType<typeof deckInProcess>;
const deck = async (...args: string[]) => (await run(args, {})).stdout;
const folder = mkdtempSync(join(tmpdir(), 'deck-help-'));
let names: string[];

beforeAll(async () => {
  buildBundles();
  run = deckInProcess(join(projectRoot, 'cli/dist/deck.js'));
  // The commands of the help, with their topics removed.
  names = [...(await deck('--help')).matchAll(/^ {2}([a-z]+) .*$/gm)].map(([, name]) => name!);
  mkdirSync(join(folder, 'my talk'));
  writeFileSync(join(folder, 'script'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('deck help', () => {
  const nested = Object.keys(examples).filter((path) => path.includes(' '));

  test('shows the commands by topic, the help of each command with the texts below it, and all of it as --help does', async () => {
    const help = await deck('help');
    expect(help).toBe(await deck('--help'));
    for (const topic of ['Decks', 'Links and people', 'Marketplace', 'Account', 'The client'])
      expect(help).toContain(`\n${topic}:\n`);
    expect(help).not.toContain('\nCommands:\n');
    expect(names).toEqual(expect.arrayContaining(['push', 'publish', 'login', 'doctor', 'help']));
    for (const name of ['push', 'login']) expect(await deck('help', name)).toBe(await deck(name, '--help'));
    const text = await deck('help', 'push');
    expect(text).toContain('.deckignore');
    expect(JSON.parse(await deck('help', 'push', '--json'))).toEqual({ ok: true, text });
  });

  test('fits into 80 columns where the terminal does not tell its width, and explains every argument', async () => {
    for (const command of ['', ...each([...names, ...nested])]) {
      const help = await deck(...command.split(' ').filter(Boolean), '--help');
      expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
      const [, usage = ''] = /^Usage: .*?((?: [[<](?!options\]|command\])[^ ]+)*)$/m.exec(help) ?? [];
      const args = usage.match(/[\w|]+/g) ?? [];
      const [, shown = ''] = /\nArguments:\n([^]*?)\n\n/.exec(help) ?? [];
      const named = [...shown.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name]) => name!);
      expect({ command, args: named }).toEqual({ command, args });
      expect(help).not.toMatch(/^ [^ ]/m);
    }
    expect(await deck('--help')).toMatch(/^ {2}DECK_PROFILE {3}the profile to use$/m);
  });

  test('shows examples of each command, with options that the command has', async () => {
    for (const path of each([...names, ...nested])) {
      const help = await deck(...path.split(' '), '--help');
      const shown = /\nExamples:\n((?: {2}.*\n)+)/.exec(help)?.[1] ?? '';
      // Each on a line of its own, so that it can be copied.
      expect(shown).toBe(examples[path]!.map((example) => `  ${example}\n`).join(''));
      expect(shown).toMatch(new RegExp(`^  deck ${path}`));
      const unknown = (shown.match(/--[\w-]+/g) ?? []).filter((option) => !help.replace(shown, '').includes(option));
      expect({ path, unknown }).toEqual({ path, unknown: [] });
    }
  });

  test('has no command that the table of docs/deck.md lacks', () => {
    const readme = readFileSync(join(projectRoot, 'docs/deck.md'), 'utf8');
    const cells = [...readme.matchAll(/^\| (`deck .*?) \|/gm)].map(([, cell]) => cell!).join(' ');
    expect(each(names).filter((name) => !cells.includes(`\`deck ${name}`))).toEqual([]);
  });

  test('names what is missing, and suggests the command that was meant', async () => {
    for (const [text, ...words] of [
      ['There is no command "psuh"', 'help', 'psuh'],
      ['Did you mean push?', 'psuh'],
    ] as const)
      expect(await run(words, {})).toMatchObject({ code: 2, stderr: expect.stringContaining(text) as string });
  });
});

test('the recorded session shows commands, and holds no secret and no name of a machine', () => {
  const svg = readFileSync(join(projectRoot, 'docs/session.svg'), 'utf8');
  expect(commandsOf(svg).length).toBeGreaterThanOrEqual(4);
  expectNoSecret(svg);
});

test('deck --version is the version of the package, wherever it stands before a command', async () => {
  expect(await deck('-V')).toBe(`${version}\n`);
  expect(JSON.parse(await deck('--json', '--version'))).toEqual({ ok: true, version, node: process.version });
});

/** Whether a program is installed here. */
const has = (program: string) => spawnSync(program, ['--version']).status === 0;

test('the manual page has a section for each command with every option, and groff understands each line', async () => {
  const input = await deck('help', '--man');
  const page = input.replaceAll('\\-', '-');
  for (const name of each(names)) expect(page).toMatch(new RegExp(`^\\.SS deck ${name}\\b`, 'm'));
  for (const [, option] of each((await deck('help', 'publish')).matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)))
    expect(page).toMatch(new RegExp(`^\\.B .*${option}`, 'm'));
  if (!has('groff')) return;
  expect(spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z'], { input, encoding: 'utf8' }).stderr).toBe('');
});

/** The lines that a shell prints for the words of a line that ends at the cursor. */
function linesOf(program: string, args: string[]): string[] {
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8' }).split('\n').filter(Boolean);
}

/** The functions of zsh's completion write to the line editor. These take their place and print. */
const ZSH = `compadd() { while [[ $1 == -* ]] { shift }; print -l -- "$@" }; compdef() { }; _files() { print -l -- *(N) }
_describe() { local each; for each in "\${(@P)2}"; do print -r -- "\${each%%:*}"; done }`;

/** What each shell offers. Each runs the real script. */
const shells: Record<string, (script: string, words: string[]) => string[]> = {
  bash: (script, words) => {
    const complete = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _deck; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf('bash', ['-c', `${script}\n${complete}`, 'bash', ...words]);
  },
  zsh: (script, words) => {
    const complete = `words=("$@"); CURRENT=$#; PREFIX=$words[CURRENT]; _deck`;
    const lines = linesOf('zsh', ['-fc', `${ZSH}\n${script}\n${complete}`, 'zsh', ...words]);
    return lines.filter((line) => line.startsWith(words.at(-1)!));
  },
  fish: (script, words) => {
    const args = ['--no-config', '-c', `${script}\ncomplete -C "$argv"`, words.join(' ')];
    return linesOf('fish', args).map((line) => line.split('\t')[0]!);
  },
};

const installed = Object.keys(shells).filter(has);

test.each(installed)('the completion of %s offers commands, options, choices, and folders', async (shell) => {
  const script = await deck('completion', shell);
  const offers = (line: string) => shells[shell]!(script, ['deck', ...line.split(' ')]).sort();
  expect(offers('pu')).toEqual(names.filter((name) => name.startsWith('pu')).sort());
  expect(offers('push my').map((each) => each.replace(/\\ /g, ' ').replace(/\/$/, ''))).toEqual(['my talk']);
  for (const [line, offered] of [
    ['help pul', ['pull']],
    ['push --en', ['--entry']],
    ['list --en', []],
    ['list --base', ['--base-url']],
    ['publish --kind p', ['plan', 'presentation']],
    ['completion b', ['bash']],
    ['push --title my', []],
  ] as [string, string[]][])
    expect([line, offers(line)]).toEqual([line, offered]);
});

test.each(installed)('the completion of %s offers links and profiles, and runs no text of a name', async (shell) => {
  const script = await deck('completion', shell);
  const print = `printf '%s\\ta link\\n' 'Press' '$(touch run)'`;
  const client = shell === 'fish' ? `function deck\n${print}\nend` : `deck() { ${print}; }`;
  const offers = (line: string) => shells[shell]!(`${client}\n${script}`, ['deck', ...line.split(' ')]);
  for (const line of ['links revoke Pr', 'email --link Pr', 'profiles use Pr', 'push --profile Pr'])
    expect([line, offers(line)]).toEqual([line, ['Press']]);
  expect(offers('links revoke ').join()).toContain('touch');
  expect(existsSync(join(folder, 'run'))).toBe(false);
});

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
    const shared = `errors policy/deck-addresses policy/deck-headers policy/deck-pictures policy/delivery
      values/content-types values/files-diff values/host-rules values/html-insertion values/html-metadata
      values/human-text values/local-names values/paths
      values/secrets values/three-way values/units values/webhook-body values/webhook-secrets`.split(/\s+/);
    const expected = ['functions/runtime/bundle.cjs', ...shared.map((path) => `functions/src/${path}.ts`)];
    expect(inputs.filter((path) => path.startsWith('functions/')).sort()).toEqual(expected);
  });

  test('mcp.js holds the server for agents and its packages, and no copy of the client', async () => {
    const own = (await ofNode('cli/src/mcp/server.ts')).filter((path) => !path.startsWith('node_modules/'));
    expect(own).toContain('cli/src/mcp/server.ts');
    const values = ['cli/src/deck-id.ts', 'client/src/slugs.ts', 'cli/src/listing-choices.ts'];
    const shared = ['cli/package.json', ...values];
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
