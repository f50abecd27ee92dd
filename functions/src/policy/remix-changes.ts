import { compareThreeWays } from '../values/three-way';
import { byPath, type ManifestFile } from './manifest';

/**
 * What changed in the source of a remix since the base: what the remix last took of it. Each list is sorted by path.
 */
export interface RemixChanges {
  /** Files that only the source has. */
  added: ManifestFile[];
  /** Files that only the source changed: as the remix has them, and as the source has them. */
  changed: { path: string; from: ManifestFile; to: ManifestFile }[];
  /** Files of the remix that the source removed. */
  removed: ManifestFile[];
  /** Files that both changed, in different ways. Null where one has no such file. */
  both: { path: string; base: ManifestFile | null; here: ManifestFile | null; source: ManifestFile | null }[];
}

/** The files of the base, of the remix and of its source. */
export interface RemixStates {
  base: readonly ManifestFile[];
  here: readonly ManifestFile[];
  source: readonly ManifestFile[];
}

const byPathOf = (files: readonly ManifestFile[]) => new Map(files.map((file) => [file.path, file]));
const hashesOf = (files: readonly ManifestFile[]) => new Map(files.map(({ path, sha256 }) => [path, sha256]));

const compare = ({ base, here, source }: RemixStates) =>
  compareThreeWays(hashesOf(base), hashesOf(here), hashesOf(source));

/** The changes of the source. A file with the same bytes in the remix and in its source is no change. */
export function remixChanges(states: RemixStates): RemixChanges {
  const [base, here, source] = [byPathOf(states.base), byPathOf(states.here), byPathOf(states.source)];
  const changes: RemixChanges = { added: [], changed: [], removed: [], both: [] };
  for (const { path, action } of compare(states)) {
    const [from, to] = [here.get(path), source.get(path)];
    if (action === 'conflict')
      changes.both.push({ path, base: base.get(path) ?? null, here: from ?? null, source: to ?? null });
    else if (action !== 'take') continue;
    else if (from && to) changes.changed.push({ path, from, to });
    else if (to) changes.added.push(to);
    else if (from) changes.removed.push(from);
  }
  return changes;
}

/** Which paths an update takes from the source, and which the caller has merged into the remix. */
interface Chosen {
  taken: ReadonlySet<string>;
  merged: ReadonlySet<string>;
}

/**
 * The files of the remix and its new base after an update. The base also takes what is the same in both already, so
 * that a later change of one side is no conflict.
 */
export function updatedRemix(states: RemixStates, { taken, merged }: Chosen): Pick<RemixStates, 'base' | 'here'> {
  const isSame = new Set(compare(states).flatMap(({ path, action }) => (action === 'same' ? [path] : [])));
  const isOfSource = (path: string) => taken.has(path) || merged.has(path) || isSame.has(path);
  const replaced = (files: readonly ManifestFile[], isReplaced: (path: string) => boolean) =>
    [...files.filter(({ path }) => !isReplaced(path)), ...states.source.filter(({ path }) => isReplaced(path))].sort(
      byPath,
    );
  return {
    here: replaced(states.here, (path) => taken.has(path)),
    base: replaced(states.base, isOfSource),
  };
}
