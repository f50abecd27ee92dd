import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder that contains firebase.json. It is above this file, both in the source and in a bundle. */
export const projectRoot = findProjectRoot(__dirname);

function findProjectRoot(folder: string): string {
  if (existsSync(join(folder, 'firebase.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('firebase.json was not found in any folder above the local cloud.');
  return findProjectRoot(parent);
}
