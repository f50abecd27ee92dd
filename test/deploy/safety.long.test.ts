import { optionsOf } from '../../deploy/options';
import { safeguards } from '../../deploy/tables';
import { each } from '../support/each';
import { continuesAfter, wholeDeploy } from './cuts';
import { deploying, type Place } from './place';
import { PROJECT, type Database } from './project';

const made = deploying();
const { anEmptyProject, aDeployedProject } = made;
const operator = 'operator@example.org';
/** The address by a setting: `operator` also sends a mail, and an address gets one code in 30 seconds. */
const alerted = { set: [`ALERT_EMAIL=${operator}`] };
const none = safeguards.map(({ setting }) => `${setting}=off`);
const SECONDS_A_DAY = 86_400;

const daily = ({ standIn }: Place) => standIn.databases[0]!.schedules?.map(({ retention }) => retention);
const softDelete = ({ standIn }: Place) => standIn.bucket!.softDeletePolicy;
const kept = (days: number) => ({ retentionDurationSeconds: String(days * SECONDS_A_DAY) });

it('protects the data and watches the service by default, and leaves out what the operator switches off', async () => {
  const place = await anEmptyProject();
  expect(await place.succeeds({ operator })).toContain(
    `✓ alerts          uptime check, mails to ${operator}; budget of 50`,
  );
  const { standIn } = place;
  expect(place.settings()).toContain(`ALERT_EMAIL=${operator}\n`);
  expect(standIn.databases).toMatchObject([
    {
      deleteProtectionState: 'DELETE_PROTECTION_ENABLED',
      pointInTimeRecoveryEnablement: 'POINT_IN_TIME_RECOVERY_ENABLED',
      schedules: [{ retention: `${7 * SECONDS_A_DAY}s`, dailyRecurrence: {} }],
    },
  ]);
  expect(softDelete(place)).toEqual(kept(7));
  const [channel] = standIn.monitoring.resources['notificationChannels']!;
  expect(channel).toMatchObject({ type: 'email', labels: { email_address: operator } });
  const [check] = standIn.monitoring.resources['uptimeCheckConfigs']!;
  expect(check).toMatchObject({ httpCheck: { path: '/getServiceInfo', useSsl: true } });
  expect(standIn.monitoring.resources['alertPolicies']).toMatchObject([{ notificationChannels: [channel!.name] }]);
  expect(JSON.stringify(standIn.monitoring.resources['alertPolicies'])).toContain(check!.name.split('/').at(-1));
  expect(standIn.budgets).toMatchObject([{ amount: { specifiedAmount: { units: '50' } } }]);

  const bare = await anEmptyProject();
  await bare.succeeds({ set: [...none, ...alerted.set] });
  expect(bare.standIn.databases).toEqual([expect.not.objectContaining({ schedules: expect.anything() })]);
  expect(bare.standIn.databases[0]).not.toHaveProperty('deleteProtectionState');
  expect(bare.standIn).toMatchObject({ budgets: [], monitoring: { resources: {} } });
  // The choice is a setting, which the next deploy reads.
  bare.standIn.changes.length = 0;
  await bare.succeeds();
  expect(bare.standIn.changes.filter((line) => !line.startsWith('firebase deploy'))).toEqual([]);
});

it('keeps what the operator set in the project, and changes it when the operator chooses', async () => {
  const place = await aDeployedProject(alerted, ({ standIn }) => {
    standIn.bucket = { location: 'us-east1', softDeletePolicy: kept(30) };
  });
  const { standIn, succeeds } = place;
  const database: Database = standIn.databases[0]!;
  database.schedules = [
    { name: 'x/backupSchedules/weekly', retention: '1s', weeklyRecurrence: {} },
    { name: 'x/backupSchedules/mine', retention: '2s', dailyRecurrence: {} },
  ];
  await succeeds();
  expect([daily(place), softDelete(place)]).toEqual([['1s', '2s'], kept(30)]);
  // No function reads these settings.
  const chosen = { set: ['BACKUP_DAYS=30', 'SOFT_DELETE_DAYS=90', 'BUDGET=200'] };
  expect(await succeeds(chosen)).toContain(': 0 of 3 functions');
  expect([daily(place), softDelete(place)]).toEqual([['1s', `${30 * SECONDS_A_DAY}s`], kept(90)]);
  expect(standIn.budgets).toMatchObject([{ amount: { specifiedAmount: { units: '200' } } }]);
  standIn.bucket!.softDeletePolicy = { retentionDurationSeconds: '0' };
  database.schedules = [];
  await succeeds({ only: 'safety' });
  expect([daily(place), softDelete(place)]).toEqual([[`${30 * SECONDS_A_DAY}s`], kept(90)]);
});

it('goes on without a budget where the account has no right on the billing account', async () => {
  const { standIn, succeeds, fails } = await anEmptyProject();
  standIn.budgets = undefined;
  expect(await succeeds()).toMatch(/✓ alerts .*no uptime check: add --operator.*; no budget: .*Billing Account Costs/);
  standIn.budgets = [];
  standIn.refuses = (line) => (line.includes('budgets create') ? 'before' : undefined);
  expect(await fails({ only: 'alerts' })).toMatch(/✗ alerts/);
});

it('watches the new address of a service that moved, and tells the channels that the operator added', async () => {
  const { standIn, settings, succeeds } = await aDeployedProject(alerted);
  const { resources } = standIn.monitoring;
  const [policy] = resources['alertPolicies']!;
  resources['notificationChannels']!.push({ name: 'projects/p/notificationChannels/mine', type: 'sms' });
  (policy!['notificationChannels'] as string[]).push('projects/p/notificationChannels/mine');
  const [{ name: old } = { name: '' }] = resources['uptimeCheckConfigs']!;
  expect(settings()).toContain(`ALERT_EMAIL=${operator}\n`);
  await succeeds({ set: ['BASE_URL=https://api.example.org/v1'], only: 'alerts' });
  const checks = each(resources['uptimeCheckConfigs']!);
  expect(checks).toMatchObject([
    { monitoredResource: { labels: { host: 'api.example.org' } }, httpCheck: { path: '/v1/getServiceInfo' } },
  ]);
  expect(checks[0]!.name).not.toBe(old);
  expect(JSON.stringify(policy)).toContain(`check_id=\\"${checks[0]!.name.split('/').at(-1)}\\"`);
  expect(policy!['notificationChannels']).toHaveLength(2);
});

it('continues after a cut of each alert, and prints all of them in a dry run', async () => {
  const story = { start: anEmptyProject, options: alerted };
  const whole = await wholeDeploy(story);
  const isAlert = (line: string) => /v3\/projects|budgets create|backups|databases update/.test(line);
  const alerts = whole.changes.filter(isAlert);
  expect(alerts).toHaveLength(6);
  for (const side of ['before', 'after'] as const) {
    for (const cut of each(alerts)) await continuesAfter(story, cut, side, whole);
  }
  const dry = await (await anEmptyProject()).succeeds({ ...story.options, dryRun: true });
  expect(dry.split('\n').filter((line) => !line.startsWith('#') && isAlert(line))).toHaveLength(6);
});

it.each([
  ['PITR=yes', 'Write PITR=on, or PITR=off'],
  ['BACKUP_DAYS=99', 'Write BACKUP_DAYS=7'],
  ['SOFT_DELETE_DAYS=6', 'Write SOFT_DELETE_DAYS=7'],
  ['BUDGET=0', 'Write BUDGET=50'],
])('the setting %s is refused', async (set, problem) => {
  expect(() => optionsOf(['--project', PROJECT, '--set', set], () => {})).toThrow(problem);
  const { fails } = await anEmptyProject();
  expect(await fails({ set: [set] })).toMatch(/✗ (safety|alerts) +\S+ is not a value of the setting/);
});
