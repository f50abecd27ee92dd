import { count, plain } from '../../client/src/format';
import type { Terminal } from './terminal';
import type { ListingRow } from './verbs/marketplace';

/** Shows listings, three lines each. Their texts come from other users. */
export function showListings(listings: readonly ListingRow[], terminal: Terminal): void {
  const { bold, cyan, dim } = terminal.colors;
  for (const { title, slug, kind, description, tags, stars, remixCount, marketplaceUrl } of listings) {
    const facts = [
      kind,
      count(stars, 'star'),
      `${remixCount.toLocaleString('en')} ${remixCount === 1 ? 'remix' : 'remixes'}`,
    ];
    terminal.say(`${bold(plain(title))}  ${dim(slug)}  ${facts.join(', ')}`);
    const tagged = tags.length > 0 ? dim(`  #${plain(tags.join(' #'))}`) : '';
    terminal.say(`  ${plain(description)}${tagged}`);
    terminal.say(`  ${cyan(marketplaceUrl)}`);
  }
}
