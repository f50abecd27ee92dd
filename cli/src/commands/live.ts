import { Command, Option } from 'commander';
import { renderUnicodeCompact } from 'uqr';
import { commandLine } from '../command-line';
import { changeDeck, type DeckSession } from '../session';
import { localTime } from '../show-time';
import type { Terminal } from '../terminal';
import { endLive, readLive, startLive, type StartedLive } from '../verbs/live';
import { deckArgument, deckOption, deckTarget, deckWords, type DeckOptions } from './deck-option';
import { steerLive } from './live-steering';

interface LiveOptions extends DeckOptions {
  link?: string;
  end?: boolean;
}

const HELP = `
It starts a session, or finds the one that runs. Open the presenter's link on the computer that presents, or on your
phone as a remote control; the audience opens the ordinary link. In a terminal the command stays, and its keys move the
deck of the page that presents. It leaves the session running when it ends: --end ends it, as do 8 hours.

Keys:
  n, space, right, down, page down   next
  p, left, up, page up               previous
  o                                  open the presenter's link in the browser
  q                                  leave`;

export function liveCommand(terminal: Terminal): Command {
  return new Command('live')
    .description('present a deck live: the decks of the audience follow yours')
    .argument('[deck]', deckArgument)
    .addOption(deckOption())
    .option('--link <name|id>', 'the link that the audience opens (default: the one that the deck shows)')
    .addOption(new Option('--end', 'end the session; the decks of the audience stay where they are').conflicts('link'))
    .addHelpText('after', HELP)
    .action((deck: string | undefined, _options, self: Command) => runLive(deck, self.optsWithGlobals(), terminal));
}

async function runLive(argument: string | undefined, options: LiveOptions, terminal: Terminal): Promise<void> {
  const target = deckTarget(argument, options);
  await changeDeck(target, options, terminal, (deck) =>
    options.end ? end(deck, terminal) : present(deck, deckWords(target), options, terminal),
  );
}

async function end({ service, presentationId }: DeckSession, terminal: Terminal): Promise<void> {
  const ended = await endLive(service, { presentationId });
  terminal.say(ended ? `${terminal.colors.green('✓')} The live session has ended` : 'No live session runs.');
  terminal.answer({ presentationId, ended });
}

async function present(
  { service, presentationId }: DeckSession,
  deckWords: readonly string[],
  { link }: LiveOptions,
  terminal: Terminal,
): Promise<void> {
  const started = await startLive(service, { presentationId, deckWords, link });
  const state = await readLive(service, { presentationId });
  const { followers = 0, hasPresenter = false, slide = null } = state ?? {};
  terminal.answer({ presentationId, ...started, followers, hasPresenter, slide });
  showAddresses(started, terminal);
  const toEnd = `The session goes on. To end it: ${commandLine('live', '--end', ...deckWords)}`;
  if (terminal.canPrompt) {
    terminal.interruptHint = toEnd;
    const hasEnded = await steerLive(service, { presentationId, started, state }, terminal);
    if (hasEnded) return terminal.say('The live session has ended.');
  }
  terminal.say(terminal.colors.dim(toEnd));
}

function showAddresses({ presenterUrl, audienceUrl, expiresAt }: StartedLive, terminal: Terminal): void {
  const { bold, cyan, dim } = terminal.colors;
  terminal.say(`\n${bold('You present at')} ${dim('(keep this address secret)')}\n${cyan(presenterUrl)}\n`);
  terminal.say(`${bold('The audience opens')}\n${cyan(audienceUrl)}\n`);
  const code = qrLines(audienceUrl, terminal);
  for (const line of code) terminal.say(line);
  if (code.length > 0) terminal.say();
  terminal.say(dim(`The session ends by itself at ${localTime(expiresAt)}.`));
}

/**
 * A QR code, black on white where the terminal has colours: many readers need that. Without colours it is made for a
 * dark background. None when the terminal is too narrow.
 */
function qrLines(text: string, { colors, width }: Terminal): string[] {
  const invert = colors.isColorSupported;
  const lines = renderUnicodeCompact(text, { border: 2, invert }).split('\n');
  if (lines[0]!.length > width) return [];
  return invert ? lines.map((line) => colors.bgWhite(colors.black(line))) : lines;
}
