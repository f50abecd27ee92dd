import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deckOriginOf } from '../../deploy/deck-origin';
import { runProgram } from '../../deploy/surroundings';
import { projectRoot } from '../../local/project';
import { World } from '../support/world';
import { responses } from './name-server';
import { Places, Proxy, withPrograms, type Place } from './place';
import { PROJECT } from './stand-in';

const ORIGIN = 'https://*.decks.example.com';
const SETTING = `DECK_ORIGIN="${ORIGIN}"\n`;
const RELEASE = `firebase deploy --only=functions --project=${PROJECT} --non-interactive`;
const MARK = 'Made by npm run deploy for the origins of decks';

let world: World;
let proxy: Proxy;
let places: Places;

beforeAll(async () => {
  world = await World.start();
  // The check opens the marketplace. Only browsers resolve its host name.
  process.env['MARKETPLACE_URL'] = world.cloud.hostingUrl;
  proxy = await Proxy.start(world.cloud.baseUrl);
  proxy.hops = ['198.51.100.9'];
  places = new Places(world, proxy);
});

afterAll(async () => {
  places.remove();
  await proxy.close();
  await world.stop();
});

afterEach(() => places.close());

/** A project that was deployed without deck origins. */
async function aDeployedProject(): Promise<Place> {
  const place = await places.empty();
  const status = await place.deploy();
  expect([status, told(place)]).toEqual([0, expect.not.stringContaining('✗')]);
  place.standIn.changes.length = 0;
  place.printed.length = 0;
  return place;
}

/** What happens outside of the deploy: the DNS records exist, and Google issued the certificate. */
function addRecords({ standIn: { network } }: Place): void {
  network.hasRecords = true;
  network.certificateState = { state: 'ACTIVE' };
}

/** A project with deck origins that work. */
async function aProjectWithOrigins(): Promise<Place> {
  const place = await places.empty();
  addRecords(place);
  const status = await place.deploy({ deckOrigin: ORIGIN });
  expect([status, told(place)]).toEqual([0, expect.not.stringContaining('✗')]);
  place.standIn.changes.length = 0;
  place.printed.length = 0;
  return place;
}

const told = ({ printed }: Place) => printed.join('\n');

describe('deck origins', () => {
  it('are switched on when the certificate is issued and the origin answers, not before', async () => {
    const place = await aDeployedProject();
    const { standIn, around } = place;
    const env = withPrograms(around);
    const run = around.run.bind(around);
    around.run = (command) => runProgram(command, around.root, env);

    expect(await place.deploy({ deckOrigin: ORIGIN, from: 'balancer' })).toBe(1);
    around.run = run;
    expect(standIn.network.names()).toEqual([
      'certificate-manager dns-authorizations deck-origins-decks-example-com',
      'certificate-manager certificates deck-origins-decks-example-com',
      'certificate-manager maps deck-origins',
      'certificate-manager maps entries deck-origins-decks-example-com',
      'compute network-endpoint-groups deck-origins',
      'compute backend-services deck-origins',
      'compute url-maps deck-origins',
      'compute target-https-proxies deck-origins',
      'compute addresses deck-origins-ipv4',
      'compute addresses deck-origins-ipv6',
      'compute forwarding-rules deck-origins-ipv4',
      'compute forwarding-rules deck-origins-ipv6',
    ]);
    expect(standIn.network.all('compute network-endpoint-groups')).toMatchObject([
      { cloudRun: { service: 'decksite' } },
    ]);
    expect(told(place)).toMatch(
      /✗ deck-origin +The certificate of \*\.decks\.example\.com is not issued yet: PROVISIONING/,
    );
    expect(told(place)).toContain(
      [
        '  _acme-challenge.decks.example.com.  CNAME  proof.authorize.certificatemanager.goog.',
        '  *.decks.example.com.                A      203.0.113.7',
        '  *.decks.example.com.                AAAA   2001:db8::7',
      ].join('\n'),
    );
    expect(told(place)).toContain('run the same command again');
    expect(place.settings()).not.toContain('DECK_ORIGIN');

    // The certificate needs the first record only.
    standIn.network.certificateState = { state: 'ACTIVE' };
    place.printed.length = 0;
    standIn.changes.length = 0;
    expect(await place.deploy({ deckOrigin: ORIGIN, from: 'balancer' })).toBe(1);
    expect(told(place)).toMatch(/✗ deck-origin +https:\S+ does not answer by HTTPS: getaddrinfo ENOTFOUND[^]*AAAA/);
    expect(standIn.changes).toEqual([]);
    expect(place.settings()).not.toContain('DECK_ORIGIN');

    standIn.network.hasRecords = true;
    place.printed.length = 0;
    expect(await place.deploy({ deckOrigin: ORIGIN, from: 'balancer' })).toBe(0);
    expect(standIn.changes).toEqual([RELEASE]);
    expect(place.settings()).toContain(SETTING);
    expect(told(place)).toMatch(/✓ deck-origin +https:\/\/\*\.decks\.example\.com, a host without a deck answers 404/);
    expect(told(place)).toContain(`; https://${PROJECT}.web.app is another site`);
    expect(told(place)).toContain(`add the line ${SETTING.trim()} to its variable SETTINGS`);
  });

  it('stay as they are when the command runs again, with and without the option', async () => {
    const place = await aProjectWithOrigins();
    const first = place.standIn.snapshot();
    for (const options of [{ deckOrigin: ORIGIN }, {}]) {
      place.standIn.changes.length = 0;
      expect(await place.deploy(options)).toBe(0);
      expect(place.standIn.changes.filter((line) => !line.startsWith('firebase deploy --only='))).toEqual([]);
      expect(place.standIn.changes.filter((line) => line === RELEASE)).toHaveLength(1);
      expect(place.standIn.snapshot()).toEqual(first);
      expect(place.settings()).toContain(SETTING);
      expect(told(place)).toContain(`${ORIGIN}, a host without a deck answers 404, a foreign one 421`);
    }
  });

  it('need nothing of a project that does not want them', async () => {
    const place = await aDeployedProject();
    expect(await place.deploy({ from: 'balancer' })).toBe(0);
    expect(place.standIn.changes).toEqual([]);
    expect(told(place)).toMatch(/✓ balancer +not asked for[^]*✓ deck-origin +none/);
  });

  it('are printed in a dry run as a first deploy makes them', async () => {
    const dry = await places.empty({ env: {} });
    expect(await dry.deploy({ dryRun: true, deckOrigin: ORIGIN, from: 'balancer' })).toBe(0);
    expect(dry.standIn.lines).toEqual([]);
    const real = await aDeployedProject();
    addRecords(real);
    expect(await real.deploy({ deckOrigin: ORIGIN, from: 'balancer' })).toBe(0);
    const plan = dry.printed.flatMap((printed) => printed.split('\n'));
    expect(plan.filter((line) => line !== '' && !/^(#|echo )/.test(line))).toEqual(real.standIn.changes);
    expect(plan).toContain(`echo 'DECK_ORIGIN="${ORIGIN}"' >> functions/.env.${PROJECT}`);
  });

  it.each(['before', 'after'] as const)('continue when each change was cut off %s it took effect', async (side) => {
    const whole = await aDeployedProject();
    addRecords(whole);
    expect(await whole.deploy({ deckOrigin: ORIGIN, from: 'balancer' })).toBe(0);
    const changes = [...whole.standIn.changes];
    expect(changes).toHaveLength(14);
    for (const cut of changes) {
      const place = await aDeployedProject();
      addRecords(place);
      place.standIn.refuses = (line) => (line === cut ? side : undefined);
      expect([cut, await place.deploy({ deckOrigin: ORIGIN, from: 'balancer' })]).toEqual([cut, 1]);
      place.standIn.refuses = () => undefined;
      expect([cut, await place.deploy({ deckOrigin: ORIGIN })]).toEqual([cut, 0]);
      expect(place.standIn.snapshot()).toEqual(whole.standIn.snapshot());
      const again = place.standIn.changes.filter((line, i, all) => all.indexOf(line) !== i);
      expect(again.filter((line) => !line.startsWith('firebase deploy'))).toEqual([]);
    }
  });

  it.each([
    [
      { state: 'PROVISIONING', authorizationAttemptInfo: [{ failureReason: 'CAA', details: 'A record forbids it' }] },
      /CAA, A record forbids it[^]*again and again/,
    ],
    [
      { state: 'FAILED', provisioningIssue: { reason: 'AUTHORIZATION_ISSUE' } },
      /FAILED, AUTHORIZATION_ISSUE[^]*gave up[^]*certificates delete deck-origins-decks-example-com --project=/,
    ],
  ])('say why the certificate is not issued: %j', async (state, reason) => {
    const place = await aDeployedProject();
    place.standIn.network.certificateState = state;
    expect(await place.deploy({ deckOrigin: ORIGIN, from: 'balancer' })).toBe(1);
    expect(told(place)).toMatch(reason);
  });

  it.each([
    ['certificate-manager dns-authorizations', 'deck-origins-decks-example-com', { domain: 'decks.example.com' }],
    [
      'certificate-manager dns-authorizations',
      'deck-origins-decks-example-com',
      { description: MARK, domain: 'decks-example.com' },
    ],
    ['certificate-manager maps', 'deck-origins', { description: 'Ours' }],
    [
      'compute network-endpoint-groups',
      'deck-origins',
      { region: 'x/regions/us-central1', cloudRun: { service: 'app' } },
    ],
    ['compute backend-services', 'deck-origins', {}],
    ['compute backend-services', 'deck-origins', { description: MARK, backends: [{ group: 'x/instanceGroups/app' }] }],
    ['compute url-maps', 'deck-origins', { description: MARK, defaultService: 'x/backendServices/app' }],
    ['compute addresses', 'deck-origins-ipv4', { address: '203.0.113.99' }],
    ['compute forwarding-rules', 'deck-origins-ipv6', { description: MARK, target: 'x/targetHttpsProxies/app' }],
  ])('leave %s %s of another app as it is: %j', async (kind, name, fields) => {
    const place = await aDeployedProject();
    const foreign = { name, ...fields };
    place.standIn.network.all(kind).push(structuredClone(foreign));
    addRecords(place);
    expect(await place.deploy({ deckOrigin: ORIGIN, from: 'balancer' })).toBe(1);
    expect(told(place)).toMatch(/✗ balancer +The (resource|backend service) deck-origins/);
    expect(place.standIn.network.all(kind)).toContainEqual(foreign);
    // Only what is marked is deleted again.
    place.standIn.network.hasRecords = false;
    const status = await place.deploy({ deckOrigin: false, deleteRemoved: true, from: 'balancer' });
    const isMarked = 'description' in fields && fields.description === MARK;
    expect([status, place.standIn.network.names()]).toEqual([0, isMarked ? [] : [`${kind} ${name}`]]);
  });

  it('move to another domain and another region', async () => {
    const place = await aProjectWithOrigins();
    const { network } = place.standIn;
    expect(
      await place.deploy({ deckOrigin: 'https://*.slides.example.com', region: 'europe-west1', deleteRemoved: true }),
    ).toBe(0);
    expect(place.settings()).toContain('DECK_ORIGIN="https://*.slides.example.com"\n');
    expect(network.all('certificate-manager maps entries')).toMatchObject([
      { hostname: '*.decks.example.com' },
      { hostname: '*.slides.example.com' },
    ]);
    expect(network.all('compute backend-services')).toMatchObject([
      { backends: [{ group: expect.stringMatching(/europe-west1\/networkEndpointGroups\/deck-origins$/) }] },
    ]);
  });

  it('report an origin that answers something else', async () => {
    const place = await aProjectWithOrigins();
    place.around.visit = () => Promise.resolve({ status: 200, contentType: 'text/html' });
    expect(await place.deploy({ from: 'deck-origin' })).toBe(1);
    expect(told(place)).toMatch(/✗ deck-origin +https:\S+ answers 200 \(text\/html\), not the page with status 404/);
    expect(told(place)).toContain('docs/deck-origins.md, "When it does not work"');
  });

  it('are kept without a load balancer when the setting is given', async () => {
    const place = await places.empty();
    place.around.visit = (url) =>
      Promise.resolve({ status: url.includes('run.app') ? 421 : 404, contentType: 'text/html; charset=utf-8' });
    expect(await place.deploy({ set: [`DECK_ORIGIN=${ORIGIN}`] })).toBe(0);
    expect(place.settings()).toContain(SETTING);
    expect(place.standIn.network.names()).toEqual([]);
  });
});

describe('the end of deck origins', () => {
  it('frames decks again, and deletes the load balancer when told and when no record names it', async () => {
    const place = await aProjectWithOrigins();
    const { standIn } = place;
    const all = standIn.network.names();
    expect(await place.deploy({ deckOrigin: false })).toBe(0);
    expect(place.settings()).toContain('DECK_ORIGIN=""\n');
    expect(process.env['DECK_ORIGIN']).toBe('');
    expect(standIn.network.names()).toEqual(all);

    expect(await place.deploy({ deckOrigin: false, deleteRemoved: true, from: 'balancer' })).toBe(1);
    expect(told(place)).toMatch(/✗ balancer +\*\.decks\.example\.com still leads to the load balancer[^]*A and AAAA/);
    expect(standIn.network.names()).toEqual(all);

    standIn.network.hasRecords = false;
    standIn.changes.length = 0;
    expect(await place.deploy({ deckOrigin: false, deleteRemoved: true, from: 'balancer' })).toBe(0);
    expect(standIn.network.names()).toEqual([]);
    expect(standIn.changes.map((line) => line.split(' ').slice(1, 4).join(' '))).toEqual([
      ...['compute forwarding-rules delete', 'compute forwarding-rules delete'],
      ...['compute addresses delete', 'compute addresses delete'],
      ...['compute target-https-proxies delete', 'compute url-maps delete', 'compute backend-services delete'],
      ...[
        'compute network-endpoint-groups delete',
        'certificate-manager maps entries',
        'certificate-manager maps delete',
      ],
      ...['certificate-manager certificates delete', 'certificate-manager dns-authorizations delete'],
    ]);
    expect(await place.deploy({ deckOrigin: false, deleteRemoved: true })).toBe(0);
    expect(told(place)).toContain('nothing to delete');
  });

  it.each([
    ['only an A record', { records: [1] }, 'still leads'],
    ['only an AAAA record', { records: [28] }, 'still leads'],
    ['records and a certificate that was not issued', { certificateState: { state: 'PROVISIONING' } }, 'still leads'],
    ['a name server that fails', { hasRecords: false, response: responses.serverFailure }, 'does not tell'],
    ['a name server that refuses', { hasRecords: false, response: responses.refused }, 'does not tell'],
  ])('deletes nothing with %s', async (_, network, reason) => {
    const place = await aProjectWithOrigins();
    Object.assign(place.standIn.network, network);
    expect(await place.deploy({ deckOrigin: false, deleteRemoved: true, from: 'balancer' })).toBe(1);
    expect(told(place)).toContain(reason);
    expect(place.standIn.changes).toEqual([]);
  });

  it('deletes when the name has other records only', async () => {
    const place = await aProjectWithOrigins();
    place.standIn.network.records = [];
    expect(await place.deploy({ deckOrigin: false, deleteRemoved: true, from: 'balancer' })).toBe(0);
    expect(place.standIn.network.names()).toEqual([]);
  });

  it.each([
    [['certificates', 'maps entries'], '*.decks.example.com still leads to the load balancer'],
    [['certificates', 'maps entries', 'dns-authorizations'], 'No certificate and no authorization tells the domain'],
  ])('deletes nothing when %j were deleted by hand', async (kinds, reason) => {
    const place = await aProjectWithOrigins();
    for (const kind of kinds) place.standIn.network.all(`certificate-manager ${kind}`).length = 0;
    expect(await place.deploy({ deckOrigin: false, deleteRemoved: true, from: 'balancer' })).toBe(1);
    expect(told(place)).toContain(reason);
    expect(place.standIn.changes).toEqual([]);
  });

  it.each(['before', 'after'] as const)('continues when each deletion was cut off %s it took effect', async (side) => {
    const end = { deckOrigin: false, deleteRemoved: true, from: 'balancer' } as const;
    const whole = await aProjectWithOrigins();
    whole.standIn.network.hasRecords = false;
    expect(await whole.deploy(end)).toBe(0);
    for (const cut of [...whole.standIn.changes]) {
      const place = await aProjectWithOrigins();
      place.standIn.network.hasRecords = false;
      place.standIn.refuses = (line) => (line === cut ? side : undefined);
      expect([cut, await place.deploy(end)]).toEqual([cut, 1]);
      place.standIn.refuses = () => undefined;
      expect([cut, await place.deploy(end)]).toEqual([cut, 0]);
      expect(place.standIn.network.names()).toEqual([]);
    }
  });

  it('hides the origin of functions/.env', async () => {
    const place = await places.empty();
    const file = join(place.around.root, 'functions', '.env');
    writeFileSync(file, `${readFileSync(file, 'utf8')}${SETTING}`);
    expect(await place.deploy({ deckOrigin: false })).toBe(0);
    expect(process.env['DECK_ORIGIN']).toBe('');
    expect(told(place)).toMatch(/✓ deck-origin +none/);
  });
});

describe('the option --deck-origin', () => {
  it.each([
    ['*.decks.example.com', ORIGIN],
    ['https://*.decks.example.com', ORIGIN],
    ['https://*.Decks.Example.com/', ORIGIN],
    ['*.example.com', 'https://*.example.com'],
  ])('takes %s', (text, origin) => expect(deckOriginOf(text)).toBe(origin));

  it.each([
    ['decks.example.com', /star as the first label/],
    ['https://decks.*.example.com', /star as the first label/],
    ['*.decks.example.com/a', /star as the first label/],
    ['*.decks.example.com:8443', /without port/],
    ['*', /star as the first label/],
    ['ftp://*.decks.example.com', /star as the first label/],
    ['http://*.decks.example.com', /need HTTPS/],
    ['*.com', /not a domain of yours/],
    ['*.decks.localhost', /not a domain of yours/],
    ['*.my-project.web.app', /not a domain of yours/],
    [`*.${'a'.repeat(60)}.example.com`, /more than 50/],
  ])('refuses %s', (text, reason) => expect(() => deckOriginOf(text)).toThrow(reason));

  it('ends with 2 for a wrong value, and can be combined with a dry run', () => {
    const script = join(projectRoot, 'scripts', 'deploy.mjs');
    const start = (...args: string[]) =>
      spawnSync(process.execPath, [script, '--project', PROJECT, ...args], { encoding: 'utf8' });
    for (const args of [
      ['--deck-origin', 'decks.example.com'],
      ['--set', 'DECK_ORIGIN=http://*.decks.example.com'],
    ]) {
      const { status, stderr } = start(...args);
      expect([status, stderr]).toEqual([2, expect.stringMatching(/star as the first label|need HTTPS/)]);
    }
    const { status, stdout } = start('--dry-run', '--deck-origin', '*.decks.example.com', '--from', 'balancer');
    expect([status, stdout]).toEqual([0, expect.stringContaining("'--hostname=*.decks.example.com'")]);
    expect(start('--dry-run', '--no-deck-origin', '--from', 'balancer').status).toBe(0);
  });
});
