import { startFaultyBackends, type FaultyBackends } from '../support/faulty-backends';
import { requestLineOf, watchLog } from '../support/request-lines';
import { type Account, blob, page, startWorld, succeed, world } from '../support/world';

/** A few faults of each backend. faults.long.test.ts plays all of them, over every endpoint. */

let owner: Account;
let backends: FaultyBackends;

afterAll(() => backends.close());
startWorld(async () => {
  watchLog(() => {});
  backends = await startFaultyBackends(world);
  owner = await world.anOwner('pro');
});
afterEach(() => Promise.all(Object.values(backends.proxies).map((proxy) => proxy.heal())));

test('a call succeeds when one attempt of each backend is refused', async () => {
  const { Firestore, ...others } = backends.proxies;
  const refuse = async () => {
    await Firestore.playNext('unavailable');
    // The client of Auth waits for seconds after a 503.
    for (const proxy of Object.values(others)) await proxy.playNext('busy');
  };
  const email = `fault-${Date.now()}@example.org`;
  await refuse();
  await succeed(world.call('cliRequestSignupOtp', { email }));
  const code = await world.mailedCode(email);
  await refuse();
  await succeed(world.call('cliCompleteSignup', { email, code, user: { firstName: 'Ada' } }));
  const { presentationId } = await world.aDeck(owner);
  await refuse();
  expect((await world.upload(owner, { presentationId }, blob(1000))).status).toBe(200);
  expect(await world.mails(email)).toHaveLength(1);
});

describe('a view', () => {
  let url: string;
  const view = (init: RequestInit = {}) => fetch(url, init);
  /** The log line of that request. The functions write it when the connection has closed. */
  const lineOf = (answer: Response) => requestLineOf(answer.headers.get('x-request-id')!);
  beforeEach(async () => {
    // A large file that the instance has not cached.
    const file = blob(3 * 1024 * 1024, 'large.bin');
    url = world.viewUrl(await world.aDeck(owner, [page(), file]), file.path);
  });

  test.each(['unavailable', 'reset'] as const)('of which nothing was sent is a 500 and an ERROR: %s', async (fault) => {
    await backends.proxies.Storage.playAlways(fault);
    const answer = await view();
    const seen = [answer.status, answer.headers.get('cache-control'), answer.headers.get('etag')];
    expect(seen).toEqual([500, 'no-store', null]);
    expect(await lineOf(answer)).toMatchObject({ severity: 'ERROR', status: 500, errorCode: 'internal' });
  });

  test.each(['unavailable', 'reset'] as const)('that began is cut off, and is an ERROR: %s', async (fault) => {
    await backends.proxies.Storage.playNext('pass');
    await backends.proxies.Storage.playAlways(fault);
    const answer = await view();
    expect([answer.status, await answer.arrayBuffer().catch(() => 'cut off')]).toEqual([200, 'cut off']);
    expect(await lineOf(answer)).toMatchObject({ severity: 'ERROR', status: 200, isCutOff: true });
  });
});
