import { gcloud } from '../command';
import type { Deploy } from '../context';
import { safeguard } from '../safeguards';
import type { Step } from './step';

const SECONDS_A_DAY = 86_400;
const secondsOf = (days: string) => Number(days) * SECONDS_A_DAY;

export const protectData: Step = {
  name: 'safety',
  about:
    'the database has delete protection, point-in-time recovery and a daily backup, and the bucket keeps deleted files ' +
    'for a week, as far as the [settings](#data-has-a-net) do not leave them out',
  async run(deploy) {
    const told = [await protectDatabase(deploy), await scheduleBackups(deploy), await keepDeletedFiles(deploy)];
    return told.join(', ');
  },
};

interface Database {
  name: string;
  deleteProtectionState?: string;
  pointInTimeRecoveryEnablement?: string;
}

async function protectDatabase(deploy: Deploy): Promise<string> {
  const databases = await deploy.look<Database[]>(
    gcloud('firestore', 'databases', 'list', `--project=${deploy.project}`, '--format=json'),
    [],
  );
  const found = databases.find(({ name }) => name.endsWith(`/databases/${deploy.database}`));
  const [protection, recovery] = [safeguard(deploy, 'DELETE_PROTECTION'), safeguard(deploy, 'PITR')];
  const missing = [
    ...(protection && found?.deleteProtectionState !== 'DELETE_PROTECTION_ENABLED' ? ['--delete-protection'] : []),
    ...(recovery && found?.pointInTimeRecoveryEnablement !== 'POINT_IN_TIME_RECOVERY_ENABLED' ? ['--enable-pitr'] : []),
  ];
  if (missing.length > 0) {
    await deploy.act(
      gcloud(
        ...['firestore', 'databases', 'update', `--database=${deploy.database}`, ...missing],
        `--project=${deploy.project}`,
      ),
    );
  }
  return `${protection ? '' : 'no '}delete protection, ${recovery ? '' : 'no '}point-in-time recovery`;
}

/** A database has at most one daily schedule. */
async function scheduleBackups(deploy: Deploy): Promise<string> {
  const wanted = safeguard(deploy, 'BACKUP_DAYS');
  if (!wanted) return 'no daily backup';
  const schedules = (verb: string, ...args: string[]) =>
    gcloud(
      ...['firestore', 'backups', 'schedules', verb, `--database=${deploy.database}`],
      ...args,
      `--project=${deploy.project}`,
    );
  const all = await deploy.look<{ name: string; retention: string; dailyRecurrence?: object }[]>(
    schedules('list', '--format=json'),
    [],
  );
  const daily = all.find(({ dailyRecurrence }) => dailyRecurrence !== undefined);
  const retention = `--retention=${wanted.value}d`;
  if (!daily) await deploy.act(schedules('create', '--recurrence=daily', retention));
  else if (wanted.isChosen && daily.retention !== `${secondsOf(wanted.value)}s`) {
    await deploy.act(schedules('update', `--backup-schedule=${daily.name.split('/').at(-1)}`, retention));
  }
  return 'daily backup';
}

/** A new bucket has soft delete of 7 days, unless the organization chose something else. */
async function keepDeletedFiles(deploy: Deploy): Promise<string> {
  const { project, bucket } = deploy;
  const wanted = safeguard(deploy, 'SOFT_DELETE_DAYS');
  if (!wanted) return 'soft delete as the bucket has it';
  const seconds = secondsOf(wanted.value);
  const { softDeletePolicy } = await deploy.look<{ softDeletePolicy?: { retentionDurationSeconds?: string } }>(
    gcloud('storage', 'buckets', 'describe', `gs://${bucket}`, '--raw', `--project=${project}`, '--format=json'),
    { softDeletePolicy: { retentionDurationSeconds: String(secondsOf('7')) } },
  );
  const kept = Number(softDeletePolicy?.retentionDurationSeconds ?? 0);
  if (wanted.isChosen ? kept !== seconds : kept === 0) {
    await deploy.act(
      gcloud(
        ...['storage', 'buckets', 'update', `gs://${bucket}`, `--soft-delete-duration=${wanted.value}d`],
        `--project=${project}`,
      ),
    );
  }
  return 'soft delete';
}
