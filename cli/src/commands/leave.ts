import { Command } from 'commander';
import { commandLine } from '../command-line';
import { changeDeck, type CommonOptions } from '../session';
import type { Terminal } from '../terminal';
import { leaveDeck } from '../verbs/collaborators';

/** `deck leave` and `deck collaborators leave`. The deck has no default: it is left at once. */
export function leaveCommand(terminal: Terminal): Command {
  return new Command('leave')
    .description('end your access to a deck that another user shared with you')
    .argument('<deck>', 'the id of the deck, as `deck list` shows it, or a folder that was pushed')
    .action((deck: string, _options, self: Command) => runLeave(deck, self.optsWithGlobals(), terminal));
}

async function runLeave(target: string, options: CommonOptions, terminal: Terminal): Promise<void> {
  await changeDeck(target, options, terminal, async ({ service, presentationId }) => {
    await leaveDeck(service, { presentationId });
    const { green, bold } = terminal.colors;
    terminal.say(
      `${green('✓')} You left the deck ${bold(presentationId)}. \`${commandLine('list')}\` no longer shows it.`,
    );
    terminal.answer({ status: 'left', presentationId });
  });
}
