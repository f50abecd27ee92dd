import { deployRoles } from '../../deploy/deploy-roles';
import { passSeconds } from '../support/clock';
import { each } from '../support/each';
import { addRecords, END, ORIGIN } from './origins';
import { ACCOUNT, deploying, type Place } from './place';
import { anEndpoint, BACKUP, PROJECT } from './project';

const { anEmptyProject, aDeployedProject } = deploying();

/** The changes of services, without what is the same in all. */
const changesOf = ({ standIn }: Place) =>
  standIn.changes.flatMap((line) => /^gcloud run services (\S+ \S+ \S+)/.exec(line)?.[1] ?? []);

describe('the functions', () => {
  it('may be called by the account where a queue of tasks does, and not by everybody', async () => {
    const place = await anEmptyProject();
    place.standIn.source = [...place.standIn.source, anEndpoint('deliverEvent', { kind: 'task' })];
    expect(await place.succeeds()).toMatch(/✓ public +2 functions[^]*✓ jobs .*1 of tasks/);
    expect(place.standIn.isClosed('deliverEvent')).toBe(true);
    const { bindings } = place.standIn.policy('deliverevent');
    expect(bindings).toEqual([{ role: 'roles/run.invoker', members: [ACCOUNT] }]);
  });

  it('are public after a deploy, except the scheduled ones, and become public again when somebody closed them', async () => {
    const place = await aDeployedProject();
    const isClosed = (name: string) => place.standIn.isClosed(name);
    expect(['getServiceInfo', 'deckSite', 'finishDeletions'].map(isClosed)).toEqual([false, false, true]);
    place.standIn.policies.delete('decksite');
    // The release took longer than a token is valid.
    place.standIn.expiredTokens = 1;
    const told = await place.succeeds();
    expect(told).toMatch(/: 0 of 3 functions[^]*✓ public +2 functions, 1 of them since now/);
    expect(told).toMatch(/✓ check .* 2 public functions/);
    expect(changesOf(place)).toEqual(['add-iam-policy-binding decksite --member=allUsers']);
    expect(isClosed('deckSite')).toBe(false);
  });

  it('are public without the check of Cloud Run where the organization refuses allUsers, after each deploy', async () => {
    const place = await anEmptyProject();
    const { standIn } = place;
    standIn.allowsEverybody = false;
    expect(await place.succeeds()).toContain('2 of them since now, without the check of Cloud Run: the organization');
    const ended = ['update decksite --no-invoker-iam-check', 'update getserviceinfo --no-invoker-iam-check'];
    expect(changesOf(place)).toEqual(ended);
    await place.succeeds();
    expect(changesOf(place)).toEqual([]);
    standIn.code = 'another version';
    await place.succeeds();
    expect(changesOf(place)).toEqual(ended);
    standIn.allowsEverybody = true;
    standIn.code = 'a version after the organization allowed it';
    await place.succeeds();
    expect(standIn.policy('decksite').bindings).toMatchObject([{ members: ['allUsers'] }]);
  });

  it('stay closed where the organization refuses both ways, and the deploy names the two policies', async () => {
    const { standIn, fails, succeeds } = await anEmptyProject();
    Object.assign(standIn, { allowsEverybody: false, allowsNoCheck: false });
    const told = await fails();
    expect(told).toMatch(/✗ public[^]*--no-invoker-iam-check[^]*iam\.allowedPolicyMemberDomains: allow all/);
    expect(told).toContain(`npm run deploy -- --project ${PROJECT} --from public`);
    standIn.allowsEverybody = true;
    await succeeds({ from: 'public' });
  });

  it('are probed by the check, which names each that Google answers for', async () => {
    const { standIn, fails } = await aDeployedProject();
    standIn.policies.delete('decksite');
    expect(await fails({ from: 'check' })).toMatch(
      /✗ check .*not public, or do not answer: deckSite\.[^]*--from public/,
    );
  });

  it('get more CPU while they start, after each deploy', async () => {
    const place = await anEmptyProject();
    place.standIn.services.startsWithBoost = false;
    expect(await place.succeeds()).toMatch(/✓ boost +switched on for 3 functions/);
    expect(await place.succeeds()).toMatch(/: 0 of 3 functions[^]*✓ boost +on for 3 functions/);
    expect(changesOf(place)).toEqual([]);
    place.standIn.code = 'another version';
    await place.succeeds();
    expect(changesOf(place).toSorted()).toEqual(
      ['decksite', 'finishdeletions', 'getserviceinfo'].map((name) => `update ${name} --cpu-boost`),
    );
  });
});

const everything = deployRoles.flatMap(({ permissions }) => permissions);
const always = deployRoles.filter(({ onlyFor }) => !onlyFor);

it('lets an account with the roles of the list deploy, restore and clean up, and lists no other permission', async () => {
  const place = await anEmptyProject();
  const { standIn, succeeds, fails } = place;
  standIn.granted = new Set(everything);
  standIn.apis.clear();
  addRecords(place);
  const alerts = ['ALERT_EMAIL=operator@example.org'];
  // Every part of the deploy: all changes and looks that its steps can make.
  standIn.rules = { 'cloud.firestore': 'allow read: if true;' };
  standIn.apis
    .add('firebaserules.googleapis.com')
    .add('firebasehosting.googleapis.com')
    .add('serviceusage.googleapis.com');
  expect(await fails({ set: alerts })).toMatch(/✗ preflight/);
  await succeeds({ existingProject: true, deckOrigin: ORIGIN, set: alerts });
  standIn.backups = [{ name: BACKUP, database: '', snapshotTime: '', state: 'READY' }];
  await succeeds({ restore: BACKUP });
  // Restores are named by the second in which they began.
  passSeconds(60);
  await succeeds({ restore: '2026-01-31T12:00Z' });
  // A new version of the code without one function, where nobody from outside may be granted to call the others.
  Object.assign(standIn, { code: 'another version', allowsEverybody: false });
  standIn.policies.delete('decksite');
  standIn.services.startsWithBoost = false;
  standIn.otherFunctions = [{ id: 'old', region: 'us-central1', codebase: 'decks' }];
  await succeeds({ from: 'release', deleteRemoved: true });
  await succeeds({ rollback: true });
  await succeeds({ set: ['BASE_URL=https://api.example.org'], only: 'alerts' });
  await succeeds({ set: ['BACKUP_DAYS=30', 'BUDGET=9'], only: 'safety' });
  standIn.network.hasRecords = false;
  await succeeds({ ...END });
  standIn.authentication = {};
  await succeeds({ only: 'authentication' });
  expect([...standIn.used].sort()).toEqual([...new Set(everything)].sort());
});

it('deploys to a Firebase project without the roles for a new one and for origins of decks', async () => {
  const { standIn, succeeds } = await anEmptyProject();
  standIn.isFirebase = true;
  standIn.granted = new Set(always.flatMap(({ permissions }) => permissions));
  expect(await succeeds()).toMatch(/✓ tools .*, all rights$/m);
});

it.each(always.map(({ name, permissions }) => [name, permissions] as const))(
  'stops before the first change without a permission of %s, and prints the command that grants the role',
  async (role, permissions) => {
    const deployer = 'deployer@decks-test-1.iam.gserviceaccount.com';
    for (const missing of each(permissions)) {
      const { standIn, fails } = await anEmptyProject();
      Object.assign(standIn, { deployer, granted: new Set(everything.filter((each) => each !== missing)) });
      standIn.apis.add('cloudbilling.googleapis.com');
      const told = await fails();
      expect(standIn.changes).toEqual([]);
      // Without these the rights cannot be asked for.
      if (/services\.(list|use)$|projects\.get$/.test(missing)) continue;
      expect(told).toContain(`- ${missing} (`);
      expect(told).toContain(
        `gcloud projects add-iam-policy-binding ${PROJECT} --member=serviceAccount:${deployer} --role=${role} --condition=None\n`,
      );
    }
  },
);

it('asks for the roles of origins only where a deploy makes or deletes them', async () => {
  const { standIn, fails } = await aDeployedProject();
  standIn.granted = new Set(always.flatMap(({ permissions }) => permissions));
  for (const options of [{ deckOrigin: ORIGIN }, END]) {
    expect(await fails({ ...options, from: 'tools' })).toMatch(/✗ tools [^]*--role=roles\/compute\.loadBalancerAdmin/);
  }
});

it('goes back to the release before without the rights that only a deploy needs', async () => {
  const { standIn, succeeds, fails } = await aDeployedProject();
  standIn.code = 'another version';
  await succeeds();
  const withoutGrants = everything.filter((each) => each !== 'resourcemanager.projects.setIamPolicy');
  standIn.granted = new Set(withoutGrants);
  expect(await fails()).toMatch(/✗ tools /);
  expect(await succeeds({ rollback: true })).toMatch(/✓ rollback +3 functions/);
});

it('is refused by the stand-in where a permission is missing that nobody asked for', async () => {
  const { standIn, fails } = await aDeployedProject();
  standIn.granted = new Set(everything.filter((each) => each !== 'run.services.getIamPolicy'));
  expect(await fails({ only: 'jobs' })).toMatch(/✗ jobs .*\n[^]*PERMISSION_DENIED: .*run\.services\.getIamPolicy/);
});

it('goes on when Google does not know a permission of the list any more', async () => {
  const { standIn, succeeds } = await anEmptyProject();
  standIn.unknownPermission = 'logging.sinks.get';
  expect(await succeeds()).toMatch(/✓ tools .*, rights not checked$/m);
});
