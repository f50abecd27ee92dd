import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** A fault to plant in the code. Its name is the broken guarantee. */
export interface Mutant {
  name: string;
  /**
   * The end of the path below one of `FOLDERS` that names one file: `blobs.ts`, or `records/blobs.ts`.
   */
  file: string;
  /** Text that the file contains exactly once. */
  find: string;
  replace: string;
  /** The test files, below `test`, that should catch the fault. */
  tests: string | readonly string[];
  /** Runs the tests whose names match this pattern; all tests of the files without it. */
  only?: string;
}

/** The files in which faults are planted. */
const FOLDERS = [
  ...[join('functions', 'src'), join('client', 'src'), 'local', 'deploy'],
  ...[join('web', 'dashboard', 'src'), join('web', 'site')],
];

/**
 * Returns the path of the mutant's file and the text of that file with the fault. Throws when not exactly one file has
 * the name, or when the file does not contain `find` exactly once.
 */
export function plant(root: string, mutant: Mutant): { path: string; text: string } {
  const wanted = sep + join(...mutant.file.split('/'));
  const paths = FOLDERS.flatMap((folder) => filesBelow(join(root, folder))).filter((path) => path.endsWith(wanted));
  if (paths.length !== 1) throw new Error(`${mutant.name}: ${paths.length} files are named ${mutant.file}.`);
  const [path] = paths as [string];
  const parts = readFileSync(path, 'utf8').split(mutant.find);
  if (parts.length !== 2) {
    throw new Error(`${mutant.name}: ${mutant.file} contains ${parts.length - 1} times:\n${mutant.find}`);
  }
  return { path, text: parts.join(mutant.replace) };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
