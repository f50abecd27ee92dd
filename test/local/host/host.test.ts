import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { startHost, type Host } from '../../../local/host';
import { each } from '../../support/each';
import { words } from '../../support/words';
import { onSchedule, plain } from './functions';

const PROJECT = 'demo-host';
let scheduledRuns = 0;
const echo = plain(async (req, res) => {
  await req.toArray();
  res.end(req.url);
});
let host: Host;
beforeAll(async () => {
  const functions = { echo, tidy: onSchedule('0 0 * * *', () => void scheduledRuns++) };
  host = await startHost({ project: PROJECT, functions });
});
afterAll(() => host.close());

test.each([
  ['', '/'],
  ['/', '/'],
  ['?a=1', '/?a=1'],
  ['/deck/_t/token/a%20b.png?x=1&x=2', '/deck/_t/token/a%20b.png?x=1&x=2'],
  ['//twice', '//twice'],
  ['/favicon.ico', '/favicon.ico'],
])('a function called at "%s" receives the path after its name, and answers uncompressed', async (path, url) => {
  const answer = await fetch(`${host.baseUrl}/echo${path}`, { headers: { 'accept-encoding': 'gzip, br' } });
  expect([answer.status, answer.headers.get('content-encoding'), await answer.text()]).toEqual([200, null, url]);
});

test('functions that declare a region are served in it', async () => {
  const europe = plain((_req, res) => void res.end('here'));
  europe.__endpoint.region = ['europe-west1'];
  const other = await startHost({ project: PROJECT, functions: { europe } });
  expect(other.baseUrl).toMatch(/\/europe-west1$/);
  expect(await (await fetch(`${other.baseUrl}/europe`)).text()).toBe('here');
  await other.close();
});

test('an unknown function, project or region is answered with a plain 404', async () => {
  const root = new URL(host.baseUrl).origin;
  const paths = words(`/${PROJECT}/us-central1/absent /${PROJECT}/us-central1/toString /other/us-central1/echo
    /${PROJECT}/europe-west1/echo /`);
  for (const path of each(paths)) {
    const { status, headers } = await fetch(root + path);
    expect([status, headers.get('content-type')]).toEqual([404, expect.stringContaining('text/plain')]);
  }
});

test('a scheduled function runs on POST only', async () => {
  expect([(await fetch(`${host.baseUrl}/tidy`)).status, scheduledRuns]).toEqual([405, 0]);
  expect([(await fetch(`${host.baseUrl}/tidy`, { method: 'POST' })).status, scheduledRuns]).toEqual([200, 1]);
});

test('a scheduled function that does not end is answered with 504 after its timeout, and runs again', async () => {
  const logged = jest.spyOn(console, 'error').mockImplementation(() => {});
  let runs = 0;
  const options = { schedule: '0 0 * * *', timeoutSeconds: 1 };
  const hang = onSchedule(options, () => (++runs === 1 ? new Promise<void>(() => {}) : undefined));
  const own = await startHost({ project: PROJECT, functions: { hang } });
  const run = async () => (await fetch(`${own.baseUrl}/hang`, { method: 'POST' })).status;
  expect([await Promise.all([run(), run()]), runs]).toEqual([[504, 200], 2]);
  expect(logged.mock.calls).toEqual([['The function hang has not ended within its timeout of 1 seconds.']]);
  logged.mockRestore();
  await own.close();
});

test('an export that is not an HTTP function is not served, and its name is logged', async () => {
  const logged = jest.spyOn(console, 'error').mockImplementation(() => {});
  const own = await startHost({ project: PROJECT, functions: { echo, settings: { a: 1 }, plain: () => {} } });
  expect(logged).toHaveBeenCalledWith(expect.stringContaining('settings, plain'));
  logged.mockRestore();
  await own.close();
});

test('closing does not wait for idle or running connections, and is idempotent', async () => {
  const hang = plain((_req, res) => void res.write('started'));
  const own = await startHost({ project: PROJECT, functions: { hang } });
  const idle = connect(own.port, '127.0.0.1');
  await once(idle, 'connect');
  const sent = request(`${own.baseUrl}/hang`, { agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const cut = new Promise((resolve) => answer.once('close', resolve));
  answer.on('error', () => {});
  answer.resume();
  await Promise.all([own.close(), own.close()]);
  await cut;
  idle.destroy();
});
