import { Command } from 'commander';
import { count, formatBytes, plain } from '../../../client/src/format';
import { withDeck } from '../session';
import { showNotices } from '../show-notices';
import { localTime } from '../show-time';
import type { Terminal } from '../terminal';
import { describeDeck, type DeckInfo } from '../verbs/deck-info';
import type { LinkState } from '../verbs/links';
import { linkToHandOut } from '../verbs/open-link';
import { deckArgument, deckOption, deckTarget, deckWords, type DeckOptions } from './deck-option';

export function infoCommand(terminal: Terminal): Command {
  return new Command('info')
    .description('show a deck: versions, size, slides, links, views, expiry, listing and addresses')
    .argument('[deck]', deckArgument)
    .addOption(deckOption())
    .action((deck: string | undefined, _options, self: Command) => runInfo(deck, self.optsWithGlobals(), terminal));
}

async function runInfo(argument: string | undefined, options: DeckOptions, terminal: Terminal): Promise<void> {
  const target = deckTarget(argument, options);
  await withDeck(target, options, terminal, async ({ service, baseUrl, presentationId, pushed }) => {
    const deck = await describeDeck(service, { presentationId });
    const { shareUrl, notices } = linkToHandOut(deck, { remembered: undefined, deckWords: deckWords(target) });
    terminal.say(terminal.colors.bold(plain(deck.title)));
    const rows = rowsOf(deck, shareUrl, pushed?.deckFile.version);
    const width = Math.max(...rows.map(([label]) => label.length));
    for (const [label, text] of rows) terminal.say(`  ${label.padEnd(width)}  ${text}`);
    showNotices(notices, terminal);
    const { own, presentationId: id, ...rest } = deck;
    const role = own ? 'owner' : 'dev';
    terminal.answer({ id, baseUrl, role, ...rest, ...own, shareUrl: shareUrl ?? null });
  });
}

function rowsOf(deck: DeckInfo, shareUrl: string | undefined, folderVersion: number | undefined): [string, string][] {
  const { version, versions, slides, own, listing, expiresAt, lastViewedAt, totalViews } = deck;
  const { count: stored, fileCount, totalBytes } = versions;
  const folder = folderVersion === undefined || folderVersion === version ? '' : ` (this folder has ${folderVersion})`;
  const views = `${count(totalViews, 'view')}${lastViewedAt === null ? '' : `, last ${localTime(lastViewedAt)}`}`;
  const rows: [string, string][] = [
    ['id', deck.presentationId],
    ['version', `${version}${folder}, ${count(stored, 'version')} stored, changed ${localTime(deck.updatedAt)}`],
    ['size', `${count(fileCount, 'file')}, ${formatBytes(totalBytes)}`],
    ['slides', slides.pictures === 0 ? 'no pictures' : `${slides.count}, ${count(slides.pictures, 'picture')}`],
    ['made', `${localTime(deck.createdAt)}${own ? '' : ' by another user, who shared it with you'}`],
    ['views', views],
    ['expires', expiresAt === null ? 'never' : localTime(expiresAt)],
  ];
  if (own) rows.push(['links', linkCounts(own.links)]);
  if (own?.tracking === 'count') rows.push(['readers', 'loads are counted, visits are not recorded']);
  if (shareUrl !== undefined) rows.push(['address', shareUrl]);
  if (listing) {
    const state = listing.isTakenDown ? 'taken down' : listing.status;
    rows.push(['listing', `${listing.slug}, ${state}, shows version ${listing.version}`]);
    rows.push(['', listing.marketplaceUrl]);
  }
  return rows;
}

function linkCounts(links: readonly { state: LinkState }[]): string {
  const counted = (wanted: LinkState) => links.filter(({ state }) => state === wanted).length;
  const ended = (['expired', 'used-up'] as const).filter((state) => counted(state) > 0);
  return (['active', ...ended, 'revoked'] as const).map((state) => `${counted(state)} ${state}`).join(', ');
}
