import { Command } from 'commander';
import { resolveAddress } from '../address';
import { isFailure } from '../../../client/src/failure';
import { requireKey } from '../keys';
import { connect } from '../connect';
import type { Terminal } from '../terminal';

export function leaveCommand(terminal: Terminal): Command {
  return new Command('leave')
    .description('end your access to a deck that another user shared with you')
    .argument('<id>', 'the id of the deck, as `deck list` shows it')
    .action((id: string, _options, self: Command) => runLeave(id, self.optsWithGlobals(), terminal));
}

async function runLeave(presentationId: string, options: { baseUrl?: string }, terminal: Terminal): Promise<void> {
  const address = resolveAddress(options.baseUrl);
  const service = connect(address.baseUrl, terminal, await requireKey(address));
  try {
    await service.post('leavePresentation', { presentationId });
    const { green, bold } = terminal.colors;
    terminal.say(`${green('✓')} Left the deck ${bold(presentationId)}: \`deck list\` does not show it any more.`);
    terminal.answer({ status: 'left', presentationId });
  } catch (error) {
    if (!isFailure(error, 'not-found', 'permission-denied')) throw error;
    throw error.with({
      message: `The deck ${presentationId} does not exist, or is not shared with you.`,
      nextAction: '`deck list` shows the decks that are shared with you.',
    });
  } finally {
    service.close();
  }
}
