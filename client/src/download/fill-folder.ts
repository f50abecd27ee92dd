import { relative } from 'node:path';
import { writeDeckFile } from '../deck-file';
import { count, formatBytes, plain } from '../format';
import { findLink, storeLink } from '../../../cli/src/links';
import type { Contract } from '../service/contract';
import { findShareUrl } from '../service/decks';
import type { DeckService } from '../service/service';
import type { Terminal } from '../../../cli/src/terminal';
import { downloadFiles } from './download-files';
import { deleteState, partsFolderOf } from './download-state';
import { localPaths } from './local-paths';

export type Version = Contract['getPresentationVersion']['answer'];

interface Place {
  folder: string;
  baseUrl: string;
  presentationId: string;
}

/** The part of the command's JSON answer that describes the filled folder. */
interface FilledFolder extends Pick<Version, 'title' | 'version' | 'entryPath' | 'fileCount' | 'totalBytes'> {
  folder: string;
  presentationId: string;
  shareUrl: string | undefined;
  leftOut: string[];
}

/** Downloads the files of a version into the folder and writes its `.deck.json`, so that the folder can be pushed. */
export async function fillFolder(
  service: DeckService,
  { folder, baseUrl, presentationId }: Place,
  version: Version,
  terminal: Terminal,
): Promise<FilledFolder> {
  const { title, entryPath, fileCount, totalBytes, files } = version;
  const { kept, leftOut } = localPaths(files.map(({ path }) => path));
  const wanted = new Set(kept);
  const chosen = files.filter(({ path }) => wanted.has(path));
  const total = chosen.reduce((sum, { size }) => sum + size, 0);
  const bar = terminal.progress('Downloading', total);
  const onBytes = (bytes: number) => bar.advance(bytes);
  const partsFolder = partsFolderOf(folder);
  const download = { service, presentationId, version: version.version, folder, partsFolder, onBytes };
  await downloadFiles(download, chosen);
  terminal.clear();
  terminal.say(`Downloaded ${count(chosen.length, 'file')} (${formatBytes(total)})`);
  if (leftOut.length > 0) terminal.warn(`Not downloaded, because a push would ignore it too: ${shortList(leftOut)}`);
  const shareUrl = (await findLink(baseUrl, presentationId)) ?? (await findShareUrl(service, presentationId));
  if (shareUrl) await storeLink(baseUrl, presentationId, shareUrl);
  await writeDeckFile(folder, { presentationId, baseUrl, version: version.version, entryPath, title });
  await deleteState(folder);
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
