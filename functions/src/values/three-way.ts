/** What happened to a file since the base version. */
export type Change = 'added' | 'changed' | 'removed';

/**
 * What a merge does with a file: a pull into a folder, or the update of a remix. `same` files changed in the same way
 * here and there; a `merge` joins the changes of both sides by lines.
 */
export type Action = 'take' | 'keep' | 'same' | 'merge' | 'conflict';

/** A file that changed since the base, in the folder or remix (`here`), in the version to take (`there`) or in both. */
export interface ChangedFile {
  path: string;
  here: Change | undefined;
  there: Change | undefined;
  action: Action;
}

/** The hashes of files by their paths. */
export type Hashes = ReadonlyMap<string, string>;

/** Which side wins when a file changed on both sides. Without it, such a file is a conflict. */
export type Preference = 'mine' | 'theirs' | undefined;

/**
 * Every file that changed on a side since the base version, sorted by path. A change on one side alone is kept or
 * taken. Changes on both sides conflict unless they lead to the same content, a side wins, or the file can be merged.
 */
export function compareThreeWays(
  base: Hashes,
  here: Hashes,
  there: Hashes,
  prefer?: Preference,
  canMerge: (path: string) => boolean = () => false,
): ChangedFile[] {
  const paths = [...new Set([...base.keys(), ...here.keys(), ...there.keys()])].sort();
  return paths
    .map((path) => {
      const [before, mine, theirs] = [base.get(path), here.get(path), there.get(path)];
      const changes = { here: changeOf(before, mine), there: changeOf(before, theirs) };
      const action = actionOf(before, mine, theirs, prefer);
      return { path, ...changes, action: action === 'conflict' && canMerge(path) ? ('merge' as const) : action };
    })
    .filter(({ here: mine, there: theirs }) => mine ?? theirs);
}

function actionOf(before?: string, mine?: string, theirs?: string, prefer?: Preference): Action {
  if (mine === theirs) return 'same';
  if (mine === before) return 'take';
  if (theirs === before) return 'keep';
  return prefer === undefined ? 'conflict' : prefer === 'theirs' ? 'take' : 'keep';
}

function changeOf(before: string | undefined, after: string | undefined): Change | undefined {
  if (before === after) return undefined;
  return before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
}
