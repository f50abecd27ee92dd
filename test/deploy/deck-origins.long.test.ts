import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { responses } from './name-server';
import type { Network } from './network';
import { addRecords, END, MAKE, ORIGIN } from './origins';
import { deploying } from './place';
import { PROJECT } from './project';

const SETTING = `DECK_ORIGIN="${ORIGIN}"\n`;
/** A deploy of the functions with another setting. */
const RELEASE = [
  ...['getServiceInfo', 'deckSite', 'finishDeletions'].map(
    (name) => `firebase deploy --only=functions:decks:${name} --project=${PROJECT} --non-interactive`,
  ),
  `POST /firebasehosting.googleapis.com/v1beta1/sites/${PROJECT}/releases?versionName=sites/${PROJECT}/versions/1`,
];
const MARK = 'Made by npm run deploy for the origins of decks';
const LABEL = 'deck-origins-decks-example-com';
const { anEmptyProject, aDeployedProject } = deploying();
const aProjectWithOrigins = () => aDeployedProject({ deckOrigin: ORIGIN }, addRecords);

describe('deck origins', () => {
  it('are switched on when the certificate is issued and the origin answers, not before', async () => {
    const { standIn, settings, fails, succeeds } = await aDeployedProject();
    const { network } = standIn;

    const first = await fails(MAKE);
    expect(network.names()).toEqual([
      `certificate-manager dns-authorizations ${LABEL}`,
      `certificate-manager certificates ${LABEL}`,
      'certificate-manager maps deck-origins',
      `certificate-manager maps entries ${LABEL}`,
      'compute network-endpoint-groups deck-origins',
      'compute backend-services deck-origins',
      'compute url-maps deck-origins',
      'compute target-https-proxies deck-origins',
      'compute addresses deck-origins-ipv4',
      'compute addresses deck-origins-ipv6',
      'compute forwarding-rules deck-origins-ipv4',
      'compute forwarding-rules deck-origins-ipv6',
    ]);
    expect(network.all('compute network-endpoint-groups')).toMatchObject([{ cloudRun: { service: 'decksite' } }]);
    expect(first).toMatch(/✗ deck-origin +The certificate of \*\.decks\.example\.com is not issued yet: PROVISIONING/);
    expect(first).toContain(
      [
        '  _acme-challenge.decks.example.com.  CNAME  proof.authorize.certificatemanager.goog.',
        '  *.decks.example.com.                A      203.0.113.7',
        '  *.decks.example.com.                AAAA   2001:db8::7',
      ].join('\n'),
    );
    expect(first).toContain('run the same command again');
    expect(settings()).not.toContain('DECK_ORIGIN');

    // The certificate needs the first record only.
    network.certificateState = { state: 'ACTIVE' };
    expect(await fails(MAKE)).toMatch(/✗ deck-origin +https:\S+ does not answer by HTTPS: \w+ ENOTFOUND[^]*AAAA/);
    expect(standIn.changes).toEqual([]);
    expect(settings()).not.toContain('DECK_ORIGIN');

    network.hasRecords = true;
    const told = await succeeds(MAKE);
    expect(standIn.changes).toEqual(RELEASE);
    expect(settings()).toContain(SETTING);
    expect(told).toMatch(/✓ deck-origin +https:\/\/\*\.decks\.example\.com, a host without a deck answers 404/);
    expect(told).toContain(`; https://${PROJECT}.web.app is another site`);
    expect(told).toContain(`add the line ${SETTING.trim()} to its variable SETTINGS`);
  });

  it('stay as they are when the command runs again, with and without the option', async () => {
    const { standIn, settings, succeeds } = await aProjectWithOrigins();
    const first = standIn.snapshot();
    for (const options of [{ deckOrigin: ORIGIN }, {}]) {
      const told = await succeeds(options);
      expect(standIn.changes.filter((line) => !line.startsWith('firebase deploy --only='))).toEqual([]);
      expect(standIn.changes).toHaveLength(2);
      expect(standIn.snapshot()).toEqual(first);
      expect(settings()).toContain(SETTING);
      expect(told).toContain(`${ORIGIN}, a host without a deck answers 404, a foreign one 421`);
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
    const { standIn, fails } = await aDeployedProject();
    standIn.network.certificateState = state;
    expect(await fails(MAKE)).toMatch(reason);
  });

  it.each([
    ['certificate-manager dns-authorizations', LABEL, { domain: 'decks.example.com' }],
    ['certificate-manager dns-authorizations', LABEL, { description: MARK, domain: 'decks-example.com' }],
    ['certificate-manager maps', 'deck-origins', { description: 'Ours' }],
    ['compute network-endpoint-groups', 'deck-origins', { region: 'x/us-central1', cloudRun: { service: 'app' } }],
    ['compute backend-services', 'deck-origins', {}],
    ['compute backend-services', 'deck-origins', { description: MARK, backends: [{ group: 'x/instanceGroups/app' }] }],
    ['compute url-maps', 'deck-origins', { description: MARK, defaultService: 'x/backendServices/app' }],
    ['compute addresses', 'deck-origins-ipv4', { address: '203.0.113.99' }],
    ['compute forwarding-rules', 'deck-origins-ipv6', { description: MARK, target: 'x/targetHttpsProxies/app' }],
  ])('leave %s %s of another app as it is: %j', async (kind, name, fields) => {
    const place = await aDeployedProject();
    const { network } = place.standIn;
    const foreign = { name, ...fields };
    network.all(kind).push(structuredClone(foreign));
    addRecords(place);
    expect(await place.fails(MAKE)).toMatch(/✗ balancer +The (resource|backend service) deck-origins/);
    expect(network.all(kind)).toContainEqual(foreign);
    // Only what is marked is deleted again.
    network.hasRecords = false;
    await place.succeeds(END);
    const isMarked = 'description' in fields && fields.description === MARK;
    expect(network.names()).toEqual(isMarked ? [] : [`${kind} ${name}`]);
  });

  it('move to another domain and another region', async () => {
    const { standIn, settings, succeeds } = await aProjectWithOrigins();
    const moved = 'https://*.slides.example.com';
    await succeeds({ deckOrigin: moved, region: 'europe-west1', deleteRemoved: true });
    expect(settings()).toContain(`DECK_ORIGIN="${moved}"\n`);
    expect(standIn.network.all('certificate-manager maps entries')).toMatchObject([
      { hostname: '*.decks.example.com' },
      { hostname: '*.slides.example.com' },
    ]);
    expect(standIn.network.all('compute backend-services')).toMatchObject([
      { backends: [{ group: expect.stringMatching(/europe-west1\/networkEndpointGroups\/deck-origins$/) }] },
    ]);
  });

  it('report an origin that answers something else', async () => {
    const { around, fails } = await aProjectWithOrigins();
    around.visit = () => Promise.resolve({ status: 200, contentType: 'text/html' });
    const told = await fails({ from: 'deck-origin' });
    expect(told).toMatch(/✗ deck-origin +https:\S+ answers 200 \(text\/html\), not the page with status 404/);
    expect(told).toContain('docs/deck-origins.md, "When it does not work"');
  });

  it('are kept without a load balancer when the setting is given', async () => {
    const { around, standIn, settings, succeeds } = await anEmptyProject();
    around.visit = (url) =>
      Promise.resolve({ status: url.includes('run.app') ? 421 : 404, contentType: 'text/html; charset=utf-8' });
    await succeeds({ set: [`DECK_ORIGIN=${ORIGIN}`] });
    expect(settings()).toContain(SETTING);
    expect(standIn.network.names()).toEqual([]);
  });
});

describe('the end of deck origins', () => {
  it('frames decks again, and deletes the load balancer when told and when no record names it', async () => {
    const { standIn, settings, succeeds, fails } = await aProjectWithOrigins();
    const all = standIn.network.names();
    await succeeds({ deckOrigin: false });
    expect(settings()).toContain('DECK_ORIGIN=""\n');
    expect([process.env['DECK_ORIGIN'], standIn.network.names()]).toEqual(['', all]);

    expect(await fails(END)).toMatch(
      /✗ balancer +\*\.decks\.example\.com still leads to the load balancer[^]*A and AAAA/,
    );
    expect(standIn.network.names()).toEqual(all);

    standIn.network.hasRecords = false;
    await succeeds(END);
    expect(standIn.network.names()).toEqual([]);
    // Each resource refers only to those that were made before it.
    const kinds = all.map((each) => each.replace(/ \S+$/, ''));
    expect(standIn.changes.map((line) => /^gcloud (.*) delete /.exec(line)?.[1])).toEqual(kinds.reverse());
    expect(await succeeds({ deckOrigin: false, deleteRemoved: true })).toContain('nothing to delete');
  });

  const deletedByHand =
    (...kinds: string[]) =>
    (network: Network) =>
      kinds.forEach((kind) => (network.all(`certificate-manager ${kind}`).length = 0));

  it.each<[string, (network: Network) => void, string]>([
    ['with only an A record', (net) => (net.records = [1]), 'still leads'],
    ['with only an AAAA record', (net) => (net.records = [28]), 'still leads'],
    ['before the certificate is issued', (net) => (net.certificateState = { state: 'PROVISIONING' }), 'still leads'],
    ['when a name server fails', (net) => (net.response = responses.serverFailure), 'does not tell'],
    ['when a name server refuses', (net) => (net.response = responses.refused), 'does not tell'],
    ['without a certificate', deletedByHand('certificates', 'maps entries'), '*.decks.example.com still leads to the'],
    [
      'without a certificate and an authorization',
      deletedByHand('certificates', 'maps entries', 'dns-authorizations'),
      'No certificate and no authorization tells the domain',
    ],
  ])('deletes nothing %s', async (_when, change, reason) => {
    const { standIn, fails } = await aProjectWithOrigins();
    change(standIn.network);
    expect(await fails(END)).toContain(reason);
    expect(standIn.changes).toEqual([]);
  });

  it('deletes when the name has other records only', async () => {
    const { standIn, succeeds } = await aProjectWithOrigins();
    standIn.network.records = [];
    await succeeds(END);
    expect(standIn.network.names()).toEqual([]);
  });

  it('hides the origin of functions/.env', async () => {
    const { around, succeeds } = await anEmptyProject();
    const file = join(around.root, 'functions', '.env');
    writeFileSync(file, `${readFileSync(file, 'utf8')}${SETTING}`);
    expect(await succeeds({ deckOrigin: false })).toMatch(/✓ deck-origin +none/);
    expect(process.env['DECK_ORIGIN']).toBe('');
  });
});
