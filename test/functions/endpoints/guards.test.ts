import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { EndpointDefinition } from '../../../functions/src/http/definition';
import { endpoint, rawEndpoint } from '../../../functions/src/http/endpoint';
import type { ListingId } from '../../../functions/src/policy/listings';
import { readIn } from '../../../functions/src/records/database';
import { presentationRef, setRemixedFrom } from '../../../functions/src/records/presentations';
import { transact } from '../../../functions/src/records/transact';
import { newId } from '../../../functions/src/values/ids';
import { hashKey, mintKey, scopes, sessionIdOf } from '../../../functions/src/values/keys';
import { startHost } from '../../../local/host';
import { outcomes, refusal } from '../../support/answers';
import { definitions, freshKey, jsonReaders, limitOf, named, oneOfEach, readers } from '../../support/bodies';
import { each } from '../../support/each';
import { endpoints } from '../../support/endpoints';
import { inputAbout } from '../../support/every-call';
import { ENTRY } from '../../support/example-scene';
import { showSlides, slide } from '../../support/pictures';
import { words } from '../../support/words';
import { type Account, type Deck, startWorld, succeed, world } from '../../support/world';

/**
 * The tests are made from the endpoint objects. What an endpoint declares (key, scope, role, schema) is tested for
 * every endpoint, and what the pipeline does alike for all of a kind for one endpoint of each kind.
 */

const MB = 1024 * 1024;
const guarded = definitions.filter(({ caller }) => caller !== 'anyone' && caller !== 'optional-key');
const scoped = guarded.filter(({ caller }) => typeof caller === 'object');
const ofDecks = scoped.filter(({ caller }) => typeof caller === 'object' && caller.deck);
/** The endpoints that pages of other origins may call. */
const shared = definitions.filter((definition) => !('isSameOrigin' in definition));
/** What decides how the pipeline reads a body, and whether it looks up the key before. */
const wayOfReading = (definition: EndpointDefinition) => [
  'answer' in definition,
  Boolean(definition.read),
  guarded.includes(definition),
];
const wayAndLimit = (definition: EndpointDefinition) => [...wayOfReading(definition), limitOf(definition)];

let owner: Account;
let stranger: Account;
let deck: Deck;
let dev: Account;
/** A revoked and an expired key, and a session that ended and one that expired. */
let dead: string[];
let scopeless: Account;
/** The listing of which the decks are remixes. */
let source: ListingId | undefined;
let session: string;

startWorld(async () => {
  const accounts = (['enterprise', 'free', 'free', 'free', 'free', 'free'] as const).map((plan) => world.anOwner(plan));
  const [first, second, third, fourth, revoked, expired] = await Promise.all(accounts);
  [owner, stranger, dev, scopeless] = [first!, second!, third!, fourth!];
  for (const account of [owner, stranger, dev]) await keyOf(account).update({ scopes });
  const author = await world.aPublisher();
  source = { slug: (await world.aListing(author, {}, await aDeckOf(author, dev))).slug, generation: 1 };
  deck = await aDeckOf(owner, dev);
  await showAgenda(deck);
  session = await world.aDashboardSession(owner);
  const [ended, late] = [await world.aDashboardSession(owner), await world.aDashboardSession(owner)];
  const past = { expiresAt: new Date(Date.now() - 1) };
  await keyOf(revoked!).update({ status: 'revoked' });
  await keyOf(expired!).update(past);
  await world.call('endDashboardSession', {}, { key: ended });
  const tokens = [{ hash: hashKey(late), ...past }];
  await world.database.doc(`dashboardSessions/${sessionIdOf(late)}`).update({ tokens });
  dead = [revoked!.key, expired!.key, ended, late];
});

const keyOf = ({ key }: Account) => world.database.doc(`apiKeys/${hashKey(key)}`);
/** A deck of two versions, a remix, as the examples of the reference need it. */
async function aDeckOf(by: Account, member: Account): Promise<Deck> {
  const made = await world.aDeck(by, [ENTRY]);
  await succeed(world.commit(by, { presentationId: made.presentationId }, [ENTRY]));
  await world.addMember(made, member);
  await transact(async (tx) => {
    const [deck] = await readIn(tx, presentationRef(made.presentationId));
    const { manifestId, shardCount } = deck!.current;
    if (source) setRemixedFrom(tx, made.presentationId, { ...source, version: 1, base: { manifestId, shardCount } });
  });
  return made;
}
/** Gives the second version of a deck the picture that the example of getSlidePicture names. */
const showAgenda = ({ presentationId }: Deck) =>
  showSlides(owner, presentationId, 2, [{ key: 'agenda', bytes: slide(10) }]);
/** A key or session that the endpoint accepts. */
const keyFor = ({ caller }: EndpointDefinition) =>
  caller === 'anyone' ? {} : { key: caller === 'session' ? session : owner.key };
const isGet = ({ method }: EndpointDefinition) => [method].flat().includes('GET');
const raw = (name: string, init: NodeRequestInit = {}) => fetch(`${world.cloud.baseUrl}/${name}`, init);
/** Calls an endpoint about decks: its example, about that deck. */
function callAbout(name: string, about: Pick<Deck, 'presentationId' | 'tokenId'>, key: string) {
  const input = inputAbout(name, about);
  if (!isGet(endpoints[name]!.definition)) return world.call(name, input, { key });
  return world.call(name, undefined, { key, query: input as Record<string, string> });
}

test('every function is exported under its own name', () => {
  expect(definitions.map(({ name }) => name)).toEqual(Object.keys(endpoints));
});

const byMethods = oneOfEach(definitions, (one) => [one.method, shared.includes(one), 'answer' in one]);
test.each(named(byMethods))('%s answers 405, and gives every answer a request id', async (name, { method }) => {
  const methods: string[] = [method].flat();
  const isShared = shared.some((one) => one.name === name);
  for (const wrong of each(['PUT', 'DELETE', 'PATCH', 'GET', 'POST'].filter((one) => !methods.includes(one)))) {
    const response = await raw(name, { method: wrong });
    const allowed = [...methods, ...(isShared ? ['OPTIONS'] : [])].join(', ');
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
    const id = response.headers.get('x-request-id');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    const body = await response.text();
    if (response.headers.get('content-type')?.includes('json')) expect(body).toContain(`"requestId":"${id}"`);
  }
});

test('only what reads a cookie is closed to pages of other origins', () => {
  const closed = definitions.filter((definition) => !shared.includes(definition));
  expect(closed.map(({ name }) => name)).toEqual(['dashboardSession', 'deckSite']);
});

const sharedByMethods = byMethods.filter((definition) => shared.includes(definition));
test.each(named(sharedByMethods))('%s answers OPTIONS to every origin without a key', async (name) => {
  const { status, headers } = await raw(name, { method: 'OPTIONS', headers: { origin: 'https://example.org' } });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  const needed = words('Authorization Content-Type Range If-None-Match If-Range Idempotency-Key');
  expect(headers.get('access-control-allow-headers')!.split(/, */)).toEqual(expect.arrayContaining(needed));
  expect(headers.get('access-control-max-age')).toBe('3600');
  const exposed = words(`ETag Content-Range Accept-Ranges Content-Length X-Request-Id X-Service-Sha256 Retry-After
    RateLimit RateLimit-Policy`);
  expect(headers.get('access-control-expose-headers')!.split(/, */)).toEqual(expect.arrayContaining(exposed));
});

test.each(named(guarded))('%s answers 401 to no key', async (name) => {
  const answer = await world.call(name);
  const { code, nextAction } = answer.error;
  expect([answer.status, code, Boolean(nextAction)]).toEqual([401, 'unauthenticated', true]);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
});

const byRule = oneOfEach(guarded, ({ caller }) => (typeof caller === 'object' ? 'scope' : caller));
describe.each(named(byRule))('%s', (name) => {
  test('answers 401 to a revoked and to an expired key, and to a session that ended or expired', async () => {
    for (const key of each([...dead, mintKey('organization'), mintKey('session')])) {
      expect(await refusal(world.call(name, undefined, { key }))).toEqual([401, 'unauthenticated']);
    }
  });

  test('answers 401 to what is not a key, and to a malformed key, without asking the database', async () => {
    const malformed = owner.key.slice(0, -1) + (owner.key.endsWith('a') ? 'b' : 'a');
    const cost = await world.costOf(async () => {
      for (const authorization of ['nonsense', 'Basic abc', `Bearer ${malformed}`]) {
        expect((await world.call(name, undefined, { headers: { authorization } })).status).toBe(401);
      }
    });
    expect(cost.roundTrips).toBe(0);
  });
});

test.each(named(scoped))(
  '%s answers 403 to a key without its scope, and needs none of a session',
  async (name, { caller }) => {
    const requiredScope = typeof caller === 'object' ? caller.scope : '';
    const others = ['presentations:write', 'presentations:read', 'marketplace:publish'];
    await keyOf(scopeless).update({ scopes: others.filter((scope) => scope !== requiredScope) });
    const { status, error } = await world.call(name, undefined, { key: scopeless.key });
    expect([status, error.code, error.details]).toEqual([403, 'permission-denied', { requiredScope }]);
    const bySession = await world.call(name, undefined, { key: session });
    expect(bySession.status).not.toBe(401);
    expect(bySession.body.error?.details?.['requiredScope']).toBeUndefined();
  },
);

describe.each(named(ofDecks))('%s', (name) => {
  test("answers 403 for another user's deck", async () => {
    expect(await refusal(callAbout(name, deck, stranger.key))).toEqual([403, 'permission-denied']);
  });

  test('answers 404 for an unknown deck', async () => {
    const unknown = { ...deck, presentationId: newId() };
    expect(await refusal(callAbout(name, unknown, owner.key))).toEqual([404, 'not-found']);
  });

  test('lets a dev call it if and only if it is for devs', async () => {
    const isForDevs = forDevs.includes(name);
    const asked = isForDevs ? await aDeckOf(owner, dev) : deck;
    if (name === 'getSlidePicture') await showAgenda(asked);
    const answer = await callAbout(name, asked, dev.key);
    expect(outcomes([answer])).toEqual(isForDevs ? { ok: 1 } : { 'permission-denied': 1 });
  });
});

const byRole = oneOfEach(ofDecks, ({ caller }) => typeof caller === 'object' && caller.deck);
test.each(named(byRole))('%s answers 404 for what is not the id of a deck', async (name) => {
  for (const presentationId of ['no-id', 'a/b', '..', '__x__', 'x'.repeat(2000)]) {
    const answer = await refusal(callAbout(name, { ...deck, presentationId }, owner.key));
    expect([presentationId, ...answer]).toEqual([presentationId, 404, 'not-found']);
  }
});

test.each(named(byRole))('%s answers a session as a key of its user', async (name) => {
  for (const by of [owner, dev, stranger]) {
    const [byKey, bySession] = [by.key, await world.aDashboardSession(by)].map(async (key) =>
      outcomes([await callAbout(name, await aDeckOf(owner, dev), key)]),
    );
    expect(await bySession).toEqual(await byKey);
  }
});

test.each(named(ofDecks.filter(isGet)))(
  '%s takes the id of the deck in the path and in the query',
  async (name, { path = [] }) => {
    const { presentationId, ...fields } = inputAbout(name, deck) as Record<string, string>;
    // A raw endpoint names its paths otherwise.
    const rest = name === 'getSlidePicture' ? ['version'] : path.slice(1);
    const others = Object.fromEntries(Object.entries(fields).filter(([key]) => !rest.includes(key)));
    const whole = [name, presentationId!, ...rest.map((field) => fields[field]!)];
    const ask = async (segments: string[], query: Record<string, string>) => {
      const address = `${segments.join('/')}?${new URLSearchParams(query).toString()}`;
      const answer = await raw(address, { headers: { authorization: `Bearer ${owner.key}` } });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await ask([name], { presentationId: presentationId!, ...fields })).toBe(200);
    expect(await ask([name, presentationId!], fields)).toBe(200);
    expect([await ask(whole, others), await ask([...whole, 'more'], others)]).toEqual([200, 404]);
  },
);

/** The endpoints of a deck that a dev may call, as the specification names them. All others are for the owner only. */
const forDevs = words(`precheckAssets commitPresentationVersion uploadPresentationAsset uploadPresentationAssets
  createAssetUploads completeAssetUploads listPresentationVersions getPresentationVersion diffPresentationVersions
  downloadPresentationAsset restorePresentationVersion previewPresentationVersion leavePresentation
  uploadSlidePictures listSlidePictures getSlidePicture compareRemix updateRemix
  getLiveSession endLiveSession`);

/** The endpoints with a key of sections 12 to 18 of the specification. */
const notForAdmins = words(`updateShareToken getShareToken setPresentationTracking previewPresentationVersion
  listPresentationViews exportPresentationViews getPresentationInsights getOrganizationInsights
  startLiveSession getLiveSession endLiveSession listEvents createWebhook updateWebhook rotateWebhookSecret deleteWebhook
  sendTestEvent redeliverWebhook listWebhooks listWebhookDeliveries compareRemix updateRemix
  setPresentationPictures uploadSlidePictures listSlidePictures getSlidePicture`);
test.each(notForAdmins)('%s answers 403 to an admin key', async (name) => {
  const answer = callAbout(name, deck, await world.anAdmin());
  expect(await refusal(answer)).toEqual([403, 'permission-denied']);
});

const dashboard = guarded.filter(({ caller }) => caller === 'session');
test.each(named(dashboard))('%s answers 403 to an API key', async (name, { method }) => {
  expect((await world.call(name, method === 'GET' ? undefined : {}, { key: owner.key })).status).toBe(403);
});

test('verifyApiKey alone refuses a session of the dashboard: it describes the key that calls it', async () => {
  const keysOnly = guarded.filter(({ caller }) => caller === 'any-key');
  expect(keysOnly.map(({ name }) => name)).toEqual(['verifyApiKey']);
  const answer = world.call('verifyApiKey', undefined, { key: session });
  expect(await refusal(answer)).toEqual([403, 'permission-denied']);
});

const readingInput = jsonReaders.filter(({ input }) => !input.safeParse({}).success);
test.each(named(readingInput))('%s answers 400 to an input without its fields', async (name, one) => {
  expect((await world.call(name, {}, keyFor(one))).status).toBe(400);
});

test.each(named(oneOfEach(readingInput, wayOfReading)))('%s answers 400 without a body', async (name, one) => {
  expect((await world.call(name, undefined, keyFor(one))).status).toBe(400);
});

describe.each(named(oneOfEach(jsonReaders, wayOfReading)))('%s', (name, definition) => {
  test('answers 400 to a body that is not a JSON object, and to bytes that are not valid UTF-8', async () => {
    for (const body of ['{', '[]', '"text"', 'null', '5', '{"a":']) {
      const { status, error } = await world.call(name, body, keyFor(definition));
      const { location } = error.details!.errors![0]!;
      expect([body, status, error.code, location]).toEqual([body, 400, 'invalid-argument', 'body']);
    }
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${keyFor(definition).key ?? ''}` };
    const bytes = Buffer.from('{"email":"\xff"}', 'latin1');
    expect((await raw(name, { method: 'POST', headers, body: bytes })).status).toBe(400);
  });

  test('answers 400 to a body that is nested more than 64 levels deep, and not for 64 levels', async () => {
    const nested = (levels: number) => `{"unknown":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const by = await freshKey(world, definition);
    const problemOf = async (body: string) =>
      (await world.call(name, body, by)).body.error?.details?.errors?.[0]?.message;
    for (const body of [nested(65), `{"unknown":${'['.repeat(30_000)}`, '{"a":'.repeat(10_000)]) {
      expect(await problemOf(body)).toContain('64 levels');
    }
    // This body may be accepted, and may end the key.
    expect(String(await problemOf(nested(64)))).not.toContain('64 levels');
  });

  test('answers 400 to a text that is not valid Unicode, and names its place', async () => {
    const { error } = await world.call(name, '{"unknown":["x",{"a":"\\ud800b"}]}', keyFor(definition));
    const problem = { location: 'body.unknown[1].a', message: 'This text is not valid Unicode.' };
    expect(error.details?.errors).toEqual([problem]);
  });

  test('answers 404 to a path segment behind its name, and to a malformed one', async () => {
    const by = await freshKey(world, definition);
    for (const path of ['x', 'x/y', '%', '50%20%off']) {
      expect(await refusal(world.call(name, {}, { ...by, path: `/${path}` }))).toEqual([404, 'not-found']);
    }
  });
});

/** The status and body of the answer to a request that declares a body of that length and sends none of it. */
function declare(name: string, method: string, length: number): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    // Without a Content-Type the platform passes the request on before it has read the body.
    const headers = { 'content-length': length };
    const sent = request(`${world.cloud.baseUrl}/${name}`, { method, headers, agent: false }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode!, text });
      sent.destroy();
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
}

test.each(named(oneOfEach(readers, wayAndLimit)))(
  '%s answers 413 to a declared body above its limit without reading it, and not to one of exactly its limit',
  async (name, definition) => {
    const limit = limitOf(definition);
    const answer = await declare(name, 'POST', limit + 1);
    expect(answer.status).toBe(413);
    const error = { code: 'payload-too-large', details: { limit, actual: limit + 1 } };
    if ('answer' in definition) expect(JSON.parse(answer.text)).toMatchObject({ error });
    // The check of the caller comes next and refuses this request, which has no key.
    if (guarded.includes(definition)) expect((await declare(name, 'POST', limit)).status).toBe(401);
  },
  10_000,
);

const withoutFields = definitions.find(({ name }) => name === 'verifyApiKey')!;
const ignoring = [...byMethods, withoutFields].filter((definition) => !readers.includes(definition));
test.each(named(ignoring))('%s ignores a body', async (name, { method }) => {
  expect((await declare(name, [method].flat()[0]!, 40 * MB)).status).not.toBe(413);
});

test('a call without fields takes a body that is not JSON', async () => {
  await succeed(world.call('verifyApiKey', 'hello', { key: owner.key }));
});

/** Sends a body without its length, and does not end it. */
function sendChunked(name: string, bytes: Buffer, key?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = key ? { authorization: `Bearer ${key}` } : {};
    const sent = request(`${world.cloud.baseUrl}/${name}`, { method: 'POST', headers, agent: false }, (response) => {
      resolve(response);
      response.destroy();
    });
    sent.on('error', reject);
    sent.write(bytes);
  });
}

const unread = oneOfEach(readers, wayAndLimit).filter(({ read }) => !read);
test.each(named(unread))('%s refuses a body whose length is not declared before its end', async (name, definition) => {
  const { key } = await freshKey(world, definition);
  const answer = await sendChunked(name, Buffer.alloc(limitOf(definition) + 1, ' '), key);
  expect(answer.statusCode).toBe(413);
});

test('a body of exactly its limit is read when its length is not declared', async () => {
  const start = Buffer.from('{"hashes":[]');
  const send = (bytes: number) => {
    const halves = [start, Buffer.concat([Buffer.alloc(bytes - start.length - 1, ' '), Buffer.from('}')])];
    const headers = { authorization: `Bearer ${owner.key}` };
    const body = Readable.toWeb(Readable.from(halves));
    return raw('precheckAssets', { method: 'POST', headers, body, duplex: 'half' });
  };
  expect((await send(MB)).status).toBe(200);
  expect((await send(MB + 1)).status).toBe(413);
});

test('an endpoint that does not check its declared role answers 500 without data of the deck', async () => {
  const secret = { secret: 'of the deck' };
  const caller = { scope: 'presentations:read', deck: 'owner' } as const;
  const cost = { roundTrips: 0, reads: 0, writes: 0 };
  const declared = { about: 'Forgets its role.', caller, method: 'GET', errors: [], cost } as const;
  const input = z.object({ presentationId: z.string() });
  const answer = z.object({ secret: z.string() });
  const handle = () => Promise.resolve(secret);
  const careless = endpoint({ ...declared, name: 'careless', input, answer, handle });
  const handleFile = () => Promise.resolve();
  const carelessFile = rawEndpoint({ ...declared, name: 'carelessFile', answers: {}, handle: handleFile });
  const host = await startHost({ functions: { careless, carelessFile }, project: world.cloud.project });
  for (const name of ['careless', 'carelessFile']) {
    const headers = { authorization: `Bearer ${owner.key}` };
    const response = await fetch(`${host.baseUrl}/${name}?presentationId=${deck.presentationId}`, { headers });
    expect([name, response.status]).toEqual([name, 500]);
    expect(await response.text()).not.toContain(secret.secret);
  }
  await host.close();
});
