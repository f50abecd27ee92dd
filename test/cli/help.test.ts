import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../cli/package.json';
import { examples } from '../../cli/src/help/examples';
import { projectRoot } from '../../local/project';
import { each } from '../support/each';
import { deckInProcess } from './deck-in-process';
import { commandsOf, expectNoSecret } from './session-svg';

/** The built client, because its help, completions and manual page are made from all of its commands. */
let run: ReturnType<typeof deckInProcess>;
const deck = async (...args: string[]) => (await run(args, {})).stdout;
const folder = mkdtempSync(join(tmpdir(), 'deck-help-'));
let names: string[];

beforeAll(async () => {
  execFileSync(process.execPath, [join(projectRoot, 'scripts/build.mjs')]);
  run = deckInProcess(join(projectRoot, 'cli/dist/deck.js'));
  // The commands of the help, with their topics removed.
  names = [...(await deck('--help')).matchAll(/^ {2}([a-z]+) .*$/gm)].map(([, name]) => name!);
  mkdirSync(join(folder, 'my talk'));
  writeFileSync(join(folder, 'script'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('deck help', () => {
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
    const subcommands = ['links add', 'links pin', 'links follow', 'links revoke', 'keys create'];
    for (const command of ['', ...each(names), ...subcommands]) {
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
    const nested = Object.keys(examples).filter((path) => path.includes(' '));
    for (const path of each([...names, ...nested])) {
      const help = await deck(...path.split(' '), '--help');
      const shown = /\nExamples:\n((?: {2}.*\n)+)/.exec(help)?.[1] ?? '';
      expect({ path, shown }).toEqual({ path, shown: expect.stringMatching(`^  deck ${path}`) as string });
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

test.each(Object.keys(shells).filter(has))(
  'the completion of %s offers commands, options, the values of choices, and folders where the command takes one',
  async (shell) => {
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
  },
);

test.each(Object.keys(shells).filter(has))(
  'the completion of %s offers the links and profiles of the user, and runs nothing that stands in a name',
  async (shell) => {
    const script = await deck('completion', shell);
    const print = `printf '%s\\ta link\\n' 'Press' '$(touch run)'`;
    const client = shell === 'fish' ? `function deck\n${print}\nend` : `deck() { ${print}; }`;
    const offers = (line: string) => shells[shell]!(`${client}\n${script}`, ['deck', ...line.split(' ')]);
    for (const line of ['links revoke Pr', 'email --link Pr', 'profiles use Pr', 'push --profile Pr'])
      expect([line, offers(line)]).toEqual([line, ['Press']]);
    expect(offers('links revoke ').join()).toContain('touch');
    expect(existsSync(join(folder, 'run'))).toBe(false);
  },
);
