import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AccountStore } from './auth/store';
import { DataFile } from './data/data-file';
import { assertComplete, hasStore, stores } from './data/folder';
import { lockFolder } from './firestore/folder-lock';
import { Store as FirestoreStore } from './firestore/store';
import { MailStore } from './mail/store';
import { readLastRuns } from './schedules/last-runs';
import { Blobs } from './storage/blobs';
import { Store as StorageStore } from './storage/store';

/** The result of a full check. */
export interface CheckReport {
  /** One line for each store. */
  summary: string[];
  /** One sentence for each problem that was found. Empty when the folder is intact. */
  damage: string[];
}

type Problems = (folder: string, dataDir: string) => Promise<string[]>;

const MAX_REPORTED = 100;

/**
 * Reads everything in a data folder: pages and checksums, documents and their indexes, objects and their bytes. Rejects
 * when the folder has no data or is in use.
 */
export async function checkDataFolder(dataDir: string): Promise<CheckReport> {
  if (!stores.some(({ folder }) => hasStore(join(dataDir, folder)))) {
    throw new Error(`There is no data in the folder ${dataDir}.`);
  }
  const unlock = lockFolder(dataDir);
  try {
    const files = [() => assertComplete(dataDir), () => void readLastRuns(dataDir)];
    const report: CheckReport = { summary: [], damage: files.flatMap(problemsOf) };
    for (const { store, folder } of stores) {
      if (hasStore(join(dataDir, folder))) await checkStore(store, join(dataDir, folder), dataDir, report);
    }
    return { ...report, damage: [...new Set(report.damage)].slice(0, MAX_REPORTED) };
  } finally {
    unlock();
  }
}

async function checkStore(
  store: keyof typeof contents,
  folder: string,
  dataDir: string,
  report: CheckReport,
): Promise<void> {
  let pages = 0;
  let isOld = false;
  const damage = problemsOf(() => {
    const found = DataFile.check(folder, store);
    ({ pages, isOld } = found);
    return found.damage;
  });
  // The records of a damaged file are not read through LMDB, which may crash. Old records have no checksums yet.
  if (damage.length === 0 && !isOld) damage.push(...(await contents[store](folder, dataDir).catch(sentence)));
  report.damage.push(...damage);
  const state = damage.length > 0 ? 'damaged' : isOld ? 'intact; the next start adds checksums' : 'intact';
  report.summary.push(`${store}: ${pages} pages, ${state}`);
}

/** The checks of what the stores contain, after the check of their pages. */
const contents = {
  firestore: async (folder) => {
    const store = new FirestoreStore(folder, undefined, false);
    return closing(store, store.problems());
  },
  storage: async (folder, dataDir) => {
    const store = new StorageStore(folder, false);
    return closing(store, missingBytes(store, join(dataDir, 'storage', 'blobs')));
  },
  auth: async (folder) => {
    const store = new AccountStore(folder, false);
    return closing(store, store.problems());
  },
  mail: async (folder) => {
    const store = new MailStore(folder, false);
    return closing(store, store.problems());
  },
} satisfies Record<string, Problems>;

async function closing(
  store: { close(): Promise<void> },
  problems: Iterable<string> | AsyncIterable<string>,
): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const problem of problems) if (found.push(problem) >= MAX_REPORTED) break;
    return found;
  } finally {
    await store.close();
  }
}

/** Reads the bytes of every object and compares their size and hashes with the object's. */
async function* missingBytes(store: StorageStore, folder: string): AsyncGenerator<string> {
  const blobs = await Blobs.open(folder, false);
  for (const { bucket, name, file, size, md5Hash, crc32c } of store.objects()) {
    const path = join(folder, file);
    if (!existsSync(path)) {
      yield `Storage: the bytes of ${bucket}/${name} are missing (${path}).`;
      continue;
    }
    const digest = await blobs.digest(file);
    const hashes = digest.hashes();
    const isSame = digest.size === size && hashes.crc32c === crc32c && (!md5Hash || hashes.md5Hash === md5Hash);
    if (!isSame) yield `Storage: the bytes of ${bucket}/${name} are damaged (${path}).`;
  }
}

/** The problems that `check` returns, or the message of its error. */
function problemsOf(check: () => string[] | void): string[] {
  try {
    return check() ?? [];
  } catch (error) {
    return sentence(error);
  }
}

const sentence = (error: unknown): string[] => [error instanceof Error ? error.message : String(error)];
