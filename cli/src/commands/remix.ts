import { randomUUID } from 'node:crypto';
import { relative } from 'node:path';
import { resolveAddress } from '../address';
import { writeDeckFile } from '../deck-file';
import { downloadFiles } from '../download/download';
import { localPaths } from '../download/local-paths';
import type { FolderToFill, Unfinished } from '../download/unfinished';
import { claimFolder, forgetUnfinished, noteUnfinished, partsFolderOf, releaseFolder } from '../download/unfinished';
import { isFailure, usageFailure } from '../failure';
import { requireKey } from '../keys';
import { findLink, rememberLink } from '../links';
import { count, formatBytes } from '../progress';
import { connect } from '../service/connect';
import type { Contract } from '../service/contract';
import type { Service } from '../service/service';
import type { Terminal } from '../terminal';
import { plain } from '../terminal';
import { findShareUrl } from './open';

export interface RemixOptions {
  baseUrl?: string;
  title?: string;
}

type Made = Unfinished & { presentationId: string; version: number };
type Version = Contract['getPresentationVersion']['answer'];

/**
 * `deck remix <slug> [folder]`: makes the listing a deck of the caller's own and brings its files home, into a folder that `deck push`
 * goes on with. Cut off, it goes on when it is run again.
 */
export async function runRemix(
  slug: string,
  folderName: string | undefined,
  options: RemixOptions,
  terminal: Terminal,
): Promise<void> {
  // It becomes the name of a folder.
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))
    throw usageFailure(`"${slug}" is no slug.`, "It is the last part of a listing's address: …/marketplace/<slug>");
  const address = resolveAddress(options.baseUrl);
  const { baseUrl } = address;
  const key = await requireKey(address);
  const { title } = options;
  const place = await claimFolder(folderName ?? slug, { slug, baseUrl, title });
  const { folder } = place;
  const service = connect(baseUrl, terminal, key);
  try {
    terminal.interruptHint = 'Run the same command again: it goes on where it stopped.';
    const made = await makeDeck(service, place, { slug, baseUrl, title, idempotencyKey: randomUUID() });
    const { presentationId } = made;
    const version = await readVersion(service, place, made);
    const { leftOut } = await fill(service, folder, made, version, terminal);
    const shareUrl = (await findLink(baseUrl, presentationId)) ?? (await findShareUrl(service, presentationId));
    const { entryPath } = version;
    await writeDeckFile(folder, { presentationId, baseUrl, version: made.version, entryPath, title: version.title });
    await forgetUnfinished(folder);
    tell({ folder, shareUrl, leftOut, made, version }, terminal);
  } finally {
    service.close();
  }
}

/** The deck that an earlier run has made, or a new one. */
async function makeDeck(service: Service, place: FolderToFill, wish: Unfinished): Promise<Made> {
  const { folder } = place;
  const note = place.unfinished ?? wish;
  const { presentationId, version, slug, title, idempotencyKey, baseUrl } = note;
  if (presentationId !== undefined && version !== undefined) return { ...note, presentationId, version };
  await noteUnfinished(folder, note);
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
    throw isFailure(error, 'not-found')
      ? error.with({ nextAction: "The slug is the last part of the listing's address: …/marketplace/<slug>" })
      : error;
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

async function fill(
  service: Service,
  folder: string,
  { presentationId, version }: Made,
  { files }: Version,
  terminal: Terminal,
): Promise<{ leftOut: string[] }> {
  const { kept, leftOut } = localPaths(files.map(({ path }) => path));
  const wanted = new Set(kept);
  const chosen = files.filter(({ path }) => wanted.has(path));
  const total = chosen.reduce((sum, { size }) => sum + size, 0);
  const bar = terminal.progress('Downloading', total);
  const onBytes = (bytes: number) => bar.advance(bytes);
  const partsFolder = partsFolderOf(folder);
  await downloadFiles({ service, presentationId, version, folder, partsFolder, onBytes }, chosen);
  terminal.clear();
  terminal.say(`Downloaded ${count(chosen.length, 'file')} (${formatBytes(total)})`);
  return { leftOut };
}

interface Outcome {
  folder: string;
  shareUrl: string | undefined;
  leftOut: string[];
  made: Made;
  version: Version;
}

function tell({ folder, shareUrl, leftOut, made, version }: Outcome, terminal: Terminal): void {
  const { title, entryPath, fileCount, totalBytes } = version;
  const { slug, presentationId } = made;
  const { green, bold, cyan } = terminal.colors;
  const shown = relative(process.cwd(), folder) || '.';
  if (leftOut.length > 0)
    terminal.warn(`Not downloaded, since a push would leave it at home, too: ${shortList(leftOut)}`);
  terminal.say(`${green('✓')} Remixed ${bold(plain(title))} into ${bold(shown)}: it is a deck of your own now`);
  if (shareUrl) terminal.say(`\n  ${cyan(shareUrl)}\n`);
  terminal.say(`Next: change it, then: deck push ${shown}`);
  const deck = { presentationId, version: made.version, title, entryPath, shareUrl, fileCount, totalBytes };
  terminal.answer({ status: 'remixed', slug, folder, ...deck, leftOut });
}

function shortList(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).map(plain).join(', ');
  return paths.length > 5 ? `${shown} and ${count(paths.length - 5, 'more file')}` : shown;
}
