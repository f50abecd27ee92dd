import { Command } from 'commander';
import { commandLine } from '../command-line';
import { withSession, type CommonOptions } from '../session';
import type { Terminal } from '../terminal';
import { leaveDeck } from '../verbs/collaborators';

export function leaveCommand(terminal: Terminal): Command {
  return new Command('leave')
    .description('end your access to a deck that another user shared with you')
    .argument('<id>', 'the id of the deck, as `deck list` shows it')
    .action((id: string, _options, self: Command) => runLeave(id, self.optsWithGlobals(), terminal));
}

async function runLeave(presentationId: string, options: CommonOptions, terminal: Terminal): Promise<void> {
  await withSession(options, terminal, ({ service }) => leaveDeck(service, { presentationId }));
  const { green, bold } = terminal.colors;
  terminal.say(
    `${green('✓')} Left the deck ${bold(presentationId)}: \`${commandLine('list')}\` does not show it any more.`,
  );
  terminal.answer({ status: 'left', presentationId });
}
