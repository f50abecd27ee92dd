import { Command } from 'commander';
import { withService, type CommonOptions } from '../session';
import { showListings } from '../show-listings';
import type { Terminal } from '../terminal';
import { listRemixes } from '../verbs/marketplace';
import { wholeNumber } from './option-values';

export function remixesCommand(terminal: Terminal): Command {
  return new Command('remixes')
    .description('list the public listings that were remixed from a listing')
    .argument('<slug>', 'the slug of the listing')
    .option('--limit <number>', 'show at most so many listings', wholeNumber, 100)
    .action((slug: string, _options, self: Command) => runRemixes(slug, self.optsWithGlobals(), terminal));
}

async function runRemixes(slug: string, options: CommonOptions & { limit: number }, terminal: Terminal): Promise<void> {
  const { limit } = options;
  const found = await withService(options, terminal, ({ service }) => listRemixes(service, { slug, limit }));
  showListings(found.listings, terminal);
  if (found.listings.length === 0) terminal.say('There is no public remix of this listing.');
  if (!found.isComplete) terminal.say(terminal.colors.dim('There are more remixes. Raise --limit to see them.'));
  terminal.answer({ slug, remixes: found.listings, isComplete: found.isComplete });
}
