import { Command } from 'commander';
import { count, formatBytes, plain } from '../../../client/src/format';
import { columns } from '../columns';
import { withService, type CommonOptions } from '../session';
import { showListings } from '../show-listings';
import type { Terminal } from '../terminal';
import { readListing } from '../verbs/marketplace';
import { localDay } from '../show-time';

export function listingCommand(terminal: Terminal): Command {
  return new Command('listing')
    .description('show a listing of the marketplace')
    .argument('<slug>', 'the slug of the listing')
    .action((slug: string, _options, self: Command) => runListing(slug, self.optsWithGlobals(), terminal));
}

async function runListing(slug: string, options: CommonOptions, terminal: Terminal): Promise<void> {
  const listing = await withService(options, terminal, ({ service }) => readListing(service, { slug }));
  const { owner, version, fileCount, totalBytes, viewCount, createdAt, updatedAt, lineage, status, takedown } = listing;
  showListings([listing], terminal);
  const rows = [
    ['by', plain(`${owner.displayName}, ${owner.organizationName}`)],
    ['version', `${version}, ${count(fileCount, 'file')} (${formatBytes(totalBytes)})`],
    ['published', `${localDay(createdAt)}, changed ${localDay(updatedAt)}`],
    ['views', viewCount.toLocaleString('en')],
    ...(lineage.length > 0 ? [['remixed from', plain(lineage.map((each) => each.slug).join(', '))]] : []),
    ...(status === 'unlisted' ? [['status', 'unlisted: no list shows it']] : []),
    ...(takedown ? [['taken down', plain(takedown.reason)]] : []),
  ];
  for (const line of columns(rows)) terminal.say(`  ${line}`);
  terminal.answer(listing);
}
