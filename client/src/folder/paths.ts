import ignore from 'ignore';
import { Failure } from '../failure';

/** Not pushed by default. A line in `.deckignore` such as `!.well-known/` includes a path again. */
const ignoredByDefault = ['.*', 'node_modules/'];

/** Never pushed, whatever `.deckignore` says. */
const ignoredAlways = ['.deck.json', '.deckignore', '.deck-download', '.git/', '.git'];

/**
 * Tells whether a push ignores a path of the folder. `deckignore` is the content of `.deckignore`, in gitignore's
 * syntax. The rules are case-sensitive on every system, so that the same folder makes the same deck everywhere.
 */
export function ignoreRules(deckignore = ''): (path: string, isFolder: boolean) => boolean {
  const rules = ignore({ ignorecase: false }).add(ignoredByDefault).add(deckignore);
  return (path, isFolder) => {
    const tested = isFolder ? `${path}/` : path;
    return isIgnoredAlways(tested) || rules.ignores(tested);
  };
}

const fixedRules = ignore({ ignorecase: false }).add(ignoredAlways);

/** Whether a push ignores the path, whatever `.deckignore` says. */
export const isIgnoredAlways = (path: string) => fixedRules.ignores(path);

/**
 * The path of a file in the deck: with forward slashes and in Unicode NFC, as the service stores it. Throws `bad-path`
 * for a path that a deck cannot hold.
 */
export function deckPath(relativePath: string, separator: string): string {
  const path = relativePath.split(separator).join('/').normalize('NFC');
  const problem = pathProblem(path);
  if (problem)
    throw new Failure(`${escapeName(relativePath)} cannot be part of a deck: ${problem}.`, {
      code: 'bad-path',
      nextAction: 'Rename the file, or name it in .deckignore.',
      details: { path: relativePath },
    });
  return path;
}

/** Why a deck cannot hold the path; undefined when it can. */
export function pathProblem(path: string): string | undefined {
  if (path.includes('\\')) return 'its name holds a backslash';
  if (path.includes('\uFFFD')) return 'its name is not valid Unicode';
  // eslint-disable-next-line no-control-regex -- the pattern must match control characters
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) return 'its name holds a control character';
  if (path.length > 512) return `its path has ${path.length} characters, and 512 are the limit`;
  return undefined;
}

/**
 * Throws `path-collision` when two files have the same path in the deck. The message names both as they are on disk.
 */
export function refuseCollisions(files: readonly { path: string; relativePath: string }[]): void {
  const seen = new Map<string, string>();
  for (const { path, relativePath } of files) {
    const other = seen.get(path);
    if (other !== undefined)
      throw new Failure(`${escapeName(other)} and ${escapeName(relativePath)} are the same path in a deck.`, {
        code: 'path-collision',
        nextAction: 'They differ only in how Unicode encodes the same letters: rename one of them.',
        details: { path, files: [other, relativePath] },
      });
    seen.set(path, relativePath);
  }
}

/** The name with every character outside printable ASCII as a code point: names that look equal then differ. */
export function escapeName(name: string): string {
  const escaped = name.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${escaped}"`;
}
