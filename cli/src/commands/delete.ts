import { Command } from 'commander';
import { deleteDeckFile } from '../../../client/src/deck-file';
import { Failure, isFailure, usageFailure } from '../../../client/src/failure';
import { count, plain } from '../../../client/src/format';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { commandLine } from '../command-line';
import { rememberOrWarn } from '../remember';
import { changeDeck } from '../session';
import { forgetLink } from '../share-link';
import type { Terminal } from '../terminal';
import { deleteDeck } from '../verbs/delete-deck';
import { deckArgument, deckOption, deckTarget, type DeckOptions } from './deck-option';

interface DeleteOptions extends DeckOptions {
  yes?: boolean;
}

export function deleteCommand(terminal: Terminal): Command {
  return new Command('delete')
    .description('delete a deck with all its versions, files and links; your local folder stays')
    .argument('[deck]', deckArgument)
    .addOption(deckOption())
    .option('--yes', 'do not ask for the title')
    .action((deck: string | undefined, _options, self: Command) => runDelete(deck, self.optsWithGlobals(), terminal));
}

async function runDelete(name: string | undefined, options: DeleteOptions, terminal: Terminal): Promise<void> {
  const target = deckTarget(name, options);
  await changeDeck(target, options, terminal, async ({ service, baseUrl, presentationId, pushed }) => {
    const deck = await find(service, presentationId);
    if (deck && !options.yes) await confirmDeletion(deck, terminal);
    const deleted = await deleteDeck(service, { presentationId }).catch((error: unknown) => {
      if (!isFailure(error, 'not-found')) throw error;
      throw error.with({ nextAction: `${commandLine('list')} shows your decks.` });
    });
    await forgetLink({ baseUrl, presentationId }, terminal);
    if (pushed) await rememberOrWarn(deleteDeckFile(pushed.folder), terminal, 'Delete it before the next push.');
    const { green, bold } = terminal.colors;
    const { versionsDeleted, listingSlug } = deleted;
    terminal.say(
      `${green('✓')} Deleted ${bold(plain(deck?.title ?? presentationId))}: ${count(versionsDeleted, 'version')} and ` +
        'all links. No link opens it any more.',
    );
    if (listingSlug !== null) terminal.say(`The listing ${listingSlug} is no longer in the marketplace.`);
    if (pushed) terminal.say('The folder and its files are still there. The next push of the folder makes a new deck.');
    terminal.answer({ status: 'deleted', ...deleted });
  });
}

type Deck = Contract['getSharedPresentationInfo']['answer'];

/** The deck, or undefined when it is gone: then the call completes a deletion that was interrupted. */
async function find(service: DeckService, presentationId: string): Promise<Deck | undefined> {
  try {
    return await service.get('getSharedPresentationInfo', { presentationId });
  } catch (error) {
    if (isFailure(error, 'not-found')) return undefined;
    if (!isFailure(error, 'permission-denied')) throw error;
    throw error.with({
      message: `Only the owner may delete the deck ${presentationId}.`,
      nextAction: `${commandLine('leave', presentationId)} ends your access to it.`,
    });
  }
}

/** Asks for the title, or for the id when the title cannot be typed. */
async function confirmDeletion({ id, title, version, totalViews, tokens }: Deck, terminal: Terminal): Promise<void> {
  const links = tokens.filter(({ revoked }) => !revoked).length;
  const shown = plain(title).trim() || id;
  const what = `${count(version, 'version')}, ${count(links, 'link')} and ${count(totalViews, 'view')}`;
  if (!terminal.canPrompt)
    throw usageFailure(`This would delete "${shown}" with ${what}. This cannot be undone.`, 'Confirm it with --yes.');
  const { bold } = terminal.colors;
  terminal.say(`This deletes ${bold(shown)} with ${what}, and its listing if it has one. This cannot be undone.`);
  const answer = await terminal.ask(`Type ${bold(shown)} to delete it:`, () => undefined);
  if (answer !== shown) throw new Failure('That is not the title. Nothing was deleted.', { code: 'not-confirmed' });
}
