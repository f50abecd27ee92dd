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
  if (self.opts<{ man?: boolean }>().man) terminal.help(manualPage(deck));
  else commandNamed(words, deck).outputHelp();
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
