import type { EndpointDefinition } from '../../../functions/src/http/definition';
import { newId } from '../../../functions/src/values/ids';
import { hashKey, mintKey, scopes } from '../../../functions/src/values/keys';
import { endpoints } from '../../support/endpoints';
import { inputAbout } from '../../support/every-call';
import { ENTRY } from '../../support/example-scene';
import { succeed, World, type Account, type Deck } from '../../support/world';

/** The tests are made from the endpoint objects, so that they cover every endpoint. */
const definitions = Object.values(endpoints).map(({ definition }) => definition);
const guarded = definitions.filter(({ caller }) => caller !== 'anyone' && caller !== 'optional-key');
const scoped = guarded.filter(({ caller }) => typeof caller === 'object');
const ofDecks = scoped.filter(({ caller }) => typeof caller === 'object' && caller.deck);
/** The endpoints that pages of other origins may call. */
const shared = definitions.filter((definition) => !('isSameOrigin' in definition));
const named = (list: EndpointDefinition[]) => list.map((definition) => [definition.name, definition] as const);

let world: World;
let owner: Account;
let stranger: Account;
let deck: Deck;
let dev: Account;
let dead: Account[];
let scopeless: Account;
let session: string;

beforeAll(async () => {
  world = await World.start();
  const [first, second, third, ...rest] = await Promise.all(Array.from({ length: 6 }, () => world.anOwner()));
  [owner, stranger, dev, scopeless, dead] = [first!, second!, third!, rest[0]!, rest.slice(1)];
  const keyOf = (account: Account) => world.database.doc(`apiKeys/${hashKey(account.key)}`);
  await keyOf(dead[0]!).update({ status: 'revoked' });
  await keyOf(dead[1]!).update({ expiresAt: new Date(Date.now() - 1) });
  for (const account of [owner, stranger, dev]) await keyOf(account).update({ scopes });
  deck = await aDeckOf(owner);
  session = await world.aDashboardSession(owner);
});
afterAll(() => world.stop());

/** A deck of two versions, as the examples of the reference need it. */
async function aDeckOf(by: Account): Promise<Deck> {
  const made = await world.aDeck(by, [ENTRY]);
  await succeed(world.commit(by, { presentationId: made.presentationId }, [ENTRY]));
  return made;
}

const raw = (name: string, init: NodeRequestInit = {}) => fetch(`${world.cloud.baseUrl}/${name}`, init);

test('every function is exported under its own name', () => {
  for (const [name, { definition }] of Object.entries(endpoints)) expect(definition.name).toBe(name);
});

test.each(named(definitions))('%s answers 405 with Allow to another method', async (name, { method }) => {
  const methods: string[] = [method].flat();
  for (const wrong of ['PUT', 'DELETE', 'PATCH', 'GET', 'POST'].filter((each) => !methods.includes(each))) {
    const response = await raw(name, { method: wrong });
    expect(response.status).toBe(405);
    const isShared = shared.some((each) => each.name === name);
    expect(response.headers.get('allow')).toBe([...methods, ...(isShared ? ['OPTIONS'] : [])].join(', '));
    await response.text();
  }
});

test('only decks on origins of their own are closed to pages of other origins', () => {
  const closed = definitions.filter((definition) => !shared.includes(definition));
  expect(closed.map(({ name }) => name)).toEqual(['deckSite']);
});

test.each(named(shared))('%s answers OPTIONS to every origin without a key', async (name) => {
  const response = await raw(name, { method: 'OPTIONS', headers: { origin: 'https://example.org' } });
  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  for (const header of ['Authorization', 'Content-Type', 'Range', 'If-None-Match', 'If-Range', 'Idempotency-Key']) {
    expect(response.headers.get('access-control-allow-headers')).toContain(header);
  }
  expect(response.headers.get('access-control-max-age')).toBe('3600');
});

test.each(named(definitions))('%s gives every answer a request id', async (name) => {
  const response = await raw(name, { method: 'PUT' });
  const id = response.headers.get('x-request-id');
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  if (response.headers.get('content-type')?.includes('json')) {
    expect(((await response.json()) as { error: { requestId: string } }).error.requestId).toBe(id);
  }
});

describe.each(named(guarded))('%s', (name) => {
  test.each([
    ['no key', undefined],
    ['a word', 'nonsense'],
    ['another scheme', 'Basic abc'],
    ['an unknown key', `Bearer ${mintKey('organization')}`],
  ])('answers 401 to %s', async (_what, authorization) => {
    const answer = await world.call(name, undefined, { ...(authorization && { headers: { authorization } }) });
    expect(answer.status).toBe(401);
    expect(answer.error.code).toBe('unauthenticated');
    expect(answer.error.nextAction).toBeTruthy();
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('answers 401 to a malformed key without asking the database', async () => {
    const key = owner.key.slice(0, -1) + (owner.key.endsWith('a') ? 'b' : 'a');
    const cost = await world.costOf(async () => expect((await world.call(name, undefined, { key })).status).toBe(401));
    expect(cost.roundTrips).toBe(0);
  });

  test('answers 401 to a revoked and to an expired key', async () => {
    for (const { key } of dead) expect((await world.call(name, undefined, { key })).status).toBe(401);
  });
});

test.each(named(scoped))('%s answers 403 to a key without its scope', async (name, { caller }) => {
  const { key } = scopeless;
  const needed = typeof caller === 'object' ? caller.scope : '';
  const others = ['presentations:write', 'presentations:read', 'marketplace:publish'].filter(
    (scope) => scope !== needed,
  );
  await world.database.doc(`apiKeys/${hashKey(key)}`).update({ scopes: others });
  const { status, error } = await world.call(name, undefined, { key });
  expect([status, error.code, error.details]).toEqual([403, 'permission-denied', { requiredScope: needed }]);
});

describe.each(named(ofDecks))('%s', (name, definition) => {
  /** A session has the rights of a key of its user. */
  const ofSession = (by: Account) => world.aDashboardSession(by);
  const callFor = (about: Pick<Deck, 'presentationId' | 'tokenId'>, key: string) => {
    const input = inputAbout(name, about);
    const isGet = [definition.method].flat().includes('GET');
    return isGet
      ? world.call(name, undefined, { key, query: input as Record<string, string> })
      : world.call(name, input, { key });
  };

  test("answers 403 for another user's deck", async () => {
    for (const key of [stranger.key, await ofSession(stranger)]) {
      const { status, error } = await callFor(deck, key);
      expect([status, error.code]).toEqual([403, 'permission-denied']);
    }
  });

  test('answers a session of the owner as a key of the owner', async () => {
    const by = await world.aPublisher('pro');
    const [first, second] = await Promise.all([aDeckOf(by), aDeckOf(by)]);
    const byKey = await callFor(first, by.key);
    const bySession = await callFor(second, await ofSession(by));
    expect([bySession.status, bySession.body.error?.code]).toEqual([byKey.status, byKey.body.error?.code]);
  });

  test.each([newId(), 'no-id', 'a/b', '..', '__x__', 'x'.repeat(2000)])(
    'answers 404 for an unknown deck: %j',
    async (id) => {
      for (const key of [owner.key, session]) {
        const { status, error } = await callFor({ ...deck, presentationId: id }, key);
        expect([status, error.code]).toEqual([404, 'not-found']);
      }
    },
  );
});

const addressed = ofDecks.filter(({ method }) => [method].flat().includes('GET'));
test.each(named(addressed))('%s takes the id of the deck in the path and in the query', async (name, { path = [] }) => {
  const { presentationId, ...fields } = inputAbout(name, deck) as Record<string, string>;
  const rest = path.slice(1);
  const others = new URLSearchParams(Object.fromEntries(Object.entries(fields).filter(([key]) => !rest.includes(key))));
  const addresses = [
    `${name}?${new URLSearchParams({ presentationId: presentationId!, ...fields }).toString()}`,
    `${name}/${presentationId}?${new URLSearchParams(fields).toString()}`,
    `${name}/${[presentationId, ...rest.map((each) => fields[each])].join('/')}?${others.toString()}`,
  ];
  const headers = { authorization: `Bearer ${owner.key}` };
  const answers = await Promise.all(addresses.map((address) => raw(address, { headers })));
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  }
  const more = await raw(`${addresses[2]!.split('?')[0]}/more?${others.toString()}`, { headers });
  expect(more.status).toBe(404);
});

/** The endpoints of a deck that a dev may call, as the specification names them. All others are for the owner only. */
const forDevs = [
  'precheckAssets',
  'commitPresentationVersion',
  'uploadPresentationAsset',
  'uploadPresentationAssets',
  'createAssetUploads',
  'completeAssetUploads',
  'listPresentationVersions',
  'getPresentationVersion',
  'diffPresentationVersions',
  'downloadPresentationAsset',
  'restorePresentationVersion',
  'leavePresentation',
];

test.each(named(ofDecks))('%s lets a dev call it if and only if it is for devs', async (name, { method }) => {
  const isGet = [method].flat().includes('GET');
  for (const key of [dev.key, await world.aDashboardSession(dev)]) {
    const mine = await aDeckOf(await world.anOwner('pro'));
    await world.addMember(mine, dev);
    const input = inputAbout(name, mine);
    const { status, body } = await (isGet
      ? world.call(name, undefined, { key, query: input as Record<string, string> })
      : world.call(name, input, { key }));
    expect([status, body.error?.code]).toEqual(forDevs.includes(name) ? [200, undefined] : [403, 'permission-denied']);
  }
});

const dashboard = guarded.filter(({ caller }) => caller === 'session');
test.each(named(dashboard))('%s answers 403 to an API key', async (name) => {
  expect((await world.call(name, {}, { key: owner.key })).status).toBe(403);
});

test('verifyApiKey alone refuses a session of the dashboard: it describes the key that calls it', async () => {
  const keysOnly = guarded.filter(({ caller }) => caller === 'any-key');
  expect(keysOnly.map(({ name }) => name)).toEqual(['verifyApiKey']);
  const { status, error } = await world.call('verifyApiKey', undefined, { key: session });
  expect([status, error.code]).toEqual([403, 'permission-denied']);
});

const forSessions = guarded.filter(({ caller }) => caller !== 'any-key');
test.each(named(forSessions))('%s answers 401 to a session that ended, expired or never was', async (name) => {
  const [ended, expired] = [await world.aDashboardSession(owner), await world.aDashboardSession(owner)];
  await world.call('endDashboardSession', {}, { key: ended });
  await world.database.doc(`dashboardSessions/${hashKey(expired)}`).update({ expiresAt: new Date(Date.now() - 1) });
  for (const key of [ended, expired, mintKey('session')]) {
    const { status, error } = await world.call(name, undefined, { key });
    expect([status, error.code]).toEqual([401, 'unauthenticated']);
  }
});

test.each(named(scoped))('%s needs no scope of a session', async (name) => {
  const { status, body } = await world.call(name, undefined, { key: session });
  expect(status).not.toBe(401);
  expect(body.error?.details?.['requiredScope']).toBeUndefined();
});
