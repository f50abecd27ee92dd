import { BILLING_ACCOUNT, PROJECT, type Commands, type Database, type Project } from './project';
import { need, type Options } from './refused';

const DAY = 86_400;

/** A duration such as 7d in seconds, in the forms of the bucket and of a backup schedule. */
const secondsOf = (duration: string) => Number(/^(\d+)d$/.exec(duration)![1]) * DAY;
export const softDelete = (duration: string) => ({ retentionDurationSeconds: String(secondsOf(duration)) });

export function databaseOf({ databases }: Project, { database }: Options): Database {
  const found = databases.find(({ name }) => name === `projects/${PROJECT}/databases/${database}`);
  need(found !== undefined, `NOT_FOUND: the database ${database}`);
  return found;
}

function budgetsOf({ apis, budgets }: Project, option: Options) {
  need(option['billing-project'] === PROJECT && apis.has('billingbudgets.googleapis.com'), 'the API is not enabled');
  need(option['billing-account'] === BILLING_ACCOUNT, 'NOT_FOUND: the billing account');
  need(budgets !== undefined, 'PERMISSION_DENIED: The caller does not have permission');
  return budgets;
}

const CHANNELS = 'notifications-rule-monitoring-notification-channels';
const BUDGET = `billing-account billing-project budget-amount ${CHANNELS}`;

/** The fields of a budget that the options name. */
function budgetFields({ monitoring }: Project, option: Options) {
  const { 'budget-amount': units, [CHANNELS]: channels } = option;
  const named = channels?.split(',');
  for (const channel of named ?? []) need(monitoring.has(channel), 'NOT_FOUND: the channel');
  return {
    ...(units !== undefined && { amount: { specifiedAmount: { units } } }),
    ...(named && { notificationsRule: { monitoringNotificationChannels: named } }),
  };
}

/** Creates the database, which is filled while commands look at it. */
export function beginRestore({ databases }: Project, id: string, filledBy: string): void {
  const name = `projects/${PROJECT}/databases/${id}`;
  need(!databases.some((each) => each.name === name), 'Database already exists. Please use another database_id');
  need(/^[a-z][a-z0-9-]{2,61}[a-z0-9]$/.test(id), 'INVALID_ARGUMENT: the id of the database');
  databases.push({ name, type: 'FIRESTORE_NATIVE', locationId: databases[0]!.locationId, filledBy });
}

/** The commands for backups and budgets, with their options in gcloud 528. */
export const safetyCommands: Commands = {
  'firestore databases update': [
    'database delete-protection enable-pitr project',
    (project, option) => {
      const found = databaseOf(project, option);
      if ('delete-protection' in option) found.deleteProtectionState = 'DELETE_PROTECTION_ENABLED';
      if ('enable-pitr' in option) found.pointInTimeRecoveryEnablement = 'POINT_IN_TIME_RECOVERY_ENABLED';
    },
  ],
  'firestore backups schedules list': [
    'database project format',
    (project, option) => databaseOf(project, option).schedules ?? [],
  ],
  'firestore backups schedules create': [
    'database recurrence retention project',
    (project, option) => {
      const found = databaseOf(project, option);
      const all = (found.schedules ??= []);
      need(!all.some(({ dailyRecurrence }) => dailyRecurrence), 'ALREADY_EXISTS: a daily backup schedule');
      need(option['recurrence'] === 'daily', 'the stand-in knows daily schedules only');
      const retention = `${secondsOf(option['retention']!)}s`;
      all.push({ name: `${found.name}/backupSchedules/s${all.length}`, retention, dailyRecurrence: {} });
    },
  ],
  'firestore backups schedules update': [
    'database backup-schedule retention project',
    (project, option) => {
      const schedules = databaseOf(project, option).schedules ?? [];
      const found = schedules.find(({ name }) => name.endsWith(`/${option['backup-schedule']}`));
      need(found !== undefined, 'NOT_FOUND: the schedule');
      found.retention = `${secondsOf(option['retention']!)}s`;
    },
  ],
  'firestore backups list': ['project format', ({ backups }) => backups],
  'firestore databases restore': [
    'source-backup destination-database project',
    (project, option) => {
      const found = project.backups.find(({ name }) => name === option['source-backup']);
      need(found?.state === 'READY', 'NOT_FOUND: the backup');
      beginRestore(project, option['destination-database']!, 'RestoreDatabaseMetadata');
    },
  ],
  'firestore operations list': [
    'database project format',
    (project, option) => {
      const { filledBy } = databaseOf(project, option);
      const isDone = project.restoring-- <= 0;
      const error = isDone && project.restoreFails ? { error: { message: project.restoreFails } } : {};
      const type = `type.googleapis.com/google.firestore.admin.v1.${filledBy}`;
      return filledBy ? [{ done: isDone, metadata: { '@type': type }, ...error }] : [];
    },
  ],
  'billing budgets list': ['billing-account billing-project format', budgetsOf],
  'billing budgets create': [
    `${BUDGET} display-name filter-projects threshold-rule`,
    (project, option) => {
      const all = budgetsOf(project, option);
      need(option['filter-projects'] === `projects/${PROJECT}`, 'the budget counts other projects');
      const name = `${BILLING_ACCOUNT}/budgets/b${all.length}`;
      const amount = { specifiedAmount: { units: '' } };
      all.push({ name, displayName: option['display-name']!, amount, ...budgetFields(project, option) });
    },
  ],
  'billing budgets update': [
    BUDGET,
    (project, option, [id]) => {
      const found = budgetsOf(project, option).find(({ name }) => name === `${BILLING_ACCOUNT}/budgets/${id}`);
      need(found !== undefined, 'NOT_FOUND: the budget');
      Object.assign(found, budgetFields(project, option));
    },
  ],
};
