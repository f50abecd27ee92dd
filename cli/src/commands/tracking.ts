import { Argument, Command } from 'commander';
import { changeDeck } from '../session';
import type { Terminal } from '../terminal';
import { setTracking, type Tracking } from '../verbs/views';
import { deckOption, deckTarget, type DeckOptions } from './deck-option';

const trackings = ['full', 'count'] as const satisfies Tracking[];

const said: Record<Tracking, string> = {
  full: 'Visits of readers are recorded from now on',
  count: 'Loads of the deck are only counted from now on. Views that were recorded stay',
};

export function trackingCommand(terminal: Terminal): Command {
  return new Command('tracking')
    .description('set whether the visits of readers are recorded, or loads are only counted')
    .addArgument(new Argument('<what>', 'full: record visits; count: only count loads').choices(trackings))
    .addOption(deckOption())
    .action((what: Tracking, _options, self: Command) => runTracking(what, self.optsWithGlobals(), terminal));
}

async function runTracking(wanted: Tracking, options: DeckOptions, terminal: Terminal): Promise<void> {
  await changeDeck(deckTarget(undefined, options), options, terminal, async ({ service, presentationId }) => {
    const tracking = await setTracking(service, { presentationId, tracking: wanted });
    terminal.say(`${terminal.colors.green('✓')} ${said[tracking]}`);
    terminal.answer({ presentationId, tracking });
  });
}
