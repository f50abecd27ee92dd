import { writeDeckFile } from '../deck-file';
import { isDrawn } from '../push/drawn-picture';
import type { Reporter } from '../reporter';
import type { Contract } from '../service/contract';
import type { DeckService } from '../service/service';
import { downloadFiles } from './download-files';
import { deleteState } from './download-state';
import { localPaths } from './local-paths';
import { cleanPartsFolder, partsFolderOf } from './parts-folder';

/** A version of a deck with the rows of its files. */
export type Version = Contract['getPresentationVersion']['answer'];

/** A claimed folder, and the deck that it shall hold. */
interface Place {
  folder: string;
  baseUrl: string;
  presentationId: string;
}

/**
 * Downloads the files of a version into the folder and writes its `.deck.json`, so that the folder can be pushed.
 * Resolves with the paths that it left out, because a push would ignore them too.
 */
export async function fillFolder(
  service: DeckService,
  { folder, baseUrl, presentationId }: Place,
  version: Version,
  reporter: Reporter = {},
): Promise<{ leftOut: string[] }> {
  const { title, entryPath } = version;
  // A push draws that picture again. In the folder it would become one of the author's files, and never change again.
  const files = version.files.filter((file) => !isDrawn(file));
  const { kept, leftOut } = localPaths(files.map(({ path }) => path));
  const wanted = new Set(kept);
  const chosen = files.filter(({ path }) => wanted.has(path));
  const amount = { files: chosen.length, bytes: chosen.reduce((sum, { size }) => sum + size, 0) };
  reporter.onStart?.('download', amount);
  const onBytes = (bytes: number) => reporter.onBytes?.(bytes);
  const partsFolder = partsFolderOf(folder);
  await cleanPartsFolder(folder);
  await downloadFiles({ service, presentationId, version: version.version, folder, partsFolder, onBytes }, chosen);
  reporter.onEnd?.('download', amount);
  await writeDeckFile(folder, { presentationId, baseUrl, version: version.version, entryPath, title });
  await deleteState(folder);
  return { leftOut };
}
