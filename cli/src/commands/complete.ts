import { Argument, Command } from 'commander';
import { readDeckFile } from '../../../client/src/deck-file';
import { plain } from '../../../client/src/format';
import { resolveAddress } from '../address';
import { isDeckId } from '../deck-id';
import { findKey } from '../keys';
import { readProfiles } from '../profiles';
import { withSession } from '../session';
import type { Terminal } from '../terminal';
import { readInfo } from '../verbs/links';
import { deckOption, type DeckOptions } from './deck-option';

/** What a shell can ask for. */
const valueKinds = ['decks', 'links', 'profiles'] as const;
export type ValueKind = (typeof valueKinds)[number];

/** Nobody waits longer for a completion. */
const PATIENCE_MILLISECONDS = 1_500;

interface Value {
  value: string;
  /** What it is, for shells that show it. */
  about: string;
}

/**
 * For the scripts of `deck completion`: prints a value in each line, with what it is behind a tab, and nothing when the
 * values cannot be found quickly.
 */
export function completeCommand(terminal: Terminal): Command {
  return new Command('complete')
    .description('print the values that a shell completes')
    .addArgument(new Argument('<kind>', 'what the values are').choices(valueKinds))
    .addOption(deckOption())
    .action(async (kind: ValueKind, _options, self: Command) => {
      const found = await valuesOf(kind, self.optsWithGlobals(), terminal).catch(() => []);
      terminal.help(found.map(({ value, about }) => `${plain(value)}\t${plain(about)}\n`).join(''));
    });
}

async function valuesOf(kind: ValueKind, options: DeckOptions, terminal: Terminal): Promise<Value[]> {
  if (kind === 'profiles') return (await readProfiles()).map(({ name, baseUrl }) => ({ value: name, about: baseUrl }));
  const folder = options.deck ?? '.';
  const deckFile = kind === 'links' && !isDeckId(folder) ? await readDeckFile(folder) : undefined;
  const deck = deckFile?.presentationId ?? folder;
  const address = await resolveAddress(options, deckFile?.baseUrl);
  const key = findKey(address, terminal);
  if (key === undefined || (kind === 'links' && !isDeckId(deck))) return [];
  const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS);
  return withSession({ account: { baseUrl: address.baseUrl, key } }, terminal, async ({ service }) => {
    if (kind === 'links') {
      const { tokens } = await readInfo(service, deck, signal);
      return tokens.filter(({ revoked }) => !revoked).map(({ name }) => ({ value: name, about: 'a link' }));
    }
    const { presentations } = await service.get('listMyPresentations', {}, { canRepeat: false, signal });
    return presentations.map(({ id, title }) => ({ value: id, about: title }));
  });
}
