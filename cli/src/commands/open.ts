import { Command } from 'commander';
import { Failure } from '../../../client/src/failure';
import type { DeckService } from '../../../client/src/service/service';
import { exitCodeOf, exitCodes } from '../exit-code';
import { forgetLink, handOutLink, rememberedLink } from '../share-link';
import type { DeckPlace } from '../deck-id';
import { openOrWarn } from '../open-in-browser';
import { withDeck } from '../session';
import { showNotices } from '../show-notices';
import type { Terminal } from '../terminal';
import { readDeckState } from '../verbs/open-link';
import { deckArgument, deckOption, deckTarget, deckWords, type DeckOptions } from './deck-option';
import { wholeNumber } from './option-values';

interface OpenOptions extends DeckOptions {
  print?: boolean;
  version?: number;
}

export function openCommand(terminal: Terminal): Command {
  return new Command('open')
    .description("open a deck's share link in the browser, or look at one of its versions")
    .argument('[deck]', deckArgument)
    .addOption(deckOption())
    .option(
      '--version <number>',
      'look at this version: no link, no view is counted, only you can open it',
      wholeNumber,
    )
    .option('--print', 'print the link, and do not open a browser')
    .action((deck: string | undefined, _options, self: Command) => runOpen(deck, self.optsWithGlobals(), terminal));
}

async function runOpen(argument: string | undefined, options: OpenOptions, terminal: Terminal): Promise<void> {
  const target = deckTarget(argument, options);
  await withDeck(target, options, terminal, async ({ service, baseUrl, presentationId }) => {
    const { version } = options;
    if (version !== undefined) {
      const previewUrl = await previewOf(service, { presentationId, version });
      return terminal.answer({
        presentationId,
        version,
        previewUrl,
        opened: await show(previewUrl, options, terminal),
      });
    }
    const shareUrl = await currentLink(service, { baseUrl, presentationId }, deckWords(target), terminal);
    terminal.answer({ presentationId, shareUrl, opened: await show(shareUrl, options, terminal) });
  });
}

/** Prints an address and opens it. Returns whether it was opened. */
async function show(url: string, { print }: OpenOptions, terminal: Terminal): Promise<boolean> {
  terminal.say(url);
  const opened = !print && (await openOrWarn(url, terminal));
  if (opened) terminal.say(`${terminal.colors.green('✓')} Opened in your browser`);
  return opened;
}

/** The address of a version for a window: on an origin of its own, where the service has such origins. */
async function previewOf(service: DeckService, input: { presentationId: string; version: number }): Promise<string> {
  const { openUrl, frameUrl } = await service.post('previewPresentationVersion', input);
  return openUrl ?? frameUrl;
}

/** The link as the service knows it now; only when it cannot be reached, the link that this computer remembers. */
async function currentLink(
  service: DeckService,
  deck: DeckPlace,
  words: readonly string[],
  terminal: Terminal,
): Promise<string> {
  const remembered = await rememberedLink(deck);
  try {
    const state = await readDeckState(service, deck.presentationId);
    const { shareUrl, notices } = await handOutLink(deck, state, { deckWords: words }, terminal);
    if (shareUrl === undefined) {
      const [{ code, message, nextAction } = { code: 'no-link', message: 'The deck has no link.' }] = notices;
      throw new Failure(message, { code, nextAction });
    }
    showNotices(notices, terminal);
    return shareUrl;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === 'not-found') await forgetLink(deck, terminal);
    const exitCode = exitCodeOf(error);
    if (remembered === undefined || (exitCode !== exitCodes.network && exitCode !== exitCodes.fault)) throw error;
    const why = `${error.message} This link is from an earlier command: it may be revoked or expired.`;
    terminal.warn(why, 'link-not-checked');
    return remembered;
  }
}
