import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { resolveAddress } from '../address';
import type { Version } from '../download/bring-home';
import { bringHome, shownFolder } from '../download/bring-home';
import type { FolderToFill, Unfinished } from '../download/unfinished';
import { claimFolder, noteUnfinished, releaseFolder } from '../download/unfinished';
import { isFailure, usageFailure } from '../failure';
import { requireKey } from '../keys';
import { rememberLink } from '../links';
import { connect } from '../service/connect';
import type { Service } from '../service/service';
import { isSlug, whereSlugsAre } from '../slugs';
import type { Terminal } from '../terminal';
import { plain } from '../terminal';

interface RemixOptions {
  baseUrl?: string;
  title?: string;
}

type Made = Unfinished & { presentationId: string; version: number };

export function remixCommand(terminal: Terminal): Command {
  return new Command('remix')
    .description('make a deck of your own from a listing, and bring its files home')
    .argument('<slug>', 'the slug of the listing')
    .argument('[folder]', 'where the files go: a folder that is empty or not there yet (default: the slug)')
    .option('--title <title>', "the new deck's title (default: the listing's)")
    .action((slug: string, folder: string | undefined, _options, self: Command) =>
      runRemix(slug, folder, self.optsWithGlobals(), terminal),
    );
}

/**
 * `deck remix <slug> [folder]`: makes the listing a deck of the caller's own and brings its files home, into a folder that `deck push`
 * goes on with. Cut off, it goes on when it is run again.
 */
async function runRemix(
  slug: string,
  folderName: string | undefined,
  options: RemixOptions,
  terminal: Terminal,
): Promise<void> {
  // It becomes the name of a folder.
  if (!isSlug(slug)) throw usageFailure(`"${slug}" is no slug.`, whereSlugsAre);
  const address = resolveAddress(options.baseUrl);
  const { baseUrl } = address;
  const key = await requireKey(address);
  const wish = { source: slug, baseUrl, title: options.title };
  const place = await claimFolder(folderName ?? slug, wish);
  const { folder } = place;
  const service = connect(baseUrl, terminal, key);
  try {
    terminal.interruptHint = 'Run the same command again: it goes on where it stopped.';
    const made = await makeDeck(service, place, { ...wish, idempotencyKey: randomUUID() });
    const version = await readVersion(service, place, made);
    const { presentationId } = made;
    const outcome = await bringHome(service, { folder, baseUrl, presentationId }, version, terminal);
    const { green, bold, cyan } = terminal.colors;
    const shown = shownFolder(folder);
    terminal.say(
      `${green('✓')} Remixed ${bold(plain(version.title))} into ${bold(shown)}: it is a deck of your own now`,
    );
    if (outcome.shareUrl) terminal.say(`\n  ${cyan(outcome.shareUrl)}\n`);
    terminal.say(`Next: change it, then: deck push ${shown}`);
    terminal.answer({ status: 'remixed', slug, ...outcome });
  } finally {
    service.close();
  }
}

/** The deck that an earlier run has made, or a new one. */
async function makeDeck(service: Service, place: FolderToFill, wish: Unfinished): Promise<Made> {
  const { folder } = place;
  const note = place.unfinished ?? wish;
  const { presentationId, version, source: slug, title, idempotencyKey = randomUUID(), baseUrl } = note;
  if (presentationId !== undefined && version !== undefined) return { ...note, presentationId, version };
  await noteUnfinished(folder, { ...note, idempotencyKey });
  try {
    const answer = await service.post('remixMarketplaceListing', { slug, title }, { idempotencyKey });
    if (answer.shareUrl) await rememberLink(baseUrl, answer.presentationId, answer.shareUrl);
    const made = { ...note, presentationId: answer.presentationId, version: answer.version };
    await noteUnfinished(folder, made);
    // A signal and no more: the remix is made, whether it is counted or not.
    await service.post('recordMarketplaceRemix', { slug }, { canRepeat: false }).catch(() => undefined);
    return made;
  } catch (error) {
    // The service has said no; anything else may have been said to nobody.
    if (isFailure(error) && error.status !== undefined && error.status < 500) await releaseFolder(place);
    throw isFailure(error, 'not-found') ? error.with({ nextAction: whereSlugsAre }) : error;
  }
}

async function readVersion(service: Service, place: FolderToFill, made: Made): Promise<Version> {
  const { presentationId, version } = made;
  try {
    return await service.get('getPresentationVersion', { presentationId, version: String(version) });
  } catch (error) {
    if (!isFailure(error, 'not-found', 'permission-denied')) throw error;
    throw error.with({
      message: `${error.message} The remix that this folder was begun with is gone, or is another account's.`,
      nextAction: `Delete ${place.folder}, then run the same command again for a new one.`,
    });
  }
}
