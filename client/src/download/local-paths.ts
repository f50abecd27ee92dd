import { isReservedOnWindows } from '../../../functions/src/values/local-names';
import { Failure } from '../failure';
import { escapeName, hidesDots, ignoreRules, isIgnoredAlways, pathProblem, withoutInvisible } from '../folder/paths';

/** Whether the platform's file systems usually ignore case. */
const ignoresCase = (platform: NodeJS.Platform) => platform === 'win32' || platform === 'darwin';

/** Two paths with the same folded form name the same file on the platform. */
export const foldCase = (path: string, platform: NodeJS.Platform = process.platform) =>
  ignoresCase(platform) ? path.normalize('NFC').toLowerCase() : path;

/**
 * Splits a deck's paths into those to download and those to leave out. Paths that a push would not send are left out:
 * dotfiles, because a `.git/config` from another person can run programs, and names that are `.` or `..` without their
 * invisible characters. Throws `bad-path` for a path that leads
 * out of the folder, and for a path that is the same as another one on this platform.
 */
export function localPaths(
  paths: readonly string[],
  platform: NodeJS.Platform = process.platform,
  isIgnored = ignoreRules(),
): { kept: string[]; leftOut: string[] } {
  const misleading = new Set(paths.filter((path) => path.split('/').some(hidesDots)));
  const clear = paths.filter((path) => !misleading.has(path));
  for (const path of clear) {
    const problem = dangerOf(path, platform);
    if (problem) throw refused(path, problem);
  }
  // Some file systems ignore format characters, so that ".<zero-width>git" is ".git" there.
  const ignores = (path: string) => isIgnored(path, false) || isIgnoredAlways(path.toLowerCase());
  const leftOut = new Set([...misleading, ...clear.filter((path) => ignores(withoutInvisible(path)))]);
  const kept = paths.filter((path) => !leftOut.has(path));
  refuseOverlaps(kept, platform);
  return { kept, leftOut: [...leftOut] };
}

function dangerOf(path: string, platform: NodeJS.Platform): string | undefined {
  const segments = path.split('/');
  if (segments.some((segment) => ['', '.', '..'].includes(segment))) return 'it leads out of the folder';
  if (platform === 'win32' && segments.some(isReservedOnWindows)) return 'its name is reserved on Windows';
  return pathProblem(path);
}

/** Throws when one file would overwrite another one, or has the name of another file's folder. */
function refuseOverlaps(paths: readonly string[], platform: NodeJS.Platform): void {
  const fold = (path: string) => foldCase(path, platform);
  const files = new Set<string>();
  for (const path of paths) {
    if (files.has(fold(path))) throw refused(path, 'another path differs from it only in case');
    files.add(fold(path));
  }
  for (const path of paths) {
    const segments = fold(path).split('/');
    const isInFile = segments.some((_, depth) => depth > 0 && files.has(segments.slice(0, depth).join('/')));
    if (isInFile) throw refused(path, 'a file has the name of the folder that it is in');
  }
}

function refused(path: string, problem: string): Failure {
  return new Failure(`The deck has a file that cannot be written here: ${escapeName(path)} (${problem}).`, {
    code: 'bad-path',
    nextAction: 'Nothing was downloaded. You can open the deck in the browser.',
    details: { path, isInDeck: true },
  });
}
