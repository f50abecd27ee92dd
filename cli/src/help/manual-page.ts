import type { Command } from 'commander';
import { version } from '../../package.json';
import { allNodes, commandTree, textAfter, type CommandNode } from './command-tree';

/**
 * The manual page of `deck` in the format of man(7), from the commands themselves. The build writes it into the
 * package, so that `man deck` shows what `--help` shows.
 */
export function manualPage(deck: Command): string {
  const [root, ...nodes] = allNodes(commandTree(deck));
  return [
    `.TH DECK 1 "" "deckhost ${version}" "User Commands"`,
    ...section('NAME', [`deck \\- ${roff(uncapitalized(deck.description()))}`]),
    ...section('SYNOPSIS', ['.B deck', '.I command', '[\\fIoptions\\fR]']),
    ...section('DESCRIPTION', [roff(deck.description())]),
    ...section('OPTIONS', common(root!)),
    ...section('COMMANDS', nodes.flatMap(about)),
    ...paragraphsAfter(deck).flatMap(titled),
    '',
  ].join('\n');
}

const section = (title: string, lines: readonly string[]) => [`.SH ${title}`, ...lines];

const uncapitalized = (text: string) => (text.charAt(0).toLowerCase() + text.slice(1)).replace(/\.$/, '');

const unicode = (character: string) => `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`;

/**
 * Text of one or more lines. A line of a manual page must not begin with a point or an apostrophe, and groff reads
 * ASCII only.
 */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '')
    .replace(/^(['.])/gm, '\\&$1')
    .replace(/[^\p{ASCII}]/gu, unicode);
}

function common({ options }: CommandNode): string[] {
  return options.flatMap(({ flags, description }) => ['.TP', `.B ${roff(flags)}`, roff(description)]);
}

/** The options that every command has are described once. */
const isCommon = new Set(['--base-url', '--profile', '--json', '--help']);

function about({ path, command, options, description }: CommandNode): string[] {
  const own = options.filter(({ long }) => long === undefined || !isCommon.has(long));
  const shown = own.flatMap(({ flags, description: text }) => ['.TP', `.B ${roff(flags)}`, roff(text)]);
  const operands = command.registeredArguments.map((argument) => [
    '.TP',
    `.I ${roff(argument.name())}`,
    roff(argument.description),
  ]);
  const usage = `.SS ${path} ${command.usage().replace('[options] ', '').replace('[options]', '')}`.trimEnd();
  return [
    roff(usage).replace('\\&.SS', '.SS'),
    roff(description),
    ...(shown.length + operands.length > 0 ? ['.RS', ...operands.flat(), ...shown, '.RE'] : []),
    ...paragraphsAfter(command).flatMap((paragraph) => ['.PP', ...body(paragraph)]),
  ];
}

/** What `addHelpText('after', …)` adds to the help, in paragraphs. */
const paragraphsAfter = (command: Command): string[] =>
  textAfter(command)
    .split(/\n\n+/)
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** The lines of a paragraph. A line with a name, two spaces and a text becomes an entry of a list. */
function body(paragraph: string): string[] {
  return paragraph.split('\n').flatMap((line) => {
    const [, name, text = ''] = /^ *(\S.*?) {2,}(\S.*)$/.exec(line) ?? [];
    return name === undefined ? [roff(line.trim())] : ['.TP', `.B ${roff(name)}`, roff(text)];
  });
}

/** A paragraph such as `Environment:` with its lines becomes a section. */
function titled(paragraph: string): string[] {
  const [, title = 'NOTES', text = paragraph] = /^([A-Z][\w ]*): *\n?([^]*)$/.exec(paragraph) ?? [];
  return section(title.toUpperCase(), body(text));
}
