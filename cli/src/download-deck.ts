import { relative } from 'node:path';
import { fillFolder, type Version } from '../../client/src/download/fill-folder';
import { escapeName, withoutInvisible } from '../../client/src/folder/paths';
import { count, plain } from '../../client/src/format';
import type { DeckService } from '../../client/src/service/service';
import { deckWords } from './commands/deck-option';
import { rememberFolder } from './known-folders';
import { terminalReporter } from './reporter';
import { handOutLink } from './share-link';
import { showNotices } from './show-notices';
import type { Terminal } from './terminal';
import { readDeckState } from './verbs/open-link';

/** The part of the command's JSON answer that describes the filled folder. */
interface FilledFolder extends Pick<Version, 'title' | 'version' | 'entryPath' | 'fileCount' | 'totalBytes'> {
  folder: string;
  presentationId: string;
  shareUrl: string | undefined;
  leftOut: string[];
}

/** Fills a claimed folder with a version of a deck, and stores the deck's link. */
export async function downloadDeck(
  service: DeckService,
  place: { folder: string; baseUrl: string; presentationId: string },
  version: Version,
  terminal: Terminal,
): Promise<FilledFolder> {
  const { folder, presentationId } = place;
  const { leftOut } = await fillFolder(service, place, version, terminalReporter(terminal, folder));
  warnOfLeftOut(leftOut, terminal);
  await rememberFolder(place, terminal);
  const state = await readDeckState(service, presentationId);
  const { shareUrl, notices } = await handOutLink(
    place,
    state,
    { deckWords: deckWords(shownFolder(folder)) },
    terminal,
  );
  showNotices(notices, terminal);
  const { title, entryPath, fileCount, totalBytes } = version;
  return {
    folder,
    presentationId,
    version: version.version,
    title,
    entryPath,
    shareUrl,
    fileCount,
    totalBytes,
    leftOut,
  };
}

/** The path of the folder, relative to the current folder. */
export const shownFolder = (folder: string) => relative(process.cwd(), folder) || '.';

const SHOWN_PATHS = 5;

/** Names the files of the deck that were not written. Invisible characters are shown by their numbers. */
export function warnOfLeftOut(paths: readonly string[], terminal: Terminal): void {
  if (paths.length === 0) return;
  const names = paths
    .slice(0, SHOWN_PATHS)
    .map((path) => (withoutInvisible(path) === path ? plain(path) : escapeName(path)));
  const more = paths.length > SHOWN_PATHS ? ` and ${count(paths.length - SHOWN_PATHS, 'more file')}` : '';
  terminal.warn(`Not downloaded, because a push ignores these files: ${names.join(', ')}${more}`, 'left-out');
}
