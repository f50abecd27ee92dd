import { writeFileSync } from 'node:fs';
import { Firestore } from 'firebase-admin/firestore';
import { compareClients } from '../../deploy/database-clients';
import { optionsOf } from '../../deploy/options';
import { releaseBefore } from '../../deploy/steps/rollback';
import { passSeconds } from '../support/clock';
import { each } from '../support/each';
import { continuesAfter, namesTheLook, wholeDeploy } from './cuts';
import { originStories } from './origins';
import { deploying, type Place } from './place';
import { anEndpoint, BACKUP, PROJECT } from './project';

const made = deploying();
const { anEmptyProject, aDeployedProject } = made;

const firstDeploy = { start: anEmptyProject, options: { set: ['ALERT_EMAIL=operator@example.org'] } };
const stories = { 'a first deploy': firstDeploy, ...originStories(made) };

describe.each(Object.entries(stories))('%s', (_name, story) => {
  it.each(['before', 'after'] as const)('continues when each change was cut off %s it took effect', async (side) => {
    const whole = await wholeDeploy(story);
    for (const cut of each(whole.changes)) await continuesAfter(story, cut, side, whole);
  });
});

it('names the step and the command when a look is refused', async () => {
  const { looks } = await wholeDeploy(firstDeploy);
  for (const look of each(looks)) await namesTheLook(firstDeploy, look);
});

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

describe('a restore', () => {
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
    const { standIn, failsAt, succeeds } = await aBackedUpProject();
    await failsAt((line) => line.includes('functions:decks:deckSite'), { restore: MINUTE });
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
});

/** A project with releases of these versions of the code. */
async function aProjectWith(...versions: string[]): Promise<Place> {
  const place = await aDeployedProject({}, ({ standIn }) => (standIn.code = versions[0]!));
  for (const version of versions.slice(1)) {
    place.standIn.code = version;
    await place.succeeds({ from: 'release' });
  }
  return place;
}

/** The number of the revision that serves each function, and the version of the site. */
const serving = ({ standIn }: Place) => ({
  functions: Object.fromEntries(
    standIn.services.all.map(({ id, pinned, revisions }) => [
      id,
      revisions.findIndex(({ name }) => name === (pinned ?? revisions.at(-1)!.name)) + 1,
    ]),
  ),
  site: standIn.siteReleases[0]!.version.name.split('/').at(-1),
});
const allAt = (n: number) => ({
  functions: { deckSite: n, finishDeletions: n, getServiceInfo: n },
  site: String(n),
});

describe('a rollback', () => {
  it('goes back to the release before, functions and site, and once more when it is asked again', async () => {
    const place = await aProjectWith('first', 'second', 'third');
    expect(serving(place)).toEqual(allAt(3));
    expect(await place.succeeds({ rollback: true })).toMatch(
      /✓ rollback +3 functions and the site serve release \w{12}/,
    );
    expect(serving(place)).toEqual(allAt(2));
    await place.succeeds({ rollback: true });
    expect(serving(place)).toEqual(allAt(1));
    expect(await place.fails({ rollback: true })).toContain('no earlier release of this deploy');
  });

  it('is ended by the next deploy, also by that of the release from which it went back', async () => {
    const place = await aProjectWith('first', 'second');
    await place.succeeds({ rollback: true });
    expect(await place.succeeds({ from: 'release' })).toContain(': 1 of 3 functions');
    expect(serving(place)).toMatchObject({ functions: { deckSite: 2, getServiceInfo: 2 }, site: '4' });
    await place.succeeds({ rollback: true });
    place.standIn.code = 'third';
    await place.succeeds({ from: 'release' });
    expect(serving(place).functions).toMatchObject({ deckSite: 3, getServiceInfo: 3 });
  });

  it('serves no function of a release that was cut off', async () => {
    const place = await aProjectWith('first');
    const { standIn, failsAt, succeeds } = place;
    standIn.code = 'cut off';
    await failsAt((line) => line.includes('finishDeletions'), { from: 'release' });
    standIn.code = 'third';
    await succeeds({ from: 'release' });
    expect(serving(place).functions).toEqual({ deckSite: 3, getServiceInfo: 3, finishDeletions: 2 });
    await succeeds({ rollback: true });
    expect(serving(place).functions).toEqual({ deckSite: 1, getServiceInfo: 1, finishDeletions: 1 });
  });

  it('goes back from a deploy that was cut off to the release that served before it', async () => {
    const place = await aProjectWith('first', 'second');
    place.standIn.source.push(anEndpoint('aNewJob', { kind: 'job' }));
    place.standIn.code = 'cut off';
    await place.failsAt((line) => line.includes('--only=hosting'), { from: 'release' });
    await place.failsAt((line) => line.includes('update-traffic deck'), { rollback: true });
    const told = await place.succeeds({ rollback: true });
    expect(told).toContain('newer than that release, and unchanged: anewjob');
    expect(serving(place)).toMatchObject({ functions: allAt(2).functions, site: '2' });
    await place.succeeds({ rollback: true });
    expect(serving(place)).toMatchObject({ functions: allAt(1).functions, site: '1' });
  });

  it('includes a setting that a check of the deployed functions changed', async () => {
    const place = await aProjectWith('first');
    made.hops = ['198.51.100.9', '192.0.2.1'];
    place.around.ask = (question) => Promise.resolve(question.includes('[y/N]') ? 'y' : '');
    await place.succeeds({ only: 'client-address' });
    place.standIn.code = 'second';
    await place.succeeds({ from: 'release' });
    await place.succeeds({ rollback: true });
    expect(serving(place)).toEqual({ ...allAt(2), site: '1' });
  });

  it('continues after a cut, and goes back only once', async () => {
    const whole = await aProjectWith('first', 'second', 'third');
    await whole.succeeds({ rollback: true });
    expect(whole.standIn.changes).toHaveLength(4);
    for (const cut of [1, 3]) {
      const place = await aProjectWith('first', 'second', 'third');
      await place.failsAt((line) => line === whole.standIn.changes[cut], { rollback: true });
      await place.succeeds({ rollback: true });
      expect(serving(place)).toEqual(allAt(2));
    }
  });

  it('keeps functions that are newer than the release, and names them', async () => {
    const place = await aProjectWith('first');
    place.standIn.source.push(anEndpoint('getAccount'));
    place.standIn.code = 'second';
    await place.succeeds({ from: 'release' });
    expect(await place.succeeds({ rollback: true })).toContain('newer than that release, and unchanged: getaccount');
  });

  it('says what to do when Cloud Run has no revision of the release any more', async () => {
    const place = await aProjectWith('first', 'second');
    for (const { revisions } of place.standIn.services.all) revisions.shift();
    expect(await place.fails({ rollback: true })).toMatch(/no revisions of release \w{12}[^]*after 30 days/);
  });

  it.each([
    ['b a', 'a'],
    ['a', undefined],
    ['back:a b a', undefined],
    ['back:b c b a', 'a'],
    ['c back:a b a', 'a'],
    ['back:a c back:a b a', undefined],
    ['a b a', 'b'],
    ['', undefined],
  ])('of the releases %j goes to %s', (releases, expected) => {
    const read = releases.split(' ').filter(Boolean);
    const list = read.map((each) => ({
      version: each,
      release: each.replace('back:', ''),
      isRollback: each.startsWith('back:'),
    }));
    expect(releaseBefore(list)?.release).toBe(expected);
  });
});
