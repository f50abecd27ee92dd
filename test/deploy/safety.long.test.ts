import { optionsOf } from '../../deploy/options';
import { apis, safeguards } from '../../deploy/tables';
import { each } from '../support/each';
import { deploying, type Place } from './place';
import { PROJECT, type Database } from './project';
import type { StandIn } from './stand-in';

const { anEmptyProject, aDeployedProject } = deploying();
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
  expect(standIn.budgets).toMatchObject([
    {
      amount: { specifiedAmount: { units: '50' } },
      notificationsRule: { monitoringNotificationChannels: [channel!.name] },
    },
  ]);

  const bare = await anEmptyProject();
  await bare.succeeds({ set: [...none, ...alerted.set] });
  expect(bare.standIn.databases).toEqual([expect.not.objectContaining({ schedules: expect.anything() })]);
  expect(bare.standIn.databases[0]).not.toHaveProperty('deleteProtectionState');
  expect(bare.standIn).toMatchObject({ budgets: [], monitoring: { resources: {} } });
  // The choice is a setting, which the next deploy reads.
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
  const { standIn, succeeds, failsAt } = await anEmptyProject();
  standIn.budgets = undefined;
  expect(await succeeds()).toMatch(/✓ alerts .*no uptime check: add --operator.*; no budget: .*Billing Account Costs/);
  standIn.budgets = [];
  expect(await failsAt((line) => line.includes('budgets create'), { only: 'alerts' })).toMatch(/✗ alerts/);
});

it('lets a budget tell the operator that was made before the address, also without an uptime check', async () => {
  const { standIn, succeeds } = await aDeployedProject({ set: ['UPTIME_CHECK=off'] });
  const [budget] = each(standIn.budgets!);
  budget!.amount.specifiedAmount.units = '70';
  expect(await succeeds({ ...alerted, only: 'alerts' })).toContain('no uptime check; budget of 70 a month');
  await succeeds({ set: ['ALERT_EMAIL=other@example.org'], only: 'alerts' });
  const channels = standIn.monitoring.resources['notificationChannels']!.map(({ name }) => name);
  expect(channels).toHaveLength(2);
  expect(budget!.notificationsRule).toEqual({ monitoringNotificationChannels: channels });
  await succeeds({ only: 'alerts' });
  expect(standIn.changes).toEqual([]);
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

describe('a deploy to a project with another app', () => {
  const foreign = { id: 'theirs', region: 'us-central1', codebase: 'default' };
  const open = 'match /{all=**} { allow read: if true; allow write: if false; } // allow write: if false;';
  const closed = 'match /{all=**} { allow read, write: if false; } // allow read: if true;';
  const aUsedProject = async (prepare: (standIn: StandIn) => void) => {
    const place = await anEmptyProject();
    for (const { name } of apis) place.standIn.apis.add(name);
    prepare(place.standIn);
    return place;
  };
  const aReleasedSite = (standIn: StandIn) => {
    standIn.sites = [{ name: `projects/${PROJECT}/sites/${PROJECT}`, type: 'DEFAULT_SITE' }];
    standIn.isSiteReleased = true;
  };

  it.each<[string, (standIn: StandIn) => void, string]>([
    ['functions', (s) => (s.otherFunctions = [foreign]), '- the function theirs in us-central1'],
    ['rules', (s) => (s.rules = { 'cloud.firestore': open }), '- the rules of cloud.firestore'],
    ['bucket rules', (s) => (s.rules = { 'firebase.storage/x.appspot.com': open }), '- the rules of firebase.st'],
    ['a site', aReleasedSite, `- the site ${PROJECT}.web.app`],
  ])('stops before it replaces %s, and continues when told', async (_what, prepare, told) => {
    const { standIn, fails, succeeds } = await aUsedProject(prepare);
    for (const options of [{}, { from: 'release' }, { only: 'release' }]) {
      expect(await fails(options)).toMatch(/✗ preflight .*has another app[^]*--existing-project/);
      expect(standIn.changes).toEqual([]);
    }
    expect(await succeeds({ existingProject: true })).toContain(told);
    expect(await succeeds()).toContain('deployed to this project before');
  });

  it('does not stop at rules that deny everything, or of other databases', async () => {
    const rules = { 'cloud.firestore': closed, 'cloud.firestore/other': open };
    const { succeeds } = await aUsedProject((standIn) => (standIn.rules = rules));
    expect(await succeeds()).toContain('no other app in this project');
  });

  it('never deletes functions of others, and lists the own ones that it deletes', async () => {
    const { standIn, fails, succeeds } = await aDeployedProject();
    standIn.otherFunctions = [foreign, { ...foreign, id: 'old', codebase: 'decks' }];
    expect(await fails()).toMatch(/have these functions any more:\s+old\(us-central1\)\s+To delete/);
    expect(await succeeds({ deleteRemoved: true })).toMatch(/! These functions are deleted[^:]*:\s+old\(us-central1\)/);
    expect(standIn.otherFunctions).toEqual([foreign]);
    // The site of the release before calls it.
    expect(standIn.changes.slice(-2)).toEqual([
      expect.stringContaining('deploy --only=hosting'),
      expect.stringContaining('functions:delete decks:old'),
    ]);
    await succeeds({ deleteRemoved: true });
    expect(standIn.changes.join('\n')).not.toContain('--force');
  });

  it('sets the policy of the images in a new region beside functions of others', async () => {
    const { standIn, succeeds } = await anEmptyProject();
    standIn.otherFunctions = [{ ...foreign, region: 'asia-east1' }];
    await succeeds({ existingProject: true });
    expect(standIn).toMatchObject({ hasCleanupPolicy: true, isSiteReleased: true });
    expect(standIn.changes.filter((line) => /deploy.*--force/.test(line))).toEqual([]);
  });

  it.each<[string, Partial<StandIn>]>([
    ['signs in by address', { authentication: { signIn: { email: { enabled: true } } } }],
    ['may sign in without an account', { authentication: { signIn: { anonymous: { enabled: true } } } }],
    ['signed up', { authentication: {}, hasUsers: true }],
    ['may sign in with Google', { authentication: {}, identityProviders: [{ name: 'google.com' }] }],
  ])('leaves sign-ups open where somebody %s', async (_what, state) => {
    const { standIn, succeeds } = await anEmptyProject();
    Object.assign(standIn, state);
    expect(await succeeds()).toMatch(/✓ authentication .*visitors may create users too/);
    expect(standIn.authentication).toMatchObject({ signIn: { email: { enabled: true } } });
    expect(standIn.authentication).not.toHaveProperty('client');
  });
});
