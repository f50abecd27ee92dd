import { relative } from 'node:path';
import { fillFolder, type Version } from '../../client/src/download/fill-folder';
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
  if (leftOut.length > 0) terminal.warn(`Not downloaded, because a push would ignore it too: ${shortList(leftOut)}`);
  await rememberFolder(place);
  const state = await readDeckState(service, presentationId);
  const { shareUrl, notices } = await handOutLink(place, state, { deckWords: deckWords(shownFolder(folder)) });
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

function shortList(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN_PATHS).map(plain).join(', ');
  return paths.length > SHOWN_PATHS ? `${shown} and ${count(paths.length - SHOWN_PATHS, 'more file')}` : shown;
}
