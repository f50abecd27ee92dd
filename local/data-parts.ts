import { startAuth } from './auth';
import type { Indexes } from './configuration';
import { assertComplete, assertUndamaged, isNewFolder, noteComplete } from './data/folder';
import { lockFolder } from './data/folder-lock';
import { startFirestore } from './firestore';
import { startMail } from './mail';
import type { Part } from './ports';
import { bucketOf } from './project';
import { openSecrets, type Secrets } from './secrets';
import type { StartedParts } from './started-parts';
import { startStorage, type CorsRule } from './storage';
import { startTasks } from './tasks';

/** A part that keeps its data in the data folder. */
export type DataPart = Extract<Part, 'firestore' | 'storage' | 'auth' | 'mail' | 'tasks'>;

export interface DataPartsOptions {
  /** An existing folder. Nothing in a temporary folder is checked or synced. */
  folder: { dataDir: string; isTemporary: boolean };
  project: string;
  /** Undefined: queries need no index. */
  indexes: Indexes | undefined;
  cors: CorsRule[];
  /** Parts that another program provides. Only a temporary folder may lack parts. */
  elsewhere?: readonly DataPart[];
  /** Starts a part on its port. */
  listening: <T>(part: DataPart, start: (port: number) => Promise<T>) => Promise<T>;
  /** Receives each part as soon as it has started. */
  started: StartedParts;
}

export interface DataParts {
  secrets: Secrets;
  /** Whether no start has completed in the folder before. */
  isNew: boolean;
  firestore: Awaited<ReturnType<typeof startFirestore>>;
  storage: Awaited<ReturnType<typeof startStorage>>;
  auth: Awaited<ReturnType<typeof startAuth>>;
  mail: Awaited<ReturnType<typeof startMail>>;
  tasks: Awaited<ReturnType<typeof startTasks>>;
}

type SomeParts = Pick<DataParts, 'secrets' | 'isNew' | 'mail'> & {
  [Kept in 'firestore' | 'storage' | 'auth' | 'tasks']: DataParts[Kept] | undefined;
};

/**
 * Locks a data folder and starts the parts that keep their data in it. Rejects when another process uses the folder,
 * when a file of the folder is missing or damaged, and when a port is in use.
 */
export async function startDataParts(options: DataPartsOptions & { elsewhere?: never }): Promise<DataParts>;
export async function startDataParts(options: DataPartsOptions): Promise<SomeParts>;
export async function startDataParts(options: DataPartsOptions): Promise<SomeParts> {
  const { folder, project, indexes, cors, elsewhere = [], listening, started } = options;
  const { dataDir, isTemporary } = folder;
  if (!isTemporary && elsewhere.length > 0) {
    throw new Error(`A data folder needs every part of the local cloud, also ${elsewhere.join(' and ')}.`);
  }
  const start = async <T extends { close(): Promise<void> }>(part: DataPart, startOn: (port: number) => Promise<T>) =>
    elsewhere.includes(part) ? undefined : started.add(await listening(part, startOn));

  if (!isTemporary) {
    const unlock = lockFolder(dataDir);
    started.atEnd(async () => unlock());
    assertComplete(dataDir);
    await assertUndamaged(dataDir);
  }
  const isNew = isNewFolder(dataDir);
  const firestore = await start('firestore', (port) =>
    startFirestore({ ...folder, port, ...(indexes && { indexes }) }),
  );
  const secrets = await openSecrets(dataDir, project);
  const { bucket, aliases } = bucketOf(project);
  const { signingKey } = secrets;
  const storage = await start('storage', (port) =>
    startStorage({ ...folder, port, buckets: [bucket], aliases, signingKey, cors }),
  );
  const auth = await start('auth', (port) => startAuth({ ...folder, port, project }));
  const mail = started.add(await listening('mail', (port) => startMail({ ...folder, port })));
  const tasks = await start('tasks', (port) => startTasks({ ...folder, port, project }));
  if (!isTemporary) noteComplete(dataDir);
  return { secrets, isNew, firestore, storage, auth, mail, tasks };
}
