import { Command } from 'commander';
import { resolveAddress, type AddressOptions } from '../address';
import { readDeckFile, requireFolder, writeDeckFile, type DeckFile } from '../../../client/src/deck-file';
import { Failure, isFailure, systemCode, usageFailure } from '../../../client/src/failure';
import { count, formatBytes, plain } from '../../../client/src/format';
import { commandLine } from '../command-line';
import { confirmFolder } from '../confirm-folder';
import { requireKey } from '../keys';
import { rememberFolder } from '../known-folders';
import { readProfiles } from '../profiles';
import { push, type PushOutcome, type PushRequest } from '../../../client/src/push/push';
import type { PushOptions } from '../../../client/src/push/push-files';
import { sumFiles } from '../../../client/src/push/source';
import type { Destination } from '../../../client/src/push/upload-target';
import { connect } from '../connect';
import type { DeckService } from '../../../client/src/service/service';
import { terminalReporter } from '../reporter';
import { showNotices } from '../show-notices';
import { slideIllustrator } from '../thumbnail/illustrator';
import { openOrWarn } from '../open-in-browser';
import { pushAgain } from '../push-again';
import type { Terminal } from '../terminal';
import { uploadSessions } from '../upload-sessions';
import { deckWords } from './deck-option';
import { askState, linkAfterPush, type PushedFolder } from './push-link';

interface PushCommandOptions extends PushOptions, AddressOptions {
  new?: boolean;
  deck?: string;
  thumbnail: boolean;
  watch?: boolean;
  open?: boolean;
}

const HELP = `
A push ignores names that start with a dot, node_modules, and what .deckignore names in the syntax of .gitignore.
The line "!.well-known/" in .deckignore includes that folder again. The file .deck.json names the deck of the folder. It
holds no secret: the share link is stored with your key in the config folder.

Before the upload, a push warns about files that the deck asks for and does not hold, about addresses that the service
does not find, and about files above the limits of your plan. A warning never stops a push.

When link previews would show no picture of the deck (no og:image of its own and no thumbnail.png, .jpg or .webp at the
top of the folder), a push draws the first slide with Chrome, Chromium or Edge, and sends it along as thumbnail.webp. The
page reaches the files of the deck and no other host. CHROME_PATH names another browser.`;

export function pushCommand(terminal: Terminal): Command {
  return new Command('push')
    .description('upload a folder: a new deck the first time, a new version after that')
    .argument('<folder>', 'the folder that holds the deck')
    .option('--title <title>', "the deck's title (default: the entry's <title>, or the folder's name)")
    .option('--entry <path>', 'the HTML file that opens the deck (default: index.html)')
    .option('--message <text>', 'a note about this version')
    .option('--new', 'make a new deck, even if the folder has one')
    .option('--deck <id>', 'push to this deck')
    .option('--force', 'overwrite versions that were pushed in the meantime')
    .option('--dry-run', 'show what the push would change, and upload nothing')
    .option('--no-thumbnail', 'draw no picture of the first slide for link previews')
    .option('--open', 'open the share link in the browser afterwards')
    .option('--watch', 'push again whenever files have changed, until Ctrl-C')
    .addHelpText('after', HELP)
    .action((folder: string, _options, self: Command) => {
      const options = self.optsWithGlobals<PushCommandOptions>();
      if (options.new && options.deck !== undefined) throw usageFailure('--new and --deck exclude each other.');
      if (!options.watch) return runPush(folder, options, terminal);
      if (options.dryRun) throw usageFailure('--watch and --dry-run exclude each other.');
      if (terminal.json) throw usageFailure('--watch does not end, so it cannot answer one JSON document.');
      // The first push stores the deck in the folder, and overwrites what --force may overwrite.
      const { new: _new, deck: _deck, force: _force, open: _open, ...later } = options;
      const first = () => runPush(folder, options, terminal);
      return pushAgain(folder, first, () => runPush(folder, later, terminal), terminal);
    });
}

async function runPush(folderName: string, options: PushCommandOptions, terminal: Terminal): Promise<void> {
  const folder = await requireFolder(folderName);
  const deckFile = await readDeckFile(folder);
  const address = await resolveAddress(options, deckFile?.baseUrl);
  const { baseUrl } = address;
  const destination = chooseDestination(deckFile, baseUrl, options, await commandAt(folderName, deckFile, options));
  const isRemembered = destination.kind === 'deck' && destination.presentationId === deckFile?.presentationId;
  const remembered = isRemembered ? deckFile : undefined;
  const service = connect(baseUrl, terminal, requireKey(address, terminal));
  const stop = new AbortController();
  const illustrator = options.thumbnail ? slideIllustrator() : undefined;
  try {
    const sessions = uploadSessions(folder, baseUrl);
    const request = {
      folder,
      destination,
      remembered,
      options,
      sessions,
      illustrator: illustrator ?? ('none' as const),
    };
    if (destination.kind === 'deck' && options.deck === undefined && !options.dryRun) {
      const { presentationId } = destination;
      const otherwise = `If you mean this deck, name it: ${commandLine('push', folderName, '--deck', presentationId)}`;
      await confirmFolder(service, { folder, baseUrl, presentationId }, otherwise, terminal);
    }
    // It is asked beside the push, so that the push takes no longer.
    const isDeck = destination.kind === 'deck' && !options.dryRun;
    const state = isDeck ? askState(service, destination.presentationId, stop.signal) : undefined;
    const outcome = await pushWithRetry(service, request, folderName, terminal);
    if (outcome.status === 'planned') showPlan(outcome, destination, terminal);
    else {
      const problem = illustrator?.problem();
      const isRenamed = options.title !== undefined;
      const asked = { isToOpen: options.open, isRenamed };
      const pushed = { folder, folderName, baseUrl, deckFile, state: await state, ...asked, problem };
      await finish(service, pushed, outcome, terminal);
    }
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
    return { kind: 'deck', presentationId: options.deck, baseVersion: isRemembered ? deckFile.version : undefined };
  }
  if (!deckFile) return { kind: 'new-deck' };
  if (!isHere)
    throw new Failure(`This folder's deck is at ${deckFile.baseUrl}, not at ${baseUrl}.`, {
      code: 'other-service',
      nextAction: `To push there: ${there}. To make a new deck here: add --new.`,
    });
  return { kind: 'deck', presentationId: deckFile.presentationId, baseVersion: deckFile.version };
}

/** Pushes once more when a file changed during the push. */
async function pushWithRetry(
  service: DeckService,
  request: PushRequest,
  folderName: string,
  terminal: Terminal,
): Promise<PushOutcome> {
  const reporter = terminalReporter(terminal, request.folder);
  try {
    return await push(service, request, reporter);
  } catch (error) {
    if (!isFailure(error, 'file-changed')) throw explain(error, request, folderName);
    terminal.clear();
    terminal.warn(`${error.message} Reading the folder again.`);
  }
  try {
    return await push(service, request, reporter);
  } catch (error) {
    if (!isFailure(error, 'file-changed')) throw explain(error, request, folderName);
    throw error.with({ nextAction: 'The file keeps changing. Stop the program that writes it, then push again.' });
  }
}

/** A folder may be based on an old version because it was pulled on purpose. */
function orRestore(base: number | undefined, folderName: string): string {
  if (base === undefined) return '';
  return `. To make version ${base} the newest: ${commandLine('restore', String(base), ...deckWords(folderName))}`;
}

/** Names the commands of the client in the failure of a push. */
function explain(error: unknown, { destination }: PushRequest, folderName: string): unknown {
  if (isFailure(error, 'unfinished-download') && destination.kind === 'deck')
    return error.with({ nextAction: `${error.nextAction} To complete it: ${commandLine('pull', folderName)}` });
  if (isFailure(error, 'conflict') && 'serverVersion' in (error.details ?? {}) && destination.kind === 'deck')
    return error.with({
      nextAction:
        `To bring the newest version into this folder: ${commandLine('pull', folderName)}. To overwrite it with this ` +
        `folder: ${commandLine('push', folderName, '--force')}${orRestore(destination.baseVersion, folderName)}`,
    });
  if (destination.kind !== 'deck' || !isFailure(error, 'not-found', 'permission-denied')) return error;
  return error.with({
    message: `The deck ${destination.presentationId} does not exist, or this key may not change it.`,
    nextAction: `Check \`${commandLine('whoami')}\`; --new makes a new deck from this folder.`,
  });
}

interface Pushed extends PushedFolder {
  folder: string;
  deckFile: DeckFile | undefined;
  isToOpen: boolean | undefined;
  /** Why the browser drew no picture. */
  problem: string | undefined;
  isRenamed: boolean;
}

/** Stores the deck and its link for the next push, and shows the result. */
async function finish(service: DeckService, pushed: Pushed, outcome: PushOutcome, terminal: Terminal): Promise<void> {
  const { folder, baseUrl, deckFile, isToOpen, isRenamed, problem, state } = pushed;
  const { status, presentationId = '', version, entryPath, files, uploaded, picture, changes, warnings } = outcome;
  // The title in .deck.json may be another one than that of the deck.
  const ofDeck = state instanceof Error ? undefined : state?.title;
  const title = (isRenamed ? undefined : ofDeck) ?? outcome.title;
  const isSameDeck = deckFile?.baseUrl === baseUrl && deckFile.presentationId === presentationId;
  const listing = isSameDeck ? deckFile.listing : undefined;
  await writeDeckFile(folder, { presentationId, baseUrl, version, entryPath, title, listing }).catch(
    (error: unknown) => {
      terminal.warn(
        `.deck.json could not be written to this folder (${systemCode(error)}). Push it with --deck ${presentationId} next time.`,
      );
    },
  );
  await rememberFolder({ folder, baseUrl, presentationId });
  await uploadSessions(folder, baseUrl).remove();
  const { shareUrl, notices } = await linkAfterPush(service, pushed, outcome);
  const { bold, green, cyan } = terminal.colors;
  const name = title === undefined ? '' : ` of ${bold(plain(title))}`;
  if (status === 'unchanged')
    terminal.say(
      `${green('✓')} Nothing changed since version ${version}${name}: nothing was uploaded, and there is no new version.`,
    );
  else {
    if (uploaded.files === 0) terminal.say('Nothing had to be uploaded');
    if (picture === 'drawn') terminal.say('Drew the first slide for link previews');
    if (problem !== undefined) terminal.warn(problem, 'no-picture');
    terminal.say(`${green('✓')} Pushed version ${bold(String(version))}${name}`);
    if (changes && changes.removed > 0)
      terminal.say(`  Removed ${count(changes.removed, 'file')} of the version before, and changed ${changes.changed}`);
    if (picture === 'kept') terminal.say('  It keeps the picture that an earlier push drew for link previews');
  }
  if (shareUrl !== undefined) terminal.say(`\n  ${cyan(shareUrl)}\n`);
  showNotices(notices, terminal);
  const opened = isToOpen && shareUrl !== undefined && (await openOrWarn(shareUrl, terminal));
  const { files: fileCount, bytes: totalBytes } = sumFiles(files);
  const deck = { presentationId, version, shareUrl, title, entryPath, fileCount, totalBytes };
  terminal.answer({ status, ...deck, uploaded, picture, warnings, ...(isToOpen && { opened }) });
}

const SHOWN_FILES = 20;

function showPlan(
  { version, title, entryPath, files, uploaded, changes, presentationId, picture, warnings }: PushOutcome,
  destination: Destination,
  terminal: Terminal,
): void {
  const name = title === undefined ? '' : ` "${title}"`;
  const what = destination.kind === 'new-deck' ? `the new deck${name}` : `version ${version}${name && ` of${name}`}`;
  terminal.say(
    `A push would make ${what} and upload ${count(uploaded.files, 'file')} (${formatBytes(uploaded.bytes)})`,
  );
  if (changes)
    terminal.say(
      `  ${changes.added} added, ${changes.changed} changed, ${changes.removed} removed, ${changes.unchanged} unchanged`,
    );
  if (picture === 'drawn') terminal.say('  It would try to draw the first slide for link previews');
  const shown = files.slice(0, SHOWN_FILES);
  for (const { path, sizeBytes } of shown) terminal.say(`  ${formatBytes(sizeBytes).padStart(8)}  ${path}`);
  if (files.length > shown.length) terminal.say(`  … and ${count(files.length - shown.length, 'more file')}`);
  const list = files.map(({ path, sizeBytes, sha256, contentType }) => ({
    path,
    size: sizeBytes,
    sha256,
    contentType,
  }));
  terminal.answer({
    status: 'planned',
    presentationId,
    version,
    title,
    entryPath,
    toUpload: uploaded,
    changes,
    picture,
    warnings,
    files: list,
  });
}
