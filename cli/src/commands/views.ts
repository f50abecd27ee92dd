import { Command, Option } from 'commander';
import { usageFailure } from '../../../client/src/failure';
import { commandLine } from '../command-line';
import { withDeck, type DeckSession } from '../session';
import { viewLines } from '../show-views';
import type { Terminal } from '../terminal';
import { exportViews, listViews, type Days } from '../verbs/views';
import { deckArgument, deckOption, deckTarget, deckWords, type DeckOptions } from './deck-option';
import { wholeNumber } from './option-values';

interface ViewsOptions extends DeckOptions, Days {
  link?: string;
  email?: string;
  version?: number;
  limit?: number;
  cursor?: string;
  csv?: boolean;
}

const LISTED_VIEWS = 50;

const HELP = `
A view is the visit of a person: your own visits, those of your collaborators and of robots, and those of readers who ask
not to be tracked are not recorded. An address is shown where the reader proved it at the link, and as "mailed to" where
the link was mailed to it and may have been passed on. Other views have the name of their link. Times are local.`;

export function viewsCommand(terminal: Terminal): Command {
  return new Command('views')
    .description('list who viewed a deck, the newest first: when, for how long, and how far')
    .argument('[deck]', deckArgument)
    .addOption(deckOption())
    .option('--link <name|id>', 'only views through this link')
    .option('--email <address>', 'only views by this address')
    .option('--version <version>', 'only views of this version', wholeNumber)
    .option('--from <day>', 'only views that began on this day (UTC) or later, such as 2026-03-14')
    .option('--to <day>', 'only views that began on this day (UTC) or earlier')
    .option('--limit <number>', `the number of views to list, 1 to 100 (default: ${LISTED_VIEWS})`, wholeNumber)
    .option('--cursor <cursor>', 'list the views before those of an earlier list')
    .addOption(
      new Option('--csv', 'write all these views with their slides as CSV').conflicts(['limit', 'cursor', 'json']),
    )
    .addHelpText('after', HELP)
    .action((deck: string | undefined, _options, self: Command) => runViews(deck, self.optsWithGlobals(), terminal));
}

async function runViews(argument: string | undefined, options: ViewsOptions, terminal: Terminal): Promise<void> {
  const target = deckTarget(argument, options);
  await withDeck(target, options, terminal, (deck) =>
    (options.csv ? writeViews : showViews)(deck, options, deckWords(target), terminal),
  );
}

async function showViews(
  { service, presentationId }: DeckSession,
  { limit = LISTED_VIEWS, cursor, ...options }: ViewsOptions,
  words: readonly string[],
  terminal: Terminal,
): Promise<void> {
  if (limit < 1 || limit > 100) throw usageFailure('--limit must be 1 to 100.');
  const filters = filtersOf(options);
  const wanted = { presentationId, deckWords: words, ...filters, limit, cursor };
  const { views, nextCursor } = await listViews(service, wanted);
  const isFiltered = cursor !== undefined || Object.values(filters).some((filter) => filter !== undefined);
  if (views.length === 0) terminal.say(isFiltered ? 'No view was found.' : 'Nobody has viewed the deck yet.');
  for (const line of viewLines(views, terminal.width)) terminal.say(line);
  if (nextCursor !== null) {
    const repeated = Object.entries(filters).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, String(value)],
    );
    terminal.say(`\nOlder views: ${commandLine('views', '--cursor', nextCursor, ...repeated, ...words)}`);
  }
  terminal.answer({ presentationId, views, nextCursor });
}

async function writeViews(
  { service, presentationId }: DeckSession,
  options: ViewsOptions,
  words: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const decoder = new TextDecoder();
  const wanted = { presentationId, deckWords: words, ...filtersOf(options) };
  await exportViews(service, wanted, (bytes) => terminal.stream(decoder.decode(bytes, { stream: true })));
}

const filtersOf = ({ link, email, version, from, to }: ViewsOptions) => ({ link, email, version, from, to });
