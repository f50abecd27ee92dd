import { Command } from 'commander';
import { resolveAddress, type AddressOptions } from '../address';
import { readDeckFile, requireSource, type DeckFile } from '../../../client/src/deck-file';
import { Failure, usageFailure } from '../../../client/src/failure';
import { commandLine } from '../command-line';
import { confirmSecrets } from '../confirm-secrets';
import { confirmFolder } from '../confirm-folder';
import { requireKey } from '../keys';
import { readProfiles } from '../profiles';
import type { FinishedPush, PushOptions } from '../../../client/src/push/push-files';
import type { PushOutcome } from '../../../client/src/push/push';
import type { PushedFile } from '../../../client/src/pushed-file';
import type { Secret } from '../../../client/src/inspection/secret';
import type { Destination } from '../../../client/src/push/upload-target';
import { connect } from '../connect';
import type { DeckService } from '../../../client/src/service/service';
import { askState, linkAfterPush } from '../share-link';
import { showNotices } from '../show-notices';
import type { DeckState } from '../verbs/open-link';
import { slideIllustrator, type SlideIllustrator } from '../drawing/illustrator';
import { openOrWarn } from '../open-in-browser';
import { pushAgain } from '../push-again';
import type { Terminal } from '../terminal';
import { uploadSessions } from '../upload-sessions';
import { deckWords } from './deck-option';
import { pushWithRetry } from './push-with-retry';
import { sendSlides } from './send-slides';
import { answerOf, showPlan, showPushed, storePushed } from './push-result';

interface PushCommandOptions extends PushOptions, AddressOptions {
  new?: boolean;
  deck?: string;
  pictures: boolean;
  watch?: boolean;
  open?: boolean;
  allowSecrets?: boolean;
  quiet?: boolean;
  /** The version that the push before made, also where no file beside the deck remembers it. */
  baseVersion?: number;
}

const HELP = `
A push ignores names that start with a dot, node_modules, and what .deckignore names in the syntax of .gitignore.
The line "!.well-known/" in .deckignore includes that folder again. The file .deck.json names the deck of the folder. It
holds no secret: the share link is stored with your key in the config folder. That of talk.zip, talk.html or talk.pdf is beside
it: .talk.zip.deck.json. A zip archive is read as the dashboard reads it: the only folder at its top is that of the deck.

The pages of a PDF become the slides of its deck, with the PDF, pdf.js and a page that shows them among its files. A PDF
that has a password is refused. Export presentations of PowerPoint and Keynote as PDF. Pictures become slides, too: one
of its own, or those of a folder without other files, in the order of their names.

Before the upload, a push warns about files that the deck asks for and does not hold, about addresses that the service
does not find, and about files above the limits of your plan. A warning never stops a push.

A push looks for secrets in the files that the service lacks: keys and passwords by their patterns, and files such as
.env, .npmrc and id_rsa by their names. It asks before it publishes them. Without a terminal it is refused, unless with
--allow-secrets. No .deckignore changes that.

With Chrome, Chromium or Edge, a push draws every slide beside the upload, for the dashboard and the marketplace: at its
last step, without the controls of its tool. The link is there before the pictures. Slides that are not drawn 20 seconds
after the upload has begun get no picture. When link previews would show no picture of the deck (no og:image of its own
and no thumbnail.png, .jpg or .webp at the top of the folder), the first slide is sent along as thumbnail.webp. The page
reaches the files of the deck and no other host. CHROME_PATH names another browser; --no-pictures draws nothing.`;

export function pushCommand(terminal: Terminal): Command {
  return new Command('push')
    .description('upload a folder: a new deck the first time, a new version after that')
    .argument('[folder]', 'the folder that holds the deck, an HTML file, a zip archive, a PDF, or a picture', '.')
    .option('--title <title>', "the deck's title (default: the entry's <title>, or the folder's name)")
    .option('--entry <path>', 'the HTML file that opens the deck (default: index.html)')
    .option('--message <text>', 'a note about this version')
    .option('--new', 'create a new deck, even if the folder already has one')
    .option('--deck <id>', 'push to this deck')
    .option('--force', 'overwrite versions that were pushed in the meantime')
    .option('--dry-run', 'show what the push would change, and upload nothing')
    .option('--allow-secrets', 'publish files that look like keys or passwords')
    .option('--no-pictures', 'do not draw pictures of the slides')
    .option('--quiet', 'show only warnings and failures, and never the link, for CI logs')
    .option('--open', 'open the share link in the browser afterwards')
    .option('--watch', 'push again whenever files have changed, until Ctrl-C')
    .addHelpText('after', HELP)
    .action(async (folder: string, _options, self: Command) => {
      const options = self.optsWithGlobals<PushCommandOptions>();
      terminal.isQuiet = options.quiet ?? false;
      if (options.quiet && options.open) throw usageFailure('--quiet and --open cannot be used together.');
      if (options.new && options.deck !== undefined) throw usageFailure('--new and --deck cannot be used together.');
      if (!options.watch) return void (await runPush(folder, options, terminal));
      if (options.dryRun) throw usageFailure('--watch and --dry-run cannot be used together.');
      if (terminal.json) throw usageFailure('--watch does not end, so it cannot write one JSON document.');
      // The first push overwrites what --force may overwrite. It may be unable to store the deck in the folder.
      const { new: _new, force: _force, open: _open, ...later } = options;
      const push = (words: PushCommandOptions) => async () => {
        const { presentationId: deck, version: baseVersion } = await runPush(folder, words, terminal);
        Object.assign(later, { deck, baseVersion });
      };
      return pushAgain(folder, push(options), push(later), terminal);
    });
}

async function runPush(folderName: string, options: PushCommandOptions, terminal: Terminal): Promise<PushOutcome> {
  const folder = await requireSource(folderName);
  const deckFile = await readDeckFile(folder);
  const address = await resolveAddress(options, deckFile?.baseUrl);
  const { baseUrl } = address;
  const destination = chooseDestination(deckFile, baseUrl, options, await commandAt(folderName, deckFile, options));
  const isRemembered = destination.kind === 'deck' && destination.presentationId === deckFile?.presentationId;
  const remembered = isRemembered ? deckFile : undefined;
  const service = connect(baseUrl, terminal, requireKey(address, terminal));
  const stop = new AbortController();
  const illustrator = options.pictures ? slideIllustrator() : undefined;
  try {
    const sessions = uploadSessions(folder, baseUrl);
    const request = {
      folder,
      destination,
      remembered,
      options,
      sessions,
      illustrator: illustrator ?? ('none' as const),
      confirmSecrets: terminal.canPrompt ? (found: readonly Secret[]) => confirmSecrets(found, terminal) : undefined,
    };
    if (destination.kind === 'deck' && options.deck === undefined && !options.dryRun) {
      const { presentationId } = destination;
      const otherwise = `If you mean this deck, name it: ${commandLine('push', folderName, '--deck', presentationId)}`;
      await confirmFolder(service, { folder, baseUrl, presentationId }, otherwise, terminal);
    }
    // It is asked beside the push, so that the push takes no longer.
    const isDeck = destination.kind === 'deck' && !options.dryRun;
    const state = isDeck ? askState(service, destination.presentationId, stop.signal) : undefined;
    const outcome = await pushWithRetry(
      service,
      request,
      { folderName, chosenVersion: remembered?.chosenVersion },
      terminal,
    );
    if (outcome.status === 'planned') showPlan(outcome, destination, terminal);
    else {
      const isRenamed = options.title !== undefined;
      const asked = { isToOpen: options.open, isQuiet: options.quiet, isRenamed };
      const pushed = { folder, folderName, baseUrl, before: await state, ...asked, illustrator };
      await finish(service, pushed, outcome, terminal);
    }
    return outcome;
  } finally {
    stop.abort();
    service.close();
    await illustrator?.close();
  }
}

/** A command that pushes the folder to the service of its deck, in place of the one that the options name. */
async function commandAt(folderName: string, deckFile: DeckFile | undefined, { profile }: AddressOptions) {
  if (!deckFile) return '';
  const { baseUrl } = deckFile;
  const fitting = (await readProfiles()).find((each) => each.baseUrl === baseUrl && each.key);
  if (profile !== undefined && !fitting) return `omit --profile ${profile}`;
  const words = ['push', folderName, '--base-url', baseUrl, ...(profile && fitting ? ['--profile', fitting.name] : [])];
  return commandLine(...words);
}

function chooseDestination(
  deckFile: DeckFile | undefined,
  baseUrl: string,
  options: PushCommandOptions,
  there: string,
): Destination {
  if (options.new) return { kind: 'new-deck' };
  const isHere = deckFile?.baseUrl === baseUrl;
  if (options.deck !== undefined) {
    const isRemembered = isHere && deckFile.presentationId === options.deck;
    const baseVersion = isRemembered ? deckFile.version : options.baseVersion;
    return { kind: 'deck', presentationId: options.deck, baseVersion };
  }
  if (!deckFile) return { kind: 'new-deck' };
  if (!isHere)
    throw new Failure(`This folder's deck is at ${deckFile.baseUrl}, not at ${baseUrl}.`, {
      code: 'other-service',
      nextAction: `To push there: ${there}. To make a new deck here: add --new.`,
    });
  return { kind: 'deck', presentationId: deckFile.presentationId, baseVersion: deckFile.version };
}

interface Pushed {
  folder: string;
  /** The folder as the user named it. */
  folderName: string;
  baseUrl: string;
  /** The state of the deck from before the push, or why it is not known; undefined for a new deck. */
  before: DeckState | Error | undefined;
  isToOpen: boolean | undefined;
  /** Whether the link is shown nowhere. */
  isQuiet: boolean | undefined;
  /** Undefined when nothing is drawn. */
  illustrator: SlideIllustrator | undefined;
  isRenamed: boolean;
}

/** Stores the deck and its link for the next push, and shows the result. */
async function finish(
  service: DeckService,
  pushed: Pushed,
  outcome: FinishedPush<PushedFile>,
  terminal: Terminal,
): Promise<void> {
  const { folderName, baseUrl, before, isRenamed, isToOpen, isQuiet, illustrator } = pushed;
  // The title in .deck.json may be another one than that of the deck.
  const ofDeck = before instanceof Error ? undefined : before?.title;
  const title = (isRenamed ? undefined : ofDeck) ?? outcome.title;
  await storePushed({ ...pushed, title }, outcome, terminal);
  const { shareUrl, notices } = await linkAfterPush(
    service,
    { baseUrl, deckWords: deckWords(folderName), before },
    outcome,
    terminal,
  );
  showPushed(outcome, title, terminal);
  if (shareUrl !== undefined) terminal.say(`\n  ${terminal.colors.cyan(shareUrl)}\n`);
  showNotices(notices, terminal);
  const opened = isToOpen && shareUrl !== undefined && (await openOrWarn(shareUrl, terminal));
  const slides = illustrator && (await sendSlides(service, outcome, illustrator, terminal));
  terminal.answer({ ...answerOf(outcome, title, isQuiet ? undefined : shareUrl), slides, ...(isToOpen && { opened }) });
}
