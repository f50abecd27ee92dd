import { Command } from 'commander';
import { commandLine } from '../command-line';
import { resolveAddress, type AddressOptions } from '../address';
import { count, plain } from '../../../client/src/format';
import { requireKey } from '../keys';
import { connect } from '../connect';
import { listDecks, type DeckRow } from '../../../client/src/service/decks';
import type { Terminal } from '../terminal';

export function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('list your decks and those that you may edit, with their share links')
    .action((_options, self: Command) => runList(self.optsWithGlobals(), terminal));
}

async function runList(options: AddressOptions, terminal: Terminal): Promise<void> {
  const address = await resolveAddress(options);
  const service = connect(address.baseUrl, terminal, requireKey(address));
  try {
    const decks: DeckRow[] = [];
    for await (const deck of listDecks(service)) {
      decks.push(deck);
      show(deck, terminal);
    }
    if (decks.length === 0) terminal.say(`There is no deck yet. Make one: ${commandLine('push', '<folder>')}`);
    terminal.answer({ baseUrl: address.baseUrl, decks });
  } finally {
    service.close();
  }
}

function show({ id, title, version, role, totalViews, shareUrl, updatedAt }: DeckRow, terminal: Terminal): void {
  const { bold, cyan, dim } = terminal.colors;
  const facts = [`version ${version}`, count(totalViews, 'view'), `changed ${updatedAt.slice(0, 10)}`];
  if (role === 'dev') facts.push('shared with you');
  terminal.say(`${bold(plain(title))}  ${facts.join(', ')}`);
  terminal.say(`  ${shareUrl ? cyan(shareUrl) : dim('no share link')}`);
  terminal.say(dim(`  ${id}`));
}
