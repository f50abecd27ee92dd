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

/** The path without the characters that nobody sees, and that file systems may ignore. */
export const withoutInvisible = (path: string) => path.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');

/** Whether a segment of a path is empty, `.` or `..` without its invisible characters. */
export function hidesDots(segment: string): boolean {
  const seen = withoutInvisible(segment);
  return seen !== segment && ['', '.', '..'].includes(seen);
}

/** Why a deck cannot hold the path; undefined when it can. */
export function pathProblem(path: string): string | undefined {
  if (path.includes('\\')) return 'its name contains a backslash';
  if (path.includes('\uFFFD')) return 'its name is not valid Unicode';
  // eslint-disable-next-line no-control-regex -- the pattern must match control characters
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) return 'its name contains a control character';
  if (path.split('/').some(hidesDots)) return 'its name has only dots and invisible characters';
  if (path.length > 512) return `its path has ${path.length} characters, and the limit is 512`;
  return undefined;
}

/**
 * The failures `path-collision` of files that have the same path in the deck. A message names both as they are on disk.
 */
export function findCollisions(files: readonly { path: string; relativePath: string }[]): Failure[] {
  const seen = new Map<string, string>();
  const collisions: Failure[] = [];
  for (const { path, relativePath } of files) {
    const other = seen.get(path);
    if (other === undefined) seen.set(path, relativePath);
    else
      collisions.push(
        new Failure(`${escapeName(other)} and ${escapeName(relativePath)} are the same path in a deck.`, {
          code: 'path-collision',
          nextAction: 'They differ only in how Unicode encodes the same letters: rename one of them.',
          details: { path, files: [other, relativePath] },
        }),
      );
  }
  return collisions;
}

const MAX_SHOWN = 20;

/**
 * Throws the failures of files that a deck cannot hold: one failure that names all of them, so that one look is enough.
 */
export function throwRefused(refused: readonly Failure[]): void {
  const [first] = refused;
  if (!first) return;
  if (refused.length === 1) throw first;
  const shown = refused.slice(0, MAX_SHOWN).map(({ message }) => `\n    ${message}`);
  if (refused.length > shown.length) shown.push(`\n    … and ${refused.length - shown.length} more`);
  throw new Failure(`A deck cannot hold ${refused.length} of the files:${shown.join('')}`, {
    code: first.code,
    nextAction: 'Rename the files or take them out, or name them in .deckignore.',
    details: { refused: refused.map(({ code, message, details }) => ({ ...details, code, message })) },
  });
}

/** The name with every character outside printable ASCII as a code point: names that look equal then differ. */
export function escapeName(name: string): string {
  const escaped = name.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${escaped}"`;
}
