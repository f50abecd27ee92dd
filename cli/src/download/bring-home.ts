import { relative } from 'node:path';
import { writeDeckFile } from '../deck-file';
import { findLink, rememberLink } from '../links';
import { count, formatBytes } from '../progress';
import type { Contract } from '../service/contract';
import { findShareUrl } from '../service/decks';
import type { Service } from '../service/service';
import type { Terminal } from '../terminal';
import { plain } from '../terminal';
import { downloadFiles } from './download';
import { localPaths } from './local-paths';
import { forgetUnfinished, partsFolderOf } from './unfinished';

export type Version = Contract['getPresentationVersion']['answer'];

interface Place {
  folder: string;
  baseUrl: string;
  presentationId: string;
}

/** What a script is told of it. */
interface Home extends Pick<Version, 'title' | 'version' | 'entryPath' | 'fileCount' | 'totalBytes'> {
  folder: string;
  presentationId: string;
  shareUrl: string | undefined;
  leftOut: string[];
}

/** Fills the folder with the files of a version, and makes it one that `deck push` goes on with. */
export async function bringHome(
  service: Service,
  { folder, baseUrl, presentationId }: Place,
  version: Version,
  terminal: Terminal,
): Promise<Home> {
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
  if (leftOut.length > 0) {
    terminal.warn(`Not downloaded, since a push would leave it at home, too: ${shortList(leftOut)}`);
  }
  const shareUrl = (await findLink(baseUrl, presentationId)) ?? (await findShareUrl(service, presentationId));
  if (shareUrl) await rememberLink(baseUrl, presentationId, shareUrl);
  await writeDeckFile(folder, { presentationId, baseUrl, version: version.version, entryPath, title });
  await forgetUnfinished(folder);
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

/** The folder as somebody in the current one would name it. */
export const shownFolder = (folder: string) => relative(process.cwd(), folder) || '.';

function shortList(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).map(plain).join(', ');
  return paths.length > 5 ? `${shown} and ${count(paths.length - 5, 'more file')}` : shown;
}
