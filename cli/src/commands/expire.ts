import { Command } from 'commander';
import { changeDeck } from '../session';
import { localOffset, localTime } from '../show-time';
import type { Terminal } from '../terminal';
import { parseExpiry, setExpiry } from '../verbs/expiry';
import { deckOption, deckTarget, type DeckOptions } from './deck-option';

export function expireCommand(terminal: Terminal): Command {
  return new Command('expire')
    .description('set when the links of a deck stop opening')
    .argument('<when>', 'a date (2031-01-31), a time (2031-01-31T18:00), a duration (30m, 12h, 7d, 2w), or never')
    .addOption(deckOption())
    .action((when: string, _options, self: Command) => runExpire(when, self.optsWithGlobals(), terminal));
}

async function runExpire(when: string, options: DeckOptions, terminal: Terminal): Promise<void> {
  const wanted = parseExpiry(when, new Date());
  await changeDeck(deckTarget(undefined, options), options, terminal, async ({ service, presentationId }) => {
    const expiresAt = await setExpiry(service, { presentationId, expiresAt: wanted });
    const { green, bold } = terminal.colors;
    const local = expiresAt && `${bold(localTime(expiresAt))} (${localOffset(expiresAt)}), that is ${expiresAt}`;
    terminal.say(`${green('✓')} ${local ? `The links expire at ${local}` : 'The links do not expire.'}`);
    terminal.answer({ presentationId, expiresAt });
  });
}
