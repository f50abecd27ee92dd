import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFileIn, headerIn, isComplete } from './data-file';
import { DamagedData, RECOVERY } from './errors';
import { readHeader, writeHeader } from './header';
import { tryFiles } from './trial';

/** The folders of the stores, in the order in which a first start creates them. */
export const stores = [
  { store: 'firestore', folder: '' },
  { store: 'storage', folder: join('storage', 'metadata') },
  { store: 'auth', folder: 'auth' },
  { store: 'mail', folder: 'mail' },
  { store: 'tasks', folder: 'tasks' },
] as const;

/** Files that a first start creates and that never change: without them, stored keys and links are unreadable. */
const fixedFiles = ['service-secret', 'service-account.json'];

interface Header {
  store: 'folder';
  /** The SHA-256 of each fixed file. */
  files: Record<string, string>;
}

const headerFile = (dataDir: string) => join(dataDir, 'folder.header');

/**
 * Checks that a data folder is complete: a start would silently create what is missing. Throws DamagedData when a file
 * is missing beside others, or when a secret has changed. An empty folder is complete.
 */
export function assertComplete(dataDir: string): void {
  const header = readHeader<Header>(headerFile(dataDir));
  const present = stores.map(({ folder }) => hasStore(join(dataDir, folder)));
  // A folder of a start that was killed has the first stores only.
  const last = header ? stores.length - 1 : present.lastIndexOf(true);
  const missing = stores.find((_, i) => i < last + 1 && !present[i]);
  if (missing) {
    throw new DamagedData(`The data file ${dataFileIn(join(dataDir, missing.folder))} is missing. ${RECOVERY}`);
  }
  for (const [name, sum] of Object.entries(header?.files ?? {})) {
    const file = join(dataDir, name);
    if (!existsSync(file)) throw new DamagedData(`The file ${file} is missing. ${RECOVERY}`);
    if (sumOf(file) !== sum) throw new DamagedData(`The file ${file} is damaged: it has changed. ${RECOVERY}`);
  }
}

/** Throws DamagedData when a data file of the folder is damaged. */
export async function assertUndamaged(dataDir: string): Promise<void> {
  const complete = stores
    .map(({ store, folder }) => ({ store, folder: join(dataDir, folder) }))
    .filter(({ store, folder }) => isComplete(folder, store))
    .map(({ folder }) => folder);
  const [first] = (await tryFiles(complete)).damage.values();
  if (first !== undefined) throw new DamagedData(`${first} ${RECOVERY}`);
}

/** Whether no start has completed in the folder yet. Ask before the stores are created. */
export function isNewFolder(dataDir: string): boolean {
  return !existsSync(headerFile(dataDir)) && !stores.some(({ folder }) => hasStore(join(dataDir, folder)));
}

/** Notes that every store exists. Call it when all parts have started. */
export function noteComplete(dataDir: string): void {
  if (existsSync(headerFile(dataDir))) return;
  const files = Object.fromEntries(fixedFiles.map((name) => [name, sumOf(join(dataDir, name))]));
  writeHeader(headerFile(dataDir), { store: 'folder', files } satisfies Header);
}

/** Whether a store was created in the folder, even if its data file is missing now. */
export const hasStore = (folder: string) => existsSync(dataFileIn(folder)) || existsSync(headerIn(folder));

const sumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
