import { changeDeckFile, type DeckFile, type Merged } from '../deck-file';
import type { Version } from '../download/fill-folder';
import { cleanPartsFolder, makePartsFolder, partsFolderOf } from '../download/parts-folder';
import type { HashedFile } from '../folder/hash';
import type { Reporter } from '../reporter';
import type { DeckService } from '../service/service';
import { applyChanges, assertAllAsCompared, fetchContents } from './apply';
import type { DeckFileRow, FileChange } from './file-change';
import { mergeFiles, type Merges } from './merge';
import { finishPull, storePullState, type PullState } from './pull-state';
import type { ChangedFile } from '../../../functions/src/values/three-way';

/** What a pull shall write. */
export interface Plan {
  from: Version;
  to: Version;
  unfinished: PullState | undefined;
  changes: readonly ChangedFile[];
  here: readonly HashedFile[];
  writes: readonly FileChange[];
  /**
   * Of the update of a remix: its note for the next push. `from` has the files of the base, `to` those of the source.
   */
  merging?: Merged | undefined;
}

interface PulledFolder {
  folder: string;
  deckFile: DeckFile;
}

/**
 * Writes the changes. `.deck.json` never names a version that is newer than what the folder holds. Returns the paths of
 * the files that have conflict marks.
 */
export async function writeChanges(
  service: DeckService,
  { folder, deckFile }: PulledFolder,
  plan: Plan,
  reporter: Reporter,
): Promise<string[]> {
  const { from, to, unfinished, merging } = plan;
  const { presentationId, baseUrl } = deckFile;
  const { version, entryPath, title } = to;
  const chosenVersion = to.isCurrent ? undefined : version;
  const isBase = version === deckFile.version && chosenVersion === deckFile.chosenVersion;
  const isDone = plan.writes.length === 0 && isBase && unfinished === undefined && !merging;
  if (isDone) return [];
  const { writes, merged, marked } = await prepareWrites(service, { folder, deckFile }, plan, reporter);
  await assertAllAsCompared(writes);
  const state = {
    merged: { ...unfinished?.merged, ...merged },
    marked: [...new Set([...(unfinished?.marked ?? []), ...marked])],
  };
  const ofSource = merging && { sourceVersion: merging.sourceVersion };
  await storePullState(folder, { presentationId, baseUrl, from: from.version, to: version, ...ofSource, ...state });
  const writeVersion = () =>
    changeDeckFile(folder, (file = deckFile) => ({
      ...file,
      version,
      entryPath,
      title,
      chosenVersion,
      ...(merging && { merged: merging }),
    }));
  // Until the end, the folder is a mix. The older version makes the service refuse its push, whatever client pushes it.
  if (version < deckFile.version) await writeVersion();
  await applyChanges(folder, partsFolderOf(folder), writes);
  await writeVersion();
  return finishPull(folder, state.marked);
}

/** Downloads what the pull writes, and merges the files that changed on both sides. */
async function prepareWrites(
  service: DeckService,
  { folder, deckFile: { presentationId } }: PulledFolder,
  { from, to, changes, here, writes, merging }: Plan,
  reporter: Reporter,
): Promise<Merges> {
  const partsFolder = partsFolderOf(folder);
  const files = writes.map(({ wanted }) => wanted).filter((file) => file !== undefined);
  const isMerged = new Set(changes.filter(({ action }) => action === 'merge').map(({ path }) => path));
  const bases = new Map(from.files.filter(({ path }) => isMerged.has(path)).map((file) => [file.path, file]));
  await cleanPartsFolder(folder);
  if (files.length > 0) {
    const all = [...files, ...bases.values()];
    const amount = { files: all.length, bytes: sumDistinct(all) };
    reporter.onStart?.('download', amount);
    await makePartsFolder(folder);
    const onBytes = (bytes: number) => reporter.onBytes?.(bytes);
    const download = { service, presentationId, folder, partsFolder, onBytes };
    const versionOf = ({ version }: Version) => (merging ? undefined : version);
    await fetchContents({ ...download, version: versionOf(to) }, files, here);
    await fetchContents({ ...download, version: versionOf(from) }, [...bases.values()], here);
    reporter.onEnd?.('download', amount);
  }
  const label = merging ? `version ${merging.sourceVersion} of the source` : `version ${to.version}`;
  return mergeFiles(partsFolder, writes, bases, label);
}

function sumDistinct(files: readonly DeckFileRow[]): number {
  return [...new Map(files.map(({ sha256, size }) => [sha256, size])).values()].reduce((sum, size) => sum + size, 0);
}
