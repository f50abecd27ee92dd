import { Command, Option } from 'commander';
import { commandLine } from '../command-line';
import { count, plain } from '../../../client/src/format';
import { listDecks, type DeckRow } from '../../../client/src/service/decks';
import type { DeckService } from '../../../client/src/service/service';
import { withSession, type CommonOptions } from '../session';
import type { Terminal } from '../terminal';
import { linkToHandOut, readDeckState } from '../verbs/open-link';
import { localDay } from '../show-time';

type Order = 'changed' | 'title' | 'views';

interface ListOptions extends CommonOptions {
  search?: string;
  sort?: Order;
}

const orders: Record<Order, (a: DeckRow, b: DeckRow) => number> = {
  changed: (a, b) => (a.updatedAt < b.updatedAt ? 1 : -1),
  title: (a, b) => a.title.localeCompare(b.title),
  views: (a, b) => b.totalViews - a.totalViews,
};

export function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('list your decks and those that you may edit, with their share links')
    .option('--search <text>', 'only decks with this text in their title or id')
    .addOption(
      new Option('--sort <order>', 'the order (default: your own decks first, each last changed first)').choices(
        Object.keys(orders),
      ),
    )
    .action((_options, self: Command) => runList(self.optsWithGlobals(), terminal));
}

async function runList({ search, sort, ...options }: ListOptions, terminal: Terminal): Promise<void> {
  await withSession(options, terminal, async ({ service, baseUrl }) => {
    const decks: DeckRow[] = [];
    for await (const deck of listDecks(service)) {
      if (search !== undefined && !isFound(deck, search)) continue;
      const listed = deck.shareUrlIsPersonal && deck.role === 'owner' ? await withOtherLink(service, deck) : deck;
      decks.push(listed);
      // Without an order a page is shown as soon as it is there.
      if (sort === undefined) show(listed, terminal);
    }
    if (sort !== undefined) for (const deck of decks.sort(orders[sort])) show(deck, terminal);
    if (decks.length === 0)
      terminal.say(
        search === undefined
          ? `There is no deck yet. Make one: ${commandLine('push', '<folder>')}`
          : `No deck has "${search}" in its title or id.`,
      );
    terminal.answer({ baseUrl, decks });
  });
}

/** The deck with the link that its owner may hand out, when the first one belongs to the recipient of a mail. */
async function withOtherLink(service: DeckService, deck: DeckRow): Promise<DeckRow> {
  const state = await readDeckState(service, deck.id);
  const { shareUrl } = linkToHandOut(state, { remembered: undefined, deckWords: [] });
  if (shareUrl === undefined) return deck;
  const { shareUrlIsPersonal: _ofFirst, ...others } = deck;
  return { ...others, shareUrl };
}

function isFound({ title, id }: DeckRow, search: string): boolean {
  return `${title}\n${id}`.toLocaleLowerCase().includes(search.toLocaleLowerCase());
}

function show(deck: DeckRow, terminal: Terminal): void {
  const { id, title, version, role, totalViews, shareUrl, shareUrlIsPersonal, updatedAt, closed } = deck;
  const { bold, cyan, dim, yellow } = terminal.colors;
  const facts = [`version ${version}`, count(totalViews, 'view'), `changed ${localDay(updatedAt)}`];
  if (role === 'dev') facts.push('shared with you');
  if (closed === 'expired') facts.push(yellow('expired'));
  if (closed === 'taken-down') facts.push(yellow('taken down'));
  terminal.say(`${bold(plain(title))}  ${facts.join(', ')}`);
  const none = shareUrlIsPersonal
    ? 'only links that were mailed to their recipients'
    : 'no active link: nobody can open the deck';
  terminal.say(`  ${shareUrl ? cyan(shareUrl) : dim(none)}`);
  terminal.say(dim(`  ${id}`));
}
