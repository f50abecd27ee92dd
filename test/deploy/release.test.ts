import { groupsOf } from '../../deploy/groups';
import { readBuilt } from '../../deploy/built';
import * as functions from '../../functions/src';
import { sizeOf } from '../../functions/src/resources';
import { projectRoot } from '../../local/project';
import { each } from '../support/each';
import { deploying, type Place } from './place';
import { anEndpoint } from './project';

const made = deploying();
const { anEmptyProject, aDeployedProject } = made;

const jobs = ['finishDeletions', 'recountUsage'];
const pages = ['sharePage', 'deckSite', 'getSharedPresentation'];
const calls = Object.keys(functions)
  .filter((name) => /^(get|create|cli|list[A-Z])/.test(name) && !pages.includes(name))
  .slice(0, 18);
/** 23 functions of three kinds, of which the first are those that the others need last. */
const many = [
  ...jobs.map((name) => anEndpoint(name, { kind: 'job' })),
  ...pages.map((name) => anEndpoint(name, { cpu: 1, maxCpu: 2 })),
  ...calls.map((name) => anEndpoint(name)),
];
const none = new Set<string>();
const withMany = (place: Place) => void (place.standIn.source = many);

/** The functions that each deploy named. */
const groupsIn = (lines: readonly string[]) =>
  lines.flatMap((line) => {
    const [, only] = /^firebase deploy --only=(functions:\S+)/.exec(line) ?? [];
    return only === undefined ? [] : [only.split(',').map((each) => each.replace('functions:decks:', ''))];
  });

describe('the release of the functions', () => {
  it('deploys calls, then pages, then jobs, in groups of at most 10, and tells the progress', async () => {
    const { standIn, succeeds } = await anEmptyProject();
    standIn.source = many;
    const told = await succeeds();
    const groups = groupsIn(standIn.changes);
    expect(groups.map(({ length }) => length)).toEqual([10, 8, 3, 2]);
    expect(groups.flat().toSorted()).toEqual(many.map(({ name }) => name).toSorted());
    expect(groups.flat().slice(-5)).toEqual([...pages, ...jobs]);
    expect(told.match(/… \d+ of 23 functions/g)).toEqual([10, 18, 21, 23].map((n) => `… ${n} of 23 functions`));
  });

  it('starts less CPU in a group than the quota leaves', () => {
    const large = Array.from({ length: 30 }, (_, i) => anEndpoint(`large${i}`, { cpu: 1 }));
    expect(groupsOf(large, { all: large, pages: none, quota: 20 }).map(({ length }) => length)).toEqual([
      4, 4, 4, 4, 4, 4, 4, 2,
    ]);
    expect(groupsOf(large, { all: large, pages: none, quota: 100 }).map(({ length }) => length)).toEqual([10, 10, 10]);
    expect(groupsOf(large.slice(0, 2), { all: large.slice(0, 14), pages: none, quota: 20 })).toHaveLength(1);
  });

  it('finds the functions in the built code, with the sizes that their settings give', async () => {
    const built = await readBuilt(projectRoot, { CPU_QUOTA: '40', REGION: 'us-east1', GCLOUD_PROJECT: 'p' });
    expect(built.endpoints.map(({ name }) => name).toSorted()).toEqual(Object.keys(functions).toSorted());
    const found = new Map(built.endpoints.map((endpoint) => [endpoint.name, endpoint]));
    expect(found.get('getServiceInfo')).toMatchObject({
      region: 'us-east1',
      cpu: sizeOf('read', 40).cpu,
      kind: 'public',
    });
    expect(found.get('finishDeletions')).toMatchObject({ kind: 'job', cpu: sizeOf('job', 40).cpu });
    expect(built.endpoints.filter(({ minInstances }) => minInstances > 0)).toEqual([]);
    const warm = await readBuilt(projectRoot, { WARM: '1', GCLOUD_PROJECT: 'p' });
    expect(warm.endpoints.flatMap(({ name, minInstances }) => (minInstances === 1 ? [name] : [])).toSorted()).toEqual(
      [...pages, 'getMarketplaceListingContent', 'listingPage', 'marketplacePage', 'shortLink'].toSorted(),
    );
    const other = await readBuilt(projectRoot, { REGION: 'us-east1', GCLOUD_PROJECT: 'p' });
    expect(other.hash).not.toBe(built.hash);
    for (const group of each(groupsOf(other.endpoints, { all: other.endpoints, pages: none, quota: 20 }))) {
      expect(group.length).toBeLessThanOrEqual(10);
      expect(group.reduce((sum, { cpu }) => sum + cpu, 0)).toBeLessThanOrEqual(20);
    }
  });

  it.each([
    'Quota exceeded for total allowable CPU per project per region.',
    'HTTP Error: 429, Quota exceeded for quota metric Per project mutation requests',
    'RESOURCE_EXHAUSTED: too many builds',
  ])('tries functions again that were refused, and only these: %s', async (refusal) => {
    const { standIn, succeeds } = await anEmptyProject();
    standIn.source = many;
    const refused = new Map([
      ['getAccount', 2],
      ['sharePage', 1],
    ]);
    standIn.failsToCreate = (name) => {
      const left = refused.get(name) ?? 0;
      refused.set(name, left - 1);
      return left > 0 ? refusal : undefined;
    };
    expect(await succeeds()).toContain('… 1 functions were refused');
    const groups = groupsIn(standIn.changes).map((group) => (group.length > 2 ? group.length : group));
    expect(groups).toEqual([10, ['getAccount'], ['getAccount'], 8, 3, ['sharePage'], jobs]);
  });

  it('tries a function again whose instance did not fit the quota', async () => {
    const { around, standIn, succeeds } = await anEmptyProject();
    const { print } = around;
    standIn.services.freeCpu = 0.5;
    around.print = (line) => {
      print(line);
      // Idle instances of other revisions stop.
      if (line.includes('were refused')) standIn.services.freeCpu = 20;
    };
    await succeeds();
    expect(groupsIn(standIn.changes)).toEqual([['getServiceInfo'], ['deckSite'], ['deckSite'], ['finishDeletions']]);
  });

  it('does not try again what cannot succeed', async () => {
    const { standIn, fails } = await anEmptyProject();
    standIn.source = [anEndpoint('getServiceInfo', { cpu: 1, maxCpu: 30 })];
    expect(await fails()).toMatch(/✗ release[^]*maxScale may not exceed 20[^]*"When a quota is too small"/);
    expect(groupsIn(standIn.lines)).toHaveLength(1);
  });

  it('goes on behind the last group, and skips what has not changed', async () => {
    const { standIn, fails, succeeds } = await anEmptyProject();
    standIn.source = many;
    standIn.refuses = (line) => (line.includes(calls.at(-1)!) ? 'before' : undefined);
    await fails();
    const before = groupsIn(standIn.changes).flat();
    standIn.refuses = () => undefined;
    standIn.changes.length = 0;
    await succeeds();
    const after = groupsIn(standIn.changes).flat();
    expect(before.length).toBeGreaterThan(0);
    expect([...before, ...after].toSorted()).toEqual(many.map(({ name }) => name).toSorted());
    expect(await succeeds()).toMatch(/✓ release +[0-9a-f]{12}: 0 of 23 functions/);
  });

  it('deploys a job again until the release is complete: its revision does not tell that its schedule was written', async () => {
    const { standIn, fails, succeeds } = await anEmptyProject();
    standIn.refuses = (line) => (line.includes('--only=hosting') ? 'before' : undefined);
    await fails();
    standIn.refuses = () => undefined;
    expect(await succeeds({ from: 'release' })).toContain(': 1 of 3 functions');
  });

  it.each<[string, (place: Place) => unknown, number]>([
    ['the code', ({ standIn }) => (standIn.code = 'another version'), 3],
    ['a secret', ({ standIn }) => standIn.secretVersions.get('SERVICE_SECRET')!.push('another'), 3],
    ['a revision that did not start', ({ standIn }) => (standIn.services.all[0]!.revisions.at(-1)!.isReady = false), 1],
  ])('deploys what differs from %s', async (_what, change, count) => {
    const place = await aDeployedProject();
    change(place);
    expect(await place.succeeds({ from: 'release' })).toContain(`: ${count} of 3 functions`);
  });

  it('moves all functions to another region when told, and deletes the old ones', async () => {
    const { standIn, succeeds } = await aDeployedProject({ region: 'europe-west1' }, withMany);
    await succeeds({ region: 'us-east1', deleteRemoved: true });
    expect(new Set(standIn.services.all.map(({ region }) => region))).toEqual(new Set(['us-east1']));
    expect(standIn.functions).toHaveLength(23);
  });

  it('allows the price of instances that always run', async () => {
    const { standIn, succeeds } = await anEmptyProject();
    standIn.source = [anEndpoint('getServiceInfo', { minInstances: 1 }), anEndpoint('deckSite')];
    await succeeds();
    expect(standIn.services.all.map(({ minInstances }) => minInstances)).toEqual([1, 0]);
  });
});
