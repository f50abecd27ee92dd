import { Command, Option } from 'commander';
import { commandLine } from '../command-line';
import { listingKinds, listingOrders } from '../listing-choices';
import { withService, type CommonOptions } from '../session';
import { showListings } from '../show-listings';
import type { Terminal } from '../terminal';
import { searchListings, type ListingFilter } from '../verbs/marketplace';
import { wholeNumber } from './option-values';

export function searchCommand(terminal: Terminal): Command {
  return new Command('search')
    .description('find listings in the marketplace')
    .argument('[words...]', 'words of the title, the tags, the author’s name or the description, or their beginnings')
    .addOption(new Option('--kind <kind>', 'only listings of this kind').choices(listingKinds))
    .option('--tag <tag>', 'only listings with this tag')
    .option('--stack <technology>', 'only listings with this technology')
    .option('--category <category>', 'only listings of this category')
    .option('--author <id>', 'only listings of this author: the authorId of a listing')
    .addOption(
      new Option('--sort <order>', 'the order (default: with words the best matches first, else the newest)').choices(
        listingOrders,
      ),
    )
    .option('--limit <number>', 'show at most so many listings', wholeNumber, 20)
    .action((words: string[], _options, self: Command) => runSearch(words, self.optsWithGlobals(), terminal));
}

async function runSearch(words: string[], options: CommonOptions & ListingFilter, terminal: Terminal): Promise<void> {
  const { kind, tag, stack, category, author, sort, limit } = options;
  const filter = { words, kind, tag, stack, category, author, sort, limit };
  const found = await withService(options, terminal, ({ service }) => searchListings(service, filter));
  const { listings, isComplete } = found;
  showListings(listings, terminal);
  const { dim } = terminal.colors;
  if (listings.length === 0) terminal.say('No listing matches.');
  if (!isComplete) terminal.say(dim('There may be more listings. Raise --limit, or search for a tag or a kind.'));
  if (listings.length > 0) terminal.say(dim(`Copy one as your own deck: ${commandLine('remix', '<slug>')}`));
  terminal.answer({ listings, isComplete });
}
