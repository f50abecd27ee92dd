import { Command } from 'commander';
import { changeDeckFile } from '../../../client/src/deck-file';
import { plain } from '../../../client/src/format';
import { rememberOrWarn } from '../remember';
import { changeDeck } from '../session';
import type { Terminal } from '../terminal';
import { renameDeck } from '../verbs/rename';
import { deckOption, deckTarget, type DeckOptions } from './deck-option';

export function renameCommand(terminal: Terminal): Command {
  return new Command('rename')
    .description('change the title of a deck, without a new version')
    .argument('<title>', 'the new title, of 1 to 255 characters')
    .addOption(deckOption())
    .action((title: string, _options, self: Command) => runRename(title, self.optsWithGlobals(), terminal));
}

async function runRename(wanted: string, options: DeckOptions, terminal: Terminal): Promise<void> {
  await changeDeck(deckTarget(undefined, options), options, terminal, async ({ service, presentationId, pushed }) => {
    const title = await renameDeck(service, { presentationId, title: wanted });
    // The next push compares its title with the one of the last push.
    if (pushed)
      await rememberOrWarn(
        changeDeckFile(pushed.folder, (file) => file && { ...file, title }),
        terminal,
      );
    const { green, bold } = terminal.colors;
    terminal.say(`${green('✓')} The deck is now called ${bold(plain(title))}`);
    terminal.answer({ presentationId, title });
  });
}
