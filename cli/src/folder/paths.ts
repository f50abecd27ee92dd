import { Failure } from '../failure';

/**
 * The path that a file has in the deck: forward slashes and Unicode NFC, as the service stores it. Throws for names
 * that no deck can hold, such as one with a backslash.
 */
export function deckPath(relativePath: string, separator: string): string {
  const path = relativePath.split(separator).join('/').normalize('NFC');
  const problem = problemOf(path);
  if (problem)
    throw new Failure(`${visible(relativePath)} cannot be part of a deck: ${problem}.`, {
      code: 'bad-path',
      nextAction: 'Rename the file, or name it in .deckignore.',
      details: { path: relativePath },
    });
  return path;
}

/** What makes a path one that no deck of this client can hold, or undefined. */
export function problemOf(path: string): string | undefined {
  if (path.includes('\\')) return 'its name holds a backslash';
  if (path.includes('\uFFFD')) return 'its name is not valid Unicode';
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) return 'its name holds a control character';
  if (path.length > 512) return `its path has ${path.length} characters, and 512 are the limit`;
  return undefined;
}

/** Throws when two files have the same path in the deck, naming both as they are on disk. */
export function refuseCollisions(files: readonly { path: string; relativePath: string }[]): void {
  const seen = new Map<string, string>();
  for (const { path, relativePath } of files) {
    const other = seen.get(path);
    if (other !== undefined)
      throw new Failure(`${visible(other)} and ${visible(relativePath)} are the same path in a deck.`, {
        code: 'path-collision',
        nextAction: 'They differ only in how Unicode writes the same letters: rename one of them.',
        details: { path, files: [other, relativePath] },
      });
    seen.set(path, relativePath);
  }
}

/** A name as it is stored: what looks the same on a screen is told apart by its code points. */
export function visible(name: string): string {
  const escaped = name.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${escaped}"`;
}
