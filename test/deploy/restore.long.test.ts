import { writeFileSync } from 'node:fs';
import { Firestore } from 'firebase-admin/firestore';
import { compareClients } from '../../deploy/database-clients';
import { optionsOf } from '../../deploy/options';
import { passSeconds } from '../support/clock';
import { each } from '../support/each';
import { continuesAfter, wholeDeploy } from './cuts';
import { deploying, type Place } from './place';
import { PROJECT } from './project';

const made = deploying();
const { aDeployedProject } = made;
const BACKUP = `projects/${PROJECT}/locations/us-central1/backups/cf9f748a-7980-4703-b1a1-d1ffff591db0`;
const MINUTE = '2026-01-31T12:00Z';

const clients = new Map<string, Firestore>();
function databaseOf(databaseId: string): Firestore {
  const { project: projectId } = made.world.cloud;
  const found = clients.get(databaseId) ?? new Firestore({ projectId, databaseId });
  clients.set(databaseId, found);
  return found;
}
afterAll(() => Promise.all([...clients.values()].map((client) => client.terminate())));

/** Every document below the database or a document, with its path. */
async function documents(of: Pick<Firestore, 'listCollections'>): Promise<[string, object][]> {
  const collections = await of.listCollections();
  const snapshots = await Promise.all(collections.map((each) => each.get()));
  const found = snapshots.flatMap(({ docs }) => docs);
  const below = await Promise.all(found.map(({ ref }) => documents(ref)));
  return [...found.map((each) => [each.ref.path, each.data()] as [string, object]), ...below.flat()];
}

/** A project with a backup, whose restores copy the documents that the database had then. */
async function aBackedUpProject(): Promise<Place & { running: () => string | undefined }> {
  const place = await aDeployedProject();
  const { standIn, around } = place;
  const kept = await documents(databaseOf('(default)'));
  standIn.backups = [{ name: BACKUP, database: 'x/databases/(default)', snapshotTime: MINUTE, state: 'READY' }];
  const run = around.run.bind(around);
  around.run = async (command) => {
    const outcome = await run(command);
    const line = command.args.join(' ');
    const [, id] = /--destination-database=(\S+)|(restored-\d+) --snap/.exec(line)?.filter(Boolean) ?? [];
    if (id && outcome.status === 0) {
      for (const [path, data] of kept) await databaseOf(id).doc(path).set(data);
    }
    return outcome;
  };
  return { ...place, running: () => standIn.environment['DATABASE_ID'] };
}

it.each([
  ['a backup', BACKUP, `gcloud firestore databases restore --source-backup=${BACKUP}`],
  ['its short name', BACKUP.split('/').at(-1)!, `gcloud firestore databases restore --source-backup=${BACKUP}`],
  ['a minute', MINUTE, `firebase firestore:databases:clone 'projects/${PROJECT}/databases/(default)'`],
])(
  'brings deleted decks back from %s, on a new database with rules, backups and protection',
  async (_, restore, command) => {
    const owner = await made.world.anOwner();
    const { presentationId } = await made.world.aDeck(owner);
    const { standIn, around, succeeds, settings, running } = await aBackedUpProject();
    const decks = async () => {
      const { data } = await made.world.call<{ presentations: object[] }>('listMyPresentations', undefined, {
        key: owner.key,
      });
      return data.presentations.length;
    };
    await made.world.call('deletePresentation', { presentationId }, { key: owner.key });
    expect(await decks()).toBe(0);
    standIn.restoring = 2;
    around.compareClients = compareClients;

    const told = await succeeds({ restore });

    expect(told).toMatch(
      /… waiting until (restored-\d{14}) is restored[^]*✓ restore +\1 has .*; \(default\) stays as it is/,
    );
    expect(standIn.changes.filter((line) => line.startsWith(command))).toHaveLength(1);
    expect(told).toContain(': 3 of 3 functions');
    expect(told).toContain('both database clients agree');
    expect(await decks()).toBe(1);
    const id = running()!;
    expect(settings()).toContain(`DATABASE_ID=${id}\n`);
    expect(standIn.databases.at(-1)).toMatchObject({
      name: `projects/${PROJECT}/databases/${id}`,
      hasRules: true,
      deleteProtectionState: 'DELETE_PROTECTION_ENABLED',
      schedules: [{}],
    });
    // Later deploys stay there, and the old database can be chosen again.
    await succeeds();
    expect(running()).toBe(id);
    await succeeds({ set: ['DATABASE_ID=(default)'] });
    expect(await decks()).toBe(0);
  },
);

it('continues a restore after a cut, and begins another when the first one was finished', async () => {
  const story = { start: aBackedUpProject, options: { restore: MINUTE } };
  // Restores are named by the second in which they began.
  passSeconds(0);
  const whole = await wholeDeploy(story);
  const cuts = whole.changes.filter((line) =>
    /clone|databases update|--config=|functions:decks:getServiceInfo/.test(line),
  );
  expect(cuts).toHaveLength(4);
  for (const side of ['before', 'after'] as const) {
    for (const cut of each(cuts)) await continuesAfter(story, cut, side, whole);
  }
  const { standIn, succeeds, running } = await aBackedUpProject();
  await succeeds({ restore: MINUTE });
  const first = running();
  passSeconds(60);
  await succeeds({ restore: MINUTE });
  expect(running()).not.toBe(first);
  expect(standIn.databases).toHaveLength(3);
});

it('continues a restore that was cut off between two groups of functions', async () => {
  const { standIn, fails, succeeds } = await aBackedUpProject();
  standIn.refuses = (line) => (line.includes('functions:decks:deckSite') ? 'before' : undefined);
  await fails({ restore: MINUTE });
  standIn.refuses = () => undefined;
  passSeconds(60);
  await succeeds({ restore: MINUTE });
  expect(standIn.databases).toHaveLength(2);
});

it('leaves the service where it is when the restore fails, and when there is no such backup', async () => {
  const { standIn, fails, succeeds, running } = await aBackedUpProject();
  expect(await fails({ restore: '00000000-7980-4703-b1a1-d1ffff591db0' })).toMatch(
    /✗ restore .*no backup 00000000-7980-4703-b1a1-d1ffff591db0[^]*- projects\/.*\/cf9f748a/,
  );
  standIn.restoreFails = 'the disk broke';
  expect(await fails({ restore: BACKUP })).toMatch(/✗ restore .*failed: the disk broke[^]*databases delete/);
  expect(running()).toBeUndefined();
  standIn.restoreFails = undefined;
  standIn.restoring = 10_000;
  expect(await fails({ restore: MINUTE })).toMatch(/✗ restore .*still being restored/);
  standIn.restoring = 0;
  await succeeds({ restore: MINUTE });
  expect(running()).toMatch(/^restored-/);
});

it('does not move the service to another database with the settings of another machine', async () => {
  const { standIn, around, settingsFile, fails, succeeds, running } = await aBackedUpProject();
  await succeeds({ restore: MINUTE });
  const id = running()!;
  writeFileSync(settingsFile, '');
  standIn.changes.length = 0;
  const told = await fails({ from: 'release' });
  expect(told).toMatch(new RegExp(`✗ preflight .*runs on the database ${id}, and the settings name \\(default\\)`));
  expect(standIn.changes).toEqual([]);
  around.env['MAIL_FROM'] ??= 'decks@example.org';
  await succeeds({ set: [`DATABASE_ID=${id}`] });
  expect(running()).toBe(id);
  expect(await fails({ set: ['DATABASE_ID=missing'] })).toMatch(/✗ database .*missing.* does not exist/);
});

it('refuses a source of another form, and a restore of some steps', () => {
  const parse = (...args: string[]) => optionsOf(['--project', PROJECT, ...args], () => {});
  expect(parse('--restore', MINUTE)).toMatchObject({ restore: MINUTE });
  for (const wrong of ['yesterday', '2026-01-31T12:00:30Z', '2026-01-31']) {
    expect(() => parse('--restore', wrong)).toThrow('Write the name of a backup, or a minute');
  }
  expect(() => parse('--restore', MINUTE, '--only', 'restore')).toThrow('needs all steps');
  expect(() => parse('--restore', MINUTE, '--rollback')).toThrow('one of --restore and --rollback');
  expect(() => parse('--restore', MINUTE, '--set', 'DATABASE_ID=x')).toThrow('needs all steps');
});
