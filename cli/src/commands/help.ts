import { Command } from 'commander';
import { usageFailure } from '../../../client/src/failure';
import { commandLine } from '../command-line';
import { manualPage } from '../help/manual-page';
import type { Terminal } from '../terminal';

export function helpCommand(terminal: Terminal): Command {
  return new Command('help')
    .description('show the help of a command')
    .argument('[command...]', 'the command, and its subcommand')
    .option('--man', 'show the manual page of the whole client in the format of man')
    .action((words: string[], _options, self: Command) => runHelp(words, self, terminal));
}

function runHelp(words: readonly string[], self: Command, terminal: Terminal): void {
  const deck = self.parent!;
  const text = self.opts<{ man?: boolean }>().man ? manualPage(deck) : helpOf(commandNamed(words, deck));
  if (terminal.json) terminal.answer({ help: text });
  else process.stdout.write(text);
}

function commandNamed(words: readonly string[], deck: Command): Command {
  let command = deck;
  for (const word of words) {
    const found = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (!found)
      throw usageFailure(`There is no command "${words.join(' ')}".`, `\`${commandLine('help')}\` shows all commands.`);
    command = found;
  }
  return command;
}

/** The help with the texts before and after it. */
function helpOf(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => parts.push(part) }).outputHelp();
  return parts.join('');
}
