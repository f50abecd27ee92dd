import { deployRoles } from '../../deploy/deploy-roles';
import { passSeconds } from '../support/clock';
import { each } from '../support/each';
import { addRecords, END, ORIGIN } from './origins';
import { deploying } from './place';
import { PROJECT } from './project';

const made = deploying();
const { anEmptyProject, aDeployedProject } = made;
const everything = deployRoles.flatMap(({ permissions }) => permissions);
const always = deployRoles.filter(({ onlyFor }) => !onlyFor);
const BACKUP = `projects/${PROJECT}/locations/us-central1/backups/cf9f748a-7980-4703-b1a1-d1ffff591db0`;

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
