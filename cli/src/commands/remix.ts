import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { commandLine } from '../command-line';
import { resolveAddress, type AddressOptions } from '../address';
import {
  claimFolder,
  releaseFolder,
  storeState,
  type DownloadFolder,
  type DownloadState,
} from '../../../client/src/download/download-state';
import type { Version } from '../../../client/src/download/fill-folder';
import { isFailure, usageFailure } from '../../../client/src/failure';
import { plain } from '../../../client/src/format';
import { requireKey } from '../keys';
import { rememberLink } from '../share-link';
import { connect } from '../connect';
import { withSession } from '../session';
import { downloadDeck, shownFolder } from '../download-deck';
import { askInfo, type ServiceInfo } from '../../../client/src/inspection/ask-service';
import type { DeckService } from '../../../client/src/service/service';
import { isSlug, SLUG_HINT } from '../../../client/src/slugs';
import type { Terminal } from '../terminal';
import { updateRemix } from './remix-update';

interface RemixOptions extends AddressOptions {
  title?: string;
  /** Whether the files of the new deck are downloaded. */
  download: boolean;
  update?: boolean;
  theirs?: boolean;
  mine?: boolean;
  dryRun?: boolean;
}

/**
 * The scripts of the copied deck run for those who open it. On an origin of the deck they do not see the secret link;
 * without one they may.
 */
const scriptWarning = (info: ServiceInfo | undefined) =>
  `The deck contains its author's scripts. ${
    info?.deckOrigins
      ? 'They cannot see your secret link, but they can send what is in the deck, and what people do in it, to any server.'
      : 'When somebody opens it, they can send its address, with the secret link, to any server.'
  } Read the scripts before you open or share the deck.`;

const HELP = `
With --update, the command shows what changed in the listing since your copy, and brings it into your deck and its folder.
The service takes the files that only the listing changed, as a new version of your deck, which is then pulled: what you
have not pushed yet stays. Files that both changed are merged in the folder by lines, as \`deck pull\` does; the next push
publishes them, and they conflict no more. For other files that both changed, --mine or --theirs says which side wins.`;

type Made = DownloadState & { presentationId: string; version: number };

export function remixCommand(terminal: Terminal): Command {
  return new Command('remix')
    .description('create a new deck from a listing, or bring what changed in the listing into such a deck')
    .argument('[slug]', 'the slug of the listing; with --update the folder of the remix (default: this folder)')
    .argument('[folder]', 'the folder for the files: a new or an empty one (default: the slug)')
    .option('--title <title>', "the new deck's title (default: the listing's)")
    .option('--no-download', 'make the deck only; `deck pull <id> <folder>` gets its files')
    .option('--update', 'bring what changed in the listing into the remix and its folder')
    .addOption(
      new Option('--theirs', 'for an update: take the listing’s state of each file that both changed').conflicts(
        'mine',
      ),
    )
    .option('--mine', 'for an update: keep your state of each file that both changed')
    .option('--dry-run', 'for an update: show what changed in the listing, and change nothing')
    .addHelpText('after', HELP)
    .action((slug: string | undefined, folder: string | undefined, _options, self: Command) =>
      run(slug, folder, self.optsWithGlobals(), terminal),
    );
}

function run(
  slug: string | undefined,
  folder: string | undefined,
  options: RemixOptions,
  terminal: Terminal,
): Promise<void> {
  const { update, title, download, theirs, mine, dryRun } = options;
  if (update) {
    if (folder !== undefined || title !== undefined || !download)
      throw usageFailure(
        `An update names only the folder of the remix: ${commandLine('remix', '--update', '<folder>')}`,
      );
    return updateRemix(slug ?? '.', options, terminal);
  }
  if (theirs ?? mine ?? dryRun) throw usageFailure('--theirs, --mine and --dry-run need --update.');
  if (slug === undefined) throw usageFailure('Name the slug of a listing.', SLUG_HINT);
  // The slug becomes the name of a folder, so that its form is checked first.
  if (!isSlug(slug)) throw usageFailure(`"${slug}" is not a slug.`, SLUG_HINT);
  if (options.download) return runRemix(slug, folder, options, terminal);
  if (folder !== undefined)
    throw usageFailure('--no-download does not write a folder. Omit --no-download, or the folder.');
  return remixOnly(slug, options, terminal);
}

/** Makes a new deck from the listing, and leaves its files with the service. */
async function remixOnly(slug: string, { title, ...options }: RemixOptions, terminal: Terminal): Promise<void> {
  await withSession(options, terminal, async ({ service, baseUrl }) => {
    const { presentationId, version, shareUrl } = await remix(service, { slug, title, idempotencyKey: randomUUID() });
    if (shareUrl) await rememberLink({ baseUrl, presentationId }, shareUrl, terminal);
    const { green, bold, cyan } = terminal.colors;
    terminal.say(`${green('✓')} Remixed ${bold(slug)}: it is now one of your decks`);
    if (shareUrl) terminal.say(`\n  ${cyan(shareUrl)}\n`);
    terminal.warn(scriptWarning(await askInfo(service)), 'foreign-scripts');
    terminal.say(`Next: get its files with ${commandLine('pull', presentationId, '<folder>')}`);
    terminal.answer({ status: 'remixed', slug, presentationId, version, shareUrl });
  });
}

/**
 * Makes a new deck from the listing and downloads it into a folder that can be pushed. The same command resumes it
 * after an interruption.
 */
async function runRemix(
  slug: string,
  folderName: string | undefined,
  options: RemixOptions,
  terminal: Terminal,
): Promise<void> {
  const address = await resolveAddress(options);
  const { baseUrl } = address;
  const key = requireKey(address, terminal);
  const request = { source: slug, baseUrl, title: options.title };
  const claimed = await claimFolder(folderName ?? slug, request);
  const { folder } = claimed;
  const service = connect(baseUrl, terminal, key);
  try {
    terminal.interruptHint = 'Run the same command again. It resumes the download.';
    const made = await makeDeck(service, claimed, { ...request, idempotencyKey: randomUUID() }, terminal);
    const version = await readVersion(service, claimed, made);
    const { presentationId } = made;
    const outcome = await downloadDeck(service, { folder, baseUrl, presentationId }, version, terminal);
    const { green, bold, cyan } = terminal.colors;
    const shown = shownFolder(folder);
    terminal.say(
      `${green('✓')} Remixed ${bold(plain(version.title))} into ${bold(shown)}: it is now one of your decks`,
    );
    if (outcome.shareUrl) terminal.say(`\n  ${cyan(outcome.shareUrl)}\n`);
    terminal.warn(scriptWarning(await askInfo(service)), 'foreign-scripts');
    terminal.say(`Next: change the files, then run: ${commandLine('push', shown)}`);
    terminal.answer({ status: 'remixed', slug, ...outcome });
  } finally {
    service.close();
  }
}

/** The deck that an interrupted run made, or else a new one. */
async function makeDeck(
  service: DeckService,
  claimed: DownloadFolder,
  request: DownloadState,
  terminal: Terminal,
): Promise<Made> {
  const { folder } = claimed;
  const state = claimed.unfinished ?? request;
  const { presentationId, version, source: slug, title, idempotencyKey = randomUUID() } = state;
  if (presentationId !== undefined && version !== undefined) return { ...state, presentationId, version };
  await storeState(folder, { ...state, idempotencyKey });
  try {
    const answer = await remix(service, { slug, title, idempotencyKey });
    const made = { ...state, presentationId: answer.presentationId, version: answer.version };
    if (answer.shareUrl) await rememberLink(made, answer.shareUrl, terminal);
    await storeState(folder, made);
    return made;
  } catch (error) {
    // With these statuses the service made no deck. After any other error, and in an earlier run, it may have made one,
    // so that the state is kept.
    if (!claimed.unfinished && isFailure(error) && error.status !== undefined && error.status < 500)
      await releaseFolder(claimed);
    throw error;
  }
}

interface Wanted {
  slug: string;
  title: string | undefined;
  idempotencyKey: string;
}

/** Makes the deck, and counts the remix. The remix exists whether it is counted or not. */
async function remix(service: DeckService, { slug, title, idempotencyKey }: Wanted) {
  const made = await service
    .post('remixMarketplaceListing', { slug, title }, { idempotencyKey })
    .catch((error: unknown) => {
      if (!isFailure(error, 'not-found')) throw error;
      throw error.with({ message: `There is no listing ${slug}.`, nextAction: SLUG_HINT });
    });
  await service.post('recordMarketplaceRemix', { slug }, { canRepeat: false }).catch(() => undefined);
  return made;
}

async function readVersion(service: DeckService, claimed: DownloadFolder, made: Made): Promise<Version> {
  const { presentationId, version } = made;
  try {
    return await service.get('getPresentationVersion', { presentationId, version: String(version) });
  } catch (error) {
    if (!isFailure(error, 'not-found', 'permission-denied')) throw error;
    throw error.with({
      message: `${error.message} The remix of this folder was deleted, or belongs to another account.`,
      nextAction: `Delete ${claimed.folder}, then run the same command again to make a new remix.`,
    });
  }
}
