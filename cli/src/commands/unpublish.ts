import { Command } from 'commander';
import { resolveAddress } from '../address';
import { readDeckFile } from '../deck-file';
import { Failure, isFailure } from '../failure';
import type { Address } from '../keys';
import { requireKey } from '../keys';
import { requirePushedDeck } from '../pushed-deck';
import { connect } from '../service/connect';
import { isSlug, whereSlugsAre } from '../slugs';
import type { Terminal } from '../terminal';

export function unpublishCommand(terminal: Terminal): Command {
  return new Command('unpublish')
    .description('take a listing out of the lists of the marketplace')
    .argument('[folder|slug]', 'the folder that was published, or the slug of the listing', '.')
    .action((name: string, _options, self: Command) => runUnpublish(name, self.optsWithGlobals(), terminal));
}

/** `deck unpublish [folder | slug]`: takes the listing out of the lists. Its address goes on to open it, and `deck publish` brings it back. */
async function runUnpublish(name: string, options: { baseUrl?: string }, terminal: Terminal): Promise<void> {
  const { slug, address } = await findListing(name, options.baseUrl);
  const service = connect(address.baseUrl, terminal, await requireKey(address));
  try {
    const { marketplaceUrl } = await service.post('updateMarketplaceListing', { slug, status: 'unlisted' });
    const { green, bold } = terminal.colors;
    terminal.say(`${green('✓')} Unlisted ${bold(slug)}: no list of the marketplace shows it any more.`);
    terminal.say(`Whoever has its address still sees it: ${marketplaceUrl}`);
    terminal.answer({ status: 'unlisted', slug, marketplaceUrl });
  } catch (error) {
    if (!isFailure(error, 'not-found')) throw error;
    throw error.with({
      message: `There is no listing ${slug}, and no pushed folder of that name.`,
      nextAction: whereSlugsAre,
    });
  } finally {
    service.close();
  }
}

/** A pushed folder goes before a slug; any other folder may well have the name of a listing that is meant. */
async function findListing(name: string, baseUrl: string | undefined): Promise<{ slug: string; address: Address }> {
  if (isSlug(name) && !(await readDeckFile(name))) return { slug: name, address: resolveAddress(baseUrl) };
  const { deckFile, address } = await requirePushedDeck(name, baseUrl);
  if (deckFile.listing === undefined)
    throw new Failure('This folder knows of no listing of its deck.', {
      code: 'not-published',
      nextAction: 'Name the listing by its slug: deck unpublish <slug>',
    });
  return { slug: deckFile.listing, address };
}
