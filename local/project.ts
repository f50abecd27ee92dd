import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const DEFAULT_PROJECT = 'demo-decks';

/** The folder that contains firebase.json. It is above this file, both in the source and in a bundle. */
export const projectRoot = findProjectRoot(__dirname);

function findProjectRoot(folder: string): string {
  if (existsSync(join(folder, 'firebase.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('firebase.json was not found in any folder above the local cloud.');
  return findProjectRoot(parent);
}

/**
 * The project's bucket, and its other name: projects that are older than October 2024 have a bucket
 * `<project>.appspot.com`, and Firebase's emulator of functions speaks of that name.
 */
export function bucketOf(project: string): { bucket: string; aliases: Record<string, string> } {
  const bucket = `${project}.firebasestorage.app`;
  return { bucket, aliases: { [`${project}.appspot.com`]: bucket } };
}
