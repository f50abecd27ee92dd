import type { Argument, Command, Option } from 'commander';
import { program } from '../program';
import { Terminal } from '../terminal';
import { allNodes, commandTree, textAfter, type CommandNode } from './command-tree';

/** The text of docs/commands.md: every command with its arguments and options, from the commands themselves. */
export async function commandsPage(): Promise<string> {
  const deck = await program(new Terminal({ json: false }), []);
  const [root, ...nodes] = allNodes(commandTree(deck));
  const common = root!.options.map(optionRow);
  return `# Commands

${root!.description} \`deck help <command>\` shows the same texts in the terminal.

${topicsOf(root!)}

## Options of every command

${table(common)}

${after(deck)}

${nodes.map((node) => section(node, new Set(root!.options.map(({ flags }) => flags)))).join('\n\n')}
`;
}

function topicsOf({ commands }: CommandNode): string {
  const topics = new Map<string, string[]>();
  for (const { name, topic, description } of commands) {
    const lines = topics.get(topic) ?? [];
    topics.set(topic, [...lines, `- [\`deck ${name}\`](#deck-${name}): ${description}`]);
  }
  return [...topics].map(([topic, lines]) => `**${topic.replace(/:$/, '')}**\n\n${lines.join('\n')}`).join('\n\n');
}

function section({ path, command, description, options }: CommandNode, common: ReadonlySet<string>): string {
  const own = options.filter(({ flags, long }) => !common.has(flags) && long !== '--help');
  const rows = [...command.registeredArguments.map(argumentRow), ...own.map(optionRow)];
  const usage = `${path} ${command.usage().replace(/\[options\] ?/, own.length > 0 ? '[options] ' : '')}`.trim();
  return [`## ${path}`, description, `\`\`\`\n${usage}\n\`\`\``, rows.length > 0 && table(rows), after(command)]
    .filter(Boolean)
    .join('\n\n');
}

const argumentRow = (argument: Argument) => [argument.name(), argument.description];
const optionRow = ({ flags, description }: Option) => [flags, description];

const table = (rows: readonly string[][]) =>
  `| Argument or option | Meaning |\n|---|---|\n${rows.map(([name, text]) => `| ${cell(`\`${name}\``)} | ${cell(text!)} |`).join('\n')}`;

/** A cell of a table. Outside of code a `<` would begin an HTML tag. */
const cell = (text: string) =>
  text.replaceAll('|', '\\|').replace(/(`[^`]*`)|</g, (_, code?: string) => code ?? '&lt;');

/** What `addHelpText('after', …)` adds to the help, as it stands there. */
function after(command: Command): string {
  const text = textAfter(command);
  return text === '' ? '' : `\`\`\`\n${text}\n\`\`\``;
}
