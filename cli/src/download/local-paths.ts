import { Failure } from '../failure';
import { ignoreRules } from '../folder/ignore-rules';
import { problemOf, visible } from '../folder/paths';

/** Where the names of files are compared without regard to case. */
const foldsCase = (platform: NodeJS.Platform) => platform === 'win32' || platform === 'darwin';

/**
 * Which of a deck's paths are written into a folder, and which stay where they are: what a push would leave at home, such as
 * dotfiles, is not taken from a stranger either (a `.git/config` can run programs). Throws for a path that leads out of the folder or cannot
 * be told from another one on this system.
 */
export function localPaths(
  paths: readonly string[],
  platform: NodeJS.Platform = process.platform,
): { kept: string[]; leftOut: string[] } {
  for (const path of paths) {
    const problem = dangerOf(path, platform);
    if (problem) throw refused(path, problem);
  }
  const isLeftOut = ignoreRules();
  // Some file systems do not see format characters: there ".<zero-width>git" is ".git".
  const leftOut = new Set(paths.filter((path) => isLeftOut(path.replace(/\p{Cf}/gu, ''), false)));
  const kept = paths.filter((path) => !leftOut.has(path));
  refuseMeetings(kept, platform);
  return { kept, leftOut: [...leftOut] };
}

function dangerOf(path: string, platform: NodeJS.Platform): string | undefined {
  const segments = path.split('/');
  if (segments.some((segment) => ['', '.', '..'].includes(segment))) return 'it leads out of the folder';
  if (platform === 'win32' && segments.some(isNoWindowsName)) return 'Windows gives its name another meaning';
  return problemOf(path);
}

/** Drives and streams (":"), devices ("con.txt"), and ends that Windows drops, so that another file is meant. */
function isNoWindowsName(segment: string): boolean {
  return (
    /[<>:"|?*]|[. ]$/.test(segment) || /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)/i.test(segment)
  );
}

/** Throws where one file would take the place of another, or of the folder that another is in. */
function refuseMeetings(paths: readonly string[], platform: NodeJS.Platform): void {
  const fold = (path: string) => (foldsCase(platform) ? path.normalize('NFC').toLowerCase() : path);
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
  return new Failure(`The deck holds a file that cannot be written here: ${visible(path)} (${problem}).`, {
    code: 'bad-path',
    nextAction: 'Nothing was downloaded. The deck is yours all the same (`deck list`): look at it in the browser.',
    details: { path },
  });
}
