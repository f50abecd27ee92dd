import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AccountStore } from './auth/store';
import { isComplete } from './data/data-file';
import { assertComplete, hasStore, stores } from './data/folder';
import { lockFolder } from './data/folder-lock';
import { tryFiles } from './data/trial';
import { Store as FirestoreStore } from './firestore/store';
import { MailStore } from './mail/store';
import { readLastRuns } from './schedules/last-runs';
import { Blobs } from './storage/blobs';
import { Store as StorageStore } from './storage/store';
import { TaskStore } from './tasks/store';

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
 * Reads everything in a data folder: records and checksums, documents and their indexes, objects and their bytes.
 * Rejects when the folder has no data or is in use.
 */
export async function checkDataFolder(dataDir: string): Promise<CheckReport> {
  if (!stores.some(({ folder }) => hasStore(join(dataDir, folder)))) {
    throw new Error(`There is no data in the folder ${dataDir}.`);
  }
  const unlock = lockFolder(dataDir);
  try {
    const report: CheckReport = { summary: [], damage: [] };
    report.damage.push(...(await problemsOf(() => assertComplete(dataDir))));
    report.damage.push(...(await problemsOf(() => void readLastRuns(dataDir))));
    const found: { store: keyof typeof contents; folder: string }[] = [];
    for (const { store, folder: name } of stores) {
      const folder = join(dataDir, name);
      if (!hasStore(folder)) continue;
      const damage = await problemsOf(() => {
        // A start that was killed leaves an incomplete file. The next start creates it again.
        if (isComplete(folder, store)) found.push({ store, folder });
      });
      report.damage.push(...damage);
    }
    const tried = await tryFiles(found.map(({ folder }) => folder));
    for (const { store, folder } of found) {
      const damaged = tried.damage.get(folder);
      // A damaged file may crash this process.
      const damage = damaged === undefined ? await problemsOf(() => contents[store](folder, dataDir)) : [damaged];
      report.damage.push(...damage);
      const state = damage.length > 0 ? 'damaged' : `${tried.records.get(folder)} records, intact`;
      report.summary.push(`${store}: ${state}`);
    }
    return { ...report, damage: [...new Set(report.damage)].slice(0, MAX_REPORTED) };
  } finally {
    unlock();
  }
}

/** The checks of what the stores contain. */
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
  tasks: async (folder) => {
    const store = new TaskStore(folder, false);
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
async function problemsOf(check: () => void | Promise<string[]>): Promise<string[]> {
  try {
    return (await check()) ?? [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
