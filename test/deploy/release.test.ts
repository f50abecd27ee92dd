import { createServer } from 'node:http';
import { readBuilt } from '../../deploy/built';
import { judge } from '../../deploy/client-address';
import { compareClients } from '../../deploy/database-clients';
import { groupsOf } from '../../deploy/groups';
import { callService } from '../../deploy/service';
import * as functions from '../../functions/src';
import { sizeOf } from '../../functions/src/resources';
import { projectRoot } from '../../local/project';
import { passSeconds } from '../support/clock';
import { each } from '../support/each';
import { startLossyFirestore, type LossyFirestore } from '../support/lossy-firestore';
import { close, listen } from '../support/sockets';
import { deploying, type Place } from './place';
import { anEndpoint, PROJECT } from './project';

const made = deploying();
const { anEmptyProject, aDeployedProject } = made;
let network: LossyFirestore;
beforeAll(async () => {
  network = await startLossyFirestore(made.world.cloud.firestoreHost);
  // The clients connect through the gateway with their first call.
  process.env['FIRESTORE_EMULATOR_HOST'] = network.host;
});
afterAll(() => network.close());

it('gives up when the service does not answer', async () => {
  const { fails, succeeds } = await anEmptyProject();
  made.refusals = 30;
  expect(await fails()).toMatch(/✗ check .*answers 403[\s\S]*--from public/);
  await succeeds({ from: 'check' });
});

it('compares what the database clients write and read, and fails when the small client reads something else', async () => {
  const { around, fails, succeeds } = await anEmptyProject({ compareClients });
  around.env['FIRESTORE_EMULATOR_HOST'] = 'an emulator of the operator';
  expect(await succeeds()).toContain('both database clients agree');
  expect(around.env).toMatchObject({ GCLOUD_PROJECT: PROJECT, FIREBASE_CONFIG: `{"projectId":"${PROJECT}"}` });
  expect(around.env).not.toHaveProperty('FIRESTORE_EMULATOR_HOST');
  // Only the SDK names itself.
  network.change = (answer, headers) =>
    headers.get('x-goog-api-client').length > 0
      ? answer
      : Buffer.from(answer.toString('latin1').replace('plain', 'other'), 'latin1');
  const told = await fails({ only: 'check' });
  expect(told).toMatch(/✗ check +On the database of decks-test-1, a read of both documents with the small client/);
  expect(told).toContain(`npm run deploy -- --project ${PROJECT} --set FIRESTORE_CLIENT=sdk`);
  expect((await made.world.database.collection('clientChecks').get()).size).toBe(0);
  expect(await succeeds({ set: ['FIRESTORE_CLIENT=sdk'] })).toContain('the functions use the Admin SDK for all calls');
});

it('names the address of an answer that is cut off', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{', () => response.destroy());
  });
  const url = `http://127.0.0.1:${await listen(server)}/`;
  await expect(callService(url)).rejects.toThrow(`${url} does not answer: `);
  await close(server);
});

describe('the check of the client address', () => {
  const [me, google] = ['198.51.100.9', '192.0.2.1'];

  it.each<[string, string[], number, string | undefined, RegExp]>([
    ['is right', [me], 1, me, /✓ client-address +the functions see 198\.51\.100\.9, the address of this/],
    ['is right and cannot be confirmed', [me], 1, undefined, /✓ client-address .*which nothing else confirms/],
    ['sees a proxy', [me, google], 1, me, /see 192\.0\.2\.1 instead of 198\.51\.100\.9: T\w+ is 1 and must be 2/],
    ['believes an invented address', [me], 2, undefined, /address that a client invents: T\w+ is 2 and must be 1/],
    ['sees no proxy at all', [], 1, me, /TRUSTED_PROXY_HOPS is 1 and must be 0/],
  ])('%s', async (_what, hops, trusted, publicAddress, pattern) => {
    const { fails, succeeds } = await anEmptyProject({ lookUpAddress: () => Promise.resolve(publicAddress) });
    made.hops = hops;
    const deploy = pattern.source.startsWith('✓') ? succeeds : fails;
    const told = await deploy({ proxyHops: trusted });
    expect(told).toMatch(pattern);
    if (deploy === succeeds) return;
    const [, right] = /must be (\d)/.exec(told)!;
    expect(told).toContain(`npm run deploy -- --project ${PROJECT} --proxy-hops ${right}`);
    expect(told).toContain(`add the line TRUSTED_PROXY_HOPS=${right} to the variable SETTINGS`);
    await succeeds({ proxyHops: Number(right) });
  });

  it('counts all entries when a proxy drops the invented one', () => {
    const seen = { clientAddress: me, forwardedFor: [me], trustedProxyHops: 1 };
    const forged = '203.0.113.77';
    expect(judge(seen, forged, `::ffff:${me}`)).toMatchObject({ hops: 1, isRight: true, isConfirmed: true });
    expect(judge({ ...seen, trustedProxyHops: 2 }, forged, undefined)).toMatchObject({ hops: 1, isRight: false });
  });

  it('sets the right number of proxies and deploys again when the operator agrees', async () => {
    const questions: string[] = [];
    const { standIn, settings, succeeds } = await anEmptyProject({
      ask: (question) => {
        questions.push(question);
        return Promise.resolve(question.includes('[y/N]') ? 'y' : '');
      },
    });
    made.hops = [me, google];
    await succeeds();
    expect(questions[0]).toContain('Set TRUSTED_PROXY_HOPS to 2 and deploy the functions again?');
    const last = standIn.changes.findLast((line) => line.startsWith('firebase '));
    expect(last).toContain('firebase deploy --only=functions:decks:finishDeletions');
    // A rollback finds the release of the functions by that of the site.
    expect(standIn.siteReleases.map(({ version }) => version)).toEqual(Array(2).fill(standIn.siteReleases[0]!.version));
    expect(settings()).toContain('TRUSTED_PROXY_HOPS=2\n');
  });
});

describe('the test mail', () => {
  it('signs a new operator up, logs a known one in, and leaves no key', async () => {
    const operator = 'operator@example.org';
    const { succeeds } = await anEmptyProject({
      ask: async (question) => (question.includes('6-digit') ? made.world.mailedCode(operator) : ''),
    });
    expect(await succeeds({ operator })).toMatch(/✓ sign-up +operator@example.org has an account now/);
    const keys = await made.world.database.collection('apiKeys').get();
    expect(keys.docs.map((each) => each.data()['status'] as string)).toEqual(['revoked']);
    passSeconds(60);
    expect(await succeeds({ operator })).toMatch(/✓ sign-up +operator@example.org can log in/);
  });

  it('sends another code when the service allows it again', async () => {
    const operator = 'other@example.org';
    const { around, succeeds } = await anEmptyProject();
    await succeeds({ operator, only: 'sign-up' });
    const { print } = around;
    around.print = (line) => {
      print(line);
      if (line.includes('a moment ago')) passSeconds(60);
    };
    const told = await succeeds({ operator, only: 'sign-up' });
    expect(told).toContain('… a code was sent to other@example.org a moment ago');
    expect(told).toContain('a code is on its way to other@example.org');
    expect(await made.world.mailedCode(operator)).toMatch(/^\d{6}$/);
  });
});

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
    const { standIn, failsAt, succeeds } = await anEmptyProject();
    standIn.source = many;
    await failsAt((line) => line.includes(calls.at(-1)!));
    const before = groupsIn(standIn.changes).flat();
    await succeeds();
    const after = groupsIn(standIn.changes).flat();
    expect(before.length).toBeGreaterThan(0);
    expect([...before, ...after].toSorted()).toEqual(many.map(({ name }) => name).toSorted());
    expect(await succeeds()).toMatch(/✓ release +[0-9a-f]{12}: 0 of 23 functions/);
  });

  it('deploys a job again until the release is complete: its revision does not tell that its schedule was written', async () => {
    const { failsAt, succeeds } = await anEmptyProject();
    await failsAt((line) => line.includes('--only=hosting'));
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
