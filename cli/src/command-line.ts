import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plain } from '../../client/src/format';

/** The options with which the user chose the service. Hints repeat them. */
interface GivenOptions {
  baseUrl?: string | undefined;
  profile?: string | undefined;
}

let given: GivenOptions = {};

/** Writes a command for another reader than a shell. Undefined for a command that this reader cannot run. */
export type CommandRenderer = (words: readonly string[]) => string | undefined;

let render: CommandRenderer | undefined;

/** From now on, hints name commands as the renderer writes them: an agent reads the names of its tools. */
export function renderCommands(renderer: CommandRenderer): void {
  render = renderer;
}

/** Keeps the options of the running command for the hints. */
export function keepOptions({ baseUrl, profile }: GivenOptions): void {
  given = { baseUrl, profile };
}

/**
 * A command for a hint, in the form in which its reader can run it. At a terminal: with the words that started the
 * client, and with `--base-url` and `--profile` if the user gave them. Each word is quoted where a shell needs it. A
 * placeholder such as `<code>` stays as it is.
 *
 *     commandLine('login', '--publish')   deck login --publish
 */
export function commandLine(...words: string[]): string {
  const rendered = render?.(words);
  if (rendered !== undefined) return rendered;
  const options = [
    ...(given.baseUrl !== undefined && !words.includes('--base-url') ? ['--base-url', given.baseUrl] : []),
    ...(given.profile !== undefined && !words.includes('--profile') ? ['--profile', given.profile] : []),
  ];
  return [...startingWords(process.argv[1] ?? ''), ...words, ...options].map(shellWord).join(' ');
}

/**
 * The command that gets the client from a service, of this version. npx keeps what it has got from an address, so that
 * the address for npx names the version.
 */
export function installCommand(download: string, version: string): string {
  const words = isStartedByNpx() ? ['npx', `${download}?${version}`] : ['npm', 'install', '--global', download];
  return words.map(shellWord).join(' ');
}

function isStartedByNpx(): boolean {
  return startingWords(process.argv[1] ?? '')[0] === 'npx';
}

/**
 * The words that start the client. npx runs it from `_npx/<hash>/node_modules/.bin` and writes what it was asked for
 * into `_npx/<hash>/package.json`: a name, an address, a packed file, or the folder of a project. A project that has
 * the package among its own runs it from its `node_modules/.bin`, which only npx finds. Everything else is an
 * installed command.
 */
export function startingWords(script: string): string[] {
  const packages = /^(.*)[\\/]node_modules[\\/]/.exec(script)?.[1];
  if (packages !== undefined && /[\\/]_npx[\\/]/.test(script)) return ['npx', askedOfNpx(packages)];
  return /[\\/]node_modules[\\/]\.bin[\\/]/.test(script) ? ['npx', 'deckhost'] : ['deck'];
}

function askedOfNpx(folder: string): string {
  try {
    const text = readFileSync(join(folder, 'package.json'), 'utf8');
    const asked = (JSON.parse(text) as { _npx?: { packages?: unknown[] } })._npx?.packages?.[0];
    return typeof asked === 'string' && /^https?:|\.tgz$|^deckhost@/.test(asked) ? asked : 'deckhost';
  } catch {
    return 'deckhost';
  }
}

/** A word as a shell reads it. Control characters, which could command the terminal, become spaces. */
export function shellWord(text: string): string {
  const word = plain(text);
  if (/^[\w@%+=:,./-]+$|^<[a-z -]+>$|^…$/.test(word)) return word;
  return process.platform === 'win32' ? `"${word.replaceAll('"', '""')}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}
