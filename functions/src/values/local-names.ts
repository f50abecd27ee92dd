/** The names of a deck's files on the disks of people. */

/** A path without the characters that nobody sees and that some file systems ignore. */
const withoutInvisible = (path: string) => path.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');

/**
 * Whether a segment is empty, `.` or `..` without its invisible characters. People read it so, and so do file systems
 * and programs that ignore these characters.
 */
export const hidesDots = (segment: string): boolean => {
  const seen = withoutInvisible(segment);
  return seen !== segment && ['', '.', '..'].includes(seen);
};

/** Whether a program may take the file for its own: the `.git/config` of a stranger runs what it names. */
const isHiddenFile = (path: string): boolean =>
  path.split('/').some((segment) => withoutInvisible(segment).startsWith('.'));

/**
 * Whether Windows reads the name as a drive, a stream or a device (`con.txt`), as the short name of another one
 * (`GIT~1` is `.git`), or without its last dot or space.
 */
export function isReservedOnWindows(segment: string): boolean {
  return (
    /[<>:"|?*]|[. ]$|~\d/.test(segment) ||
    /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)/i.test(segment)
  );
}

/**
 * For each path, whether a file can stand there on every system: it is not hidden, its name is not reserved, and it
 * neither replaces nor lies in an earlier one of the list, also where case is ignored.
 */
export function standApart(paths: readonly string[]): boolean[] {
  const files = new Set<string>();
  const folders = new Set<string>();
  return paths.map((path) => {
    const segments = path.toLowerCase().split('/');
    const folded = segments.join('/');
    const parents = segments.slice(1).map((_, i) => segments.slice(0, i + 1).join('/'));
    const isTaken = files.has(folded) || folders.has(folded) || parents.some((parent) => files.has(parent));
    if (isTaken || isHiddenFile(path) || path.split('/').some(isReservedOnWindows)) return false;
    files.add(folded);
    for (const parent of parents) folders.add(parent);
    return true;
  });
}
