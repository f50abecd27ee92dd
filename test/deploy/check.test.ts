import { createServer } from 'node:http';
import { judge } from '../../deploy/client-address';
import { compareClients } from '../../deploy/database-clients';
import { callService } from '../../deploy/service';
import { passSeconds } from '../support/clock';
import { startLossyFirestore, type LossyFirestore } from '../support/lossy-firestore';
import { close, listen } from '../support/sockets';
import { deploying } from './place';
import { PROJECT } from './project';

const made = deploying();
const { anEmptyProject } = made;
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
