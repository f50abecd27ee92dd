import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../cli/package.json';
import { projectRoot } from '../../local/project';

/** The built client, because its help, completions and manual page are made from all of its commands. */
const client = join(projectRoot, 'cli/dist/deck.js');
const deck = (...args: string[]) => execFileSync(process.execPath, [client, ...args], { encoding: 'utf8' });
const folder = mkdtempSync(join(tmpdir(), 'deck-help-'));

/** The commands of the help, with their topics removed. */
const commandsIn = (help: string) => [...help.matchAll(/^ {2}([a-z]+) .*$/gm)].map(([, name]) => name!);
let names: string[];

beforeAll(() => {
  execFileSync(process.execPath, [join(projectRoot, 'scripts/build.mjs')]);
  names = commandsIn(deck('--help'));
  mkdirSync(join(folder, 'my talk'));
  writeFileSync(join(folder, 'script'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('deck help', () => {
  test('shows the commands by topic, and the same as --help', () => {
    const help = deck('help');
    expect(help).toBe(deck('--help'));
    for (const topic of ['Decks', 'Links and people', 'Marketplace', 'Account', 'The client'])
      expect(help).toContain(`\n${topic}:\n`);
    expect(help).not.toContain('\nCommands:\n');
    expect(names).toEqual(expect.arrayContaining(['push', 'publish', 'login', 'doctor', 'help']));
  });

  test('shows the help of each command as --help does, with the texts below it', () => {
    for (const name of ['push', 'login']) expect(deck('help', name)).toBe(deck(name, '--help'));
    expect(deck('help', 'push')).toContain('.deckignore');
  });

  test('fits into 80 columns where the terminal does not tell its width, and explains every argument', () => {
    const subcommands = [
      ['links', 'add'],
      ['links', 'pin'],
      ['links', 'follow'],
      ['links', 'revoke'],
      ['keys', 'create'],
    ];
    for (const words of [[], ...names.map((name) => [name]), ...subcommands]) {
      const help = deck(...words, '--help');
      expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
      const [, usage = ''] = /^Usage: .*?((?: [[<](?!options\]|command\])[^ ]+)*)$/m.exec(help) ?? [];
      const args = usage.match(/[\w|]+/g) ?? [];
      const [, shown = ''] = /\nArguments:\n([^]*?)\n\n/.exec(help) ?? [];
      const named = [...shown.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name]) => name!);
      expect({ words, args: named }).toEqual({ words, args });
      expect(help).not.toMatch(/^ [^ ]/m);
    }
    expect(deck('--help')).toMatch(/^ {2}DECK_PROFILE {3}the profile to use$/m);
  });

  test('has no command that the table of docs/deck.md lacks', () => {
    const readme = readFileSync(join(projectRoot, 'docs/deck.md'), 'utf8');
    const cells = [...readme.matchAll(/^\| (`deck .*?) \|/gm)].map(([, cell]) => cell!).join(' ');
    expect(names.filter((name) => !cells.includes(`\`deck ${name}`))).toEqual([]);
  });

  test('names what is missing', () => {
    const { status, stderr } = spawnSync(process.execPath, [client, 'help', 'psuh'], { encoding: 'utf8' });
    expect(stderr).toContain('There is no command "psuh"');
    expect(status).toBe(2);
  });

  test('suggests the command that was meant', () => {
    const { stderr } = spawnSync(process.execPath, [client, 'psuh'], { encoding: 'utf8' });
    expect(stderr).toContain('Did you mean push?');
  });

  test('answers JSON', () => {
    expect(JSON.parse(deck('help', 'push', '--json'))).toEqual({ ok: true, text: deck('help', 'push') });
  });
});

describe('deck --version', () => {
  test('is the version of the package, wherever it stands before a command', () => {
    expect(deck('--version')).toBe(`${version}\n`);
    expect(deck('-V')).toBe(`${version}\n`);
    expect(JSON.parse(deck('--json', '--version'))).toEqual({ ok: true, version, node: process.version });
  });
});

/** Whether a program is installed here. */
const has = (program: string) => spawnSync(program, ['--version']).status === 0;

describe('the manual page', () => {
  test('has a section for each command, and every option of it', () => {
    const page = deck('help', '--man').replaceAll('\\-', '-');
    for (const name of names) expect(page).toMatch(new RegExp(`^\\.SS deck ${name}\\b`, 'm'));
    for (const [, option] of deck('help', 'publish').matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm))
      expect(page).toMatch(new RegExp(`^\\.B .*${option}`, 'm'));
  });

  (has('groff') ? test : test.skip)('has no line that groff does not understand', () => {
    const options = ['-man', '-Tutf8', '-ww', '-z'];
    expect(spawnSync('groff', options, { input: deck('help', '--man'), encoding: 'utf8' }).stderr).toBe('');
  });
});

/** What each shell offers for a line that ends at the cursor. Each runs the real script. */
const shells: Record<string, (script: string, words: string[]) => string[]> = {
  bash: (script, words) =>
    run(
      'bash',
      ['-c', `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _deck; printf '%s\\n' "\${COMPREPLY[@]}"`],
      words,
    ),
  zsh: (script, words) =>
    run(
      'zsh',
      [
        '-fc',
        // The functions of zsh's completion write to the line editor. These take their place and print.
        `compadd() { while [[ $1 == -* ]] { shift }; print -l -- "$@" }; compdef() { }; _files() { print -l -- *(N) }
_describe() { local each; for each in "\${(@P)2}"; do print -r -- "\${each%%:*}"; done }
${script}\nwords=("$@"); CURRENT=$#; PREFIX=$words[CURRENT]; _deck`,
      ],
      words,
      ({ prefix, lines }) => lines.filter((line) => line.startsWith(prefix)),
    ),
  fish: (script, words) =>
    run('fish', ['--no-config', '-c', `${script}\ncomplete -C "$argv"`], [words.join(' ')]).map(
      (line) => line.split('\t')[0]!,
    ),
};

function run(
  program: string,
  args: string[],
  words: string[],
  filter = ({ lines }: { prefix: string; lines: string[] }) => lines,
): string[] {
  const all = program === 'fish' ? [...args, ...words] : [...args, program, ...words];
  const output = execFileSync(program, all, { cwd: folder, encoding: 'utf8' });
  return filter({ prefix: words.at(-1)!, lines: output.split('\n').filter((line) => line !== '') }).sort();
}

describe.each(Object.keys(shells).filter(has))('the completion of %s', (shell) => {
  let script: string;
  beforeAll(() => {
    script = deck('completion', shell);
  });
  const offers = (...words: string[]) => shells[shell]!(script, ['deck', ...words]);

  test('offers commands', () => {
    expect(offers('pu')).toEqual(names.filter((name) => name.startsWith('pu')).sort());
    expect(offers('help', 'pul')).toEqual(['pull']);
  });

  test('offers the options of the command', () => {
    expect(offers('push', '--en')).toEqual(['--entry']);
    expect(offers('list', '--en')).toEqual([]);
    expect(offers('list', '--base')).toEqual(['--base-url']);
  });

  test('offers the values of options and arguments that have choices', () => {
    expect(offers('publish', '--kind', 'p')).toEqual(['plan', 'presentation']);
    expect(offers('completion', 'b')).toEqual(['bash']);
  });

  test('offers folders where the command takes one', () => {
    expect(offers('push', 'my').map((each) => each.replace(/\\ /g, ' ').replace(/\/$/, ''))).toEqual(['my talk']);
    expect(offers('push', '--title', 'my')).toEqual([]);
  });
});
