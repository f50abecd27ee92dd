import { hidesDots } from './local-names';

export const MAX_PATH_LENGTH = 512;

/**
 * Every rule that a manifest path breaks, one sentence each; empty for a valid path. The caller passes the path in NFC.
 */
export function pathProblems(path: string): string[] {
  const problems: string[] = [];
  if (path.length === 0) return ['A path must not be empty.'];
  if (path.length > MAX_PATH_LENGTH) problems.push(`A path has at most ${MAX_PATH_LENGTH} characters.`);
  if (!path.isWellFormed()) problems.push('A path must be valid Unicode.');
  // eslint-disable-next-line no-control-regex -- the pattern finds control characters
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) problems.push('A path must not contain control characters.');
  if (path.includes('\\')) problems.push('A path uses forward slashes only.');
  if (path.startsWith('/') || path.endsWith('/')) problems.push('A path must not begin or end with a slash.');
  const segments = path.split('/').slice(path.startsWith('/') ? 1 : 0, path.endsWith('/') ? -1 : undefined);
  if (segments.includes('')) problems.push('A path must not contain an empty segment.');
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    problems.push('A path must not contain a "." or ".." segment.');
  }
  if (segments.some(hidesDots)) {
    problems.push('A path must not contain a segment of invisible characters, alone or with "." or "..".');
  }
  return problems;
}

/** The path in NFC, the spelling under which it is stored and read. Ill-formed Unicode is returned unchanged. */
export function normalizePath(path: string): string {
  return path.isWellFormed() ? path.normalize('NFC') : path;
}

/** The path for a URL: every segment is percent-encoded, the slashes stay. */
export const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/**
 * The path of the file that a link in the deck's file `from` names. Undefined for a link to another site and for one
 * that is not an address. A link cannot leave the deck: `..` above its root is the root.
 */
export function pathOfLink(link: string, from: string): string | undefined {
  const base = `http://deck.invalid/${encodePath(from)}`;
  try {
    const { origin, pathname } = new URL(link, base);
    return origin === new URL(base).origin ? normalizePath(decodeURIComponent(pathname.slice(1))) : undefined;
  } catch {
    return undefined;
  }
}
