import { setTimeout as pause } from 'node:timers/promises';
import { appendLine, firebase, gcloud, StepFailure, type Command } from '../command';
import { DEFAULT_DATABASE, type Deploy } from '../context';
import { Settings } from '../settings';
import type { Step } from './step';

/** How often a restore is looked at, with a pause of 10 seconds between two looks: an hour. */
const LOOKS = 360;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:00)?Z$/;
const BACKUP = /^(projects\/[^/]+\/locations\/[^/]+\/backups\/)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the text names a backup or a minute. */
export const isRestorable = (text: string) => TIME.test(text) || BACKUP.test(text);

/**
 * Firestore restores into a new database only, and the name of a database cannot be changed. To restore into
 * `(default)` the damaged database must be deleted first, with no way back. So the service moves to the new database by
 * the setting DATABASE_ID, and the old one stays. https://firebase.google.com/docs/firestore/restore-in-place
 */
export const restoreDatabase: Step = {
  name: 'restore',
  about:
    'with `--restore`: a new database has the documents of a backup or of a minute, and the setting DATABASE_ID names it: ' +
    'the release moves the service there',
  async run(deploy) {
    const source = deploy.options.restore;
    if (source === undefined) return 'not asked for';
    const { project } = deploy;
    const old = deploy.runningDatabase ?? deploy.database;
    const database = chooseName(deploy, source);
    const databases = await deploy.look<{ name: string }[]>(
      gcloud('firestore', 'databases', 'list', `--project=${project}`, '--format=json'),
      [],
    );
    if (!databases.some(({ name }) => name.endsWith(`/databases/${database}`))) {
      const begin = TIME.test(source) ? clone(deploy, source, old, database) : await restore(deploy, source, database);
      await deploy.act(
        begin,
        'With point-in-time recovery each minute of the last 7 days can be restored, without it each of the last hour.',
      );
    }
    await awaitDatabase(deploy, database);
    store(deploy, 'DATABASE_ID', database);
    return `${database} has the documents of ${source}; ${old} stays as it is`;
  },
};

/** The restore that began last: its source, and its database. */
export function restoredBy({ settings }: Deploy): { source: string; database: string } | undefined {
  const [source, database] = (settings.get('RESTORE') ?? '').split(' ');
  return source && database ? { source, database } : undefined;
}

/**
 * The name of the new database. A restore that was cut off continues with the same name. When the service runs on that
 * database already, the restore was finished, and the operator wants another one.
 */
function chooseName(deploy: Deploy, source: string): string {
  const begun = restoredBy(deploy);
  if (begun?.source === source && begun.database !== deploy.runningDatabase) return begun.database;
  const database = `restored-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`;
  store(deploy, 'RESTORE', `${source} ${database}`);
  return database;
}

function store(deploy: Deploy, name: string, value: string): void {
  if (deploy.isDryRun) deploy.around.print(appendLine(Settings.line(name, value), `functions/.env.${deploy.project}`));
  else deploy.settings.set(name, value);
}

/** gcloud 528 cannot clone a database. firebase-tools can since October 2025. */
function clone({ project }: Deploy, time: string, from: string, to: string): Command {
  const name = (database: string) => `projects/${project}/databases/${database}`;
  const snapshot = new Date(time).toISOString().replace('.000Z', 'Z');
  return firebase(
    ...['firestore:databases:clone', name(from), name(to), `--snapshot-time=${snapshot}`],
    ...[`--project=${project}`, '--non-interactive'],
  );
}

interface Backup {
  name: string;
  database: string;
  snapshotTime: string;
  state: string;
}

async function restore(deploy: Deploy, source: string, database: string): Promise<Command> {
  const { project } = deploy;
  const backups = await deploy.look<Backup[]>(
    gcloud('firestore', 'backups', 'list', `--project=${project}`, '--format=json'),
    [{ name: source, database: DEFAULT_DATABASE, snapshotTime: '', state: 'READY' }],
  );
  const found = backups.find(({ name }) => name === source || name.endsWith(`/backups/${source}`));
  if (found?.state === 'READY') {
    return gcloud(
      ...['firestore', 'databases', 'restore', `--source-backup=${found.name}`, `--destination-database=${database}`],
      `--project=${project}`,
    );
  }
  const ready = backups
    .filter(({ state }) => state === 'READY')
    .sort((a, b) => (a.snapshotTime < b.snapshotTime ? 1 : -1));
  const list = ready.map(
    ({ name, snapshotTime, database: of }) => `- ${name} (${snapshotTime}, ${of.split('/').at(-1)})`,
  );
  throw new StepFailure(
    `${project} has no backup ${source} that is ready.`,
    list.length > 0 ? `The backups, the newest first:\n${list.join('\n')}` : 'The project has no backup that is ready.',
  );
}

interface Operation {
  done?: boolean;
  error?: { message?: string };
  metadata?: { '@type'?: string };
}

/** Waits until the operation that fills the database has ended: before, nothing can be read there. */
async function awaitDatabase(deploy: Deploy, database: string): Promise<void> {
  const look = gcloud(
    ...['firestore', 'operations', 'list', `--database=${database}`],
    ...[`--project=${deploy.project}`, '--format=json'],
  );
  const done: Operation = { done: true, metadata: { '@type': 'RestoreDatabaseMetadata' } };
  for (let left = LOOKS; ; left--) {
    const all = (await deploy.look<Operation[]>(look, [done])).filter(({ metadata }) =>
      /(Restore|Clone)DatabaseMetadata$/.test(metadata?.['@type'] ?? ''),
    );
    if (all.some((each) => each.done && !each.error)) return;
    const failed = all.find((each) => each.error);
    if (failed) {
      // The next run begins anew, with another name.
      deploy.settings.set('RESTORE', '');
      throw new StepFailure(
        `The restore into ${database} failed: ${failed.error!.message}.`,
        `The service still runs on ${deploy.runningDatabase ?? deploy.database}. Delete the new database, if it exists: gcloud firestore databases ` +
          `delete --database=${database} --project=${deploy.project}`,
      );
    }
    if (left <= 1) {
      throw new StepFailure(
        `The database ${database} is still being restored.`,
        'A large database needs hours. Look at it: gcloud firestore operations list ' +
          `--database=${database} --project=${deploy.project}`,
      );
    }
    if (left === LOOKS) deploy.around.print(`… waiting until ${database} is restored`);
    await pause(deploy.around.pauseMs);
  }
}
