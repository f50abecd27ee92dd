import { Command } from 'commander';
import { commandLine } from '../command-line';
import { resolveAddress, type Address, type AddressOptions } from '../address';
import { Failure, isFailure, usageFailure } from '../../../client/src/failure';
import { requireKey } from '../keys';
import { confirmFolder } from '../confirm-folder';
import { connect } from '../connect';
import type { DeckFolder } from '../known-folders';
import { requirePushedDeck } from '../pushed-deck';
import { isSlug, SLUG_HINT } from '../../../client/src/slugs';
import type { Terminal } from '../terminal';

export function unpublishCommand(terminal: Terminal): Command {
  return new Command('unpublish')
    .description('remove a listing from the lists of the marketplace')
    .argument('[folder]', 'the folder that was published (default: this folder)')
    .option('--slug <slug>', 'the listing, in place of a folder')
    .action((folder: string | undefined, _options, self: Command) =>
      runUnpublish(folder, self.optsWithGlobals(), terminal),
    );
}

interface UnpublishOptions extends AddressOptions {
  slug?: string;
}

/** Unlists the listing. Its address still opens it, and `deck publish` makes it public again. */
async function runUnpublish(folder: string | undefined, options: UnpublishOptions, terminal: Terminal): Promise<void> {
  const { slug, address, place } = await findListing(folder, options);
  const service = connect(address.baseUrl, terminal, requireKey(address, terminal));
  try {
    const otherwise = `If you mean this listing, name it: ${commandLine('unpublish', '--slug', slug)}`;
    if (place) await confirmFolder(service, place, otherwise, terminal);
    const { marketplaceUrl } = await service.post('updateMarketplaceListing', { slug, status: 'unlisted' });
    const { green, bold } = terminal.colors;
    terminal.say(`${green('✓')} Unlisted ${bold(slug)}: the lists of the marketplace no longer show it.`);
    terminal.say(`Everyone who has its address can still open it: ${marketplaceUrl}`);
    terminal.answer({ status: 'unlisted', slug, marketplaceUrl });
  } catch (error) {
    if (!isFailure(error, 'not-found')) throw error;
    throw error.with({ message: `There is no listing ${slug}.`, nextAction: SLUG_HINT });
  } finally {
    service.close();
  }
}

interface Found {
  slug: string;
  address: Address;
  /** The folder whose `.deck.json` names the listing. */
  place?: DeckFolder;
}

async function findListing(name: string | undefined, { slug: chosen, ...options }: UnpublishOptions): Promise<Found> {
  if (chosen !== undefined) {
    if (name !== undefined) throw usageFailure('A folder and --slug cannot be used together.');
    if (!isSlug(chosen)) throw usageFailure(`"${chosen}" is not a slug.`, SLUG_HINT);
    return { slug: chosen, address: await resolveAddress(options) };
  }
  const { folder, deckFile, address } = await requirePushedDeck(name ?? '.', options);
  const { listing: slug, presentationId, baseUrl } = deckFile;
  if (slug === undefined)
    throw new Failure('The .deck.json of this folder does not name a listing.', {
      code: 'not-published',
      nextAction: `Name the listing by its slug: ${commandLine('unpublish', '--slug', '<slug>')}`,
    });
  return { slug, address, place: { folder, baseUrl, presentationId, listing: slug } };
}
