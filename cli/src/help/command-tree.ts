import type { EventEmitter } from 'node:events';
import type { Command, Option } from 'commander';
import type { ValueKind } from '../commands/complete';

/** A command as the completions and the manual page describe it. */
export interface CommandNode {
  /** The words of the command: `deck links add`. */
  path: string;
  name: string;
  description: string;
  /** The topic in the help of its parent. */
  topic: string;
  command: Command;
  options: readonly Option[];
  commands: readonly CommandNode[];
  /** The values that an argument of the command may have. */
  choices: readonly string[];
  /** What the client knows values of, for the arguments of the command. */
  values: readonly ValueKind[];
  /** Whether an argument of the command is a folder or a file. */
  takesFiles: boolean;
}

/** What arguments and options of these names are. */
const kinds: Readonly<Record<string, ValueKind>> = { deck: 'decks', link: 'links', profile: 'profiles' };

/** The command with its visible options and subcommands. The program must hold all commands. */
export function commandTree(command: Command, parents: readonly string[] = []): CommandNode {
  const help = command.createHelp();
  const path = [...parents, command.name()];
  return {
    path: path.join(' '),
    name: command.name(),
    description: command.description(),
    topic: command.helpGroup(),
    command,
    options: help.visibleOptions(command),
    commands: help.visibleCommands(command).map((each) => commandTree(each, path)),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    values: command.registeredArguments.map((argument) => kinds[argument.name()]).filter((kind) => kind !== undefined),
    takesFiles: command.registeredArguments.some((argument) => /folder|file|^deck$/.test(argument.name())),
  };
}

/** The command and all below it. */
export function allNodes(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap(allNodes)];
}

/** The spellings of an option: `--version`, `-V`. */
export function spellings({ long, short }: Option): string[] {
  return [long, short].filter((each) => each !== undefined);
}

/** What the client knows values of, for an option. */
export const kindOf = (option: Option): ValueKind | undefined => kinds[option.attributeName()];

export function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** What `addHelpText('after', …)` adds to the help of a command. */
export function textAfter(command: Command): string {
  const parts: string[] = [];
  // Commander emits this event for the help. Its types do not declare that a command is an EventEmitter.
  const emitter = command as unknown as EventEmitter;
  emitter.emit('afterHelp', { command, error: false, write: (part: string) => parts.push(part) });
  return parts.join('').trim();
}
