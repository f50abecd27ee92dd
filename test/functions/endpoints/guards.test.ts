import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { EndpointDefinition } from '../../../functions/src/http/definition';
import { newId } from '../../../functions/src/values/ids';
import { hashKey, mintKey, scopes } from '../../../functions/src/values/keys';
import { outcomes, refusal } from '../../support/answers';
import { definitions, freshKey, jsonReaders, limitOf, named, readers } from '../../support/bodies';
import { each } from '../../support/each';
import { endpoints } from '../../support/endpoints';
import { inputAbout } from '../../support/every-call';
import { ENTRY } from '../../support/example-scene';
import { words } from '../../support/words';
import { type Account, type Deck, startWorld, succeed, world } from '../../support/world';

/** The tests are made from the endpoint objects, so that they cover every endpoint. */

const MB = 1024 * 1024;
const guarded = definitions.filter(({ caller }) => caller !== 'anyone' && caller !== 'optional-key');
const scoped = guarded.filter(({ caller }) => typeof caller === 'object');
const ofDecks = scoped.filter(({ caller }) => typeof caller === 'object' && caller.deck);
/** The endpoints that pages of other origins may call. */
const shared = definitions.filter((definition) => !('isSameOrigin' in definition));

let owner: Account;
let stranger: Account;
let deck: Deck;
let dev: Account;
let dead: Account[];
let scopeless: Account;
let session: string;

startWorld(async () => {
  const [first, second, third, ...rest] = await Promise.all(Array.from({ length: 6 }, () => world.anOwner()));
  [owner, stranger, dev, scopeless, dead] = [first!, second!, third!, rest[0]!, rest.slice(1)];
  await keyOf(dead[0]!).update({ status: 'revoked' });
  await keyOf(dead[1]!).update({ expiresAt: new Date(Date.now() - 1) });
  for (const account of [owner, stranger, dev]) await keyOf(account).update({ scopes });
  deck = await aDeckOf(owner);
  session = await world.aDashboardSession(owner);
});

const keyOf = ({ key }: Account) => world.database.doc(`apiKeys/${hashKey(key)}`);
/** A deck of two versions, as the examples of the reference need it. */
async function aDeckOf(by: Account): Promise<Deck> {
  const made = await world.aDeck(by, [ENTRY]);
  await succeed(world.commit(by, { presentationId: made.presentationId }, [ENTRY]));
  return made;
}
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

test.each(named(definitions))('%s answers 405, and gives every answer a request id', async (name, { method }) => {
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

test('only decks on origins of their own are closed to pages of other origins', () => {
  const closed = definitions.filter((definition) => !shared.includes(definition));
  expect(closed.map(({ name }) => name)).toEqual(['deckSite']);
});

test.each(named(shared))('%s answers OPTIONS to every origin without a key', async (name) => {
  const { status, headers } = await raw(name, { method: 'OPTIONS', headers: { origin: 'https://example.org' } });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  const allowed = headers.get('access-control-allow-headers')!.split(/, */);
  expect(allowed).toEqual(
    expect.arrayContaining(words('Authorization Content-Type Range If-None-Match If-Range Idempotency-Key')),
  );
  expect(headers.get('access-control-max-age')).toBe('3600');
});

describe.each(named(guarded))('%s', (name) => {
  test('answers 401 to no key, to what is not a key, and to an unknown key', async () => {
    for (const authorization of [undefined, 'nonsense', 'Basic abc', `Bearer ${mintKey('organization')}`]) {
      const answer = await world.call(name, undefined, { ...(authorization && { headers: { authorization } }) });
      const { code, nextAction } = answer.error;
      expect([answer.status, code, Boolean(nextAction)]).toEqual([401, 'unauthenticated', true]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test('answers 401 to a malformed key without asking the database, and to a revoked and to an expired key', async () => {
    const key = owner.key.slice(0, -1) + (owner.key.endsWith('a') ? 'b' : 'a');
    const cost = await world.costOf(async () => expect((await world.call(name, undefined, { key })).status).toBe(401));
    expect(cost.roundTrips).toBe(0);
    for (const { key } of each(dead)) expect((await world.call(name, undefined, { key })).status).toBe(401);
  });
});

test.each(named(scoped))('%s answers 403 to a key without its scope', async (name, { caller }) => {
  const requiredScope = typeof caller === 'object' ? caller.scope : '';
  const others = ['presentations:write', 'presentations:read', 'marketplace:publish'];
  await keyOf(scopeless).update({ scopes: others.filter((scope) => scope !== requiredScope) });
  const { status, error } = await world.call(name, undefined, { key: scopeless.key });
  expect([status, error.code, error.details]).toEqual([403, 'permission-denied', { requiredScope }]);
});

describe.each(named(ofDecks))('%s', (name) => {
  /** A session has the rights of a key of its user. */
  const keysOf = async (by: Account) => [by.key, await world.aDashboardSession(by)];

  test("answers 403 for another user's deck", async () => {
    for (const key of each(await keysOf(stranger))) {
      expect(await refusal(callAbout(name, deck, key))).toEqual([403, 'permission-denied']);
    }
  });

  test('answers a session of the owner as a key of the owner', async () => {
    const by = await world.aPublisher('pro');
    const answers = (await keysOf(by)).map(async (key) => outcomes([await callAbout(name, await aDeckOf(by), key)]));
    const [byKey, bySession] = await Promise.all(answers);
    expect(bySession).toEqual(byKey);
  });

  test('answers 404 for an unknown deck', async () => {
    for (const presentationId of [newId(), 'no-id', 'a/b', '..', '__x__', 'x'.repeat(2000)]) {
      for (const key of [owner.key, session]) {
        const answer = await refusal(callAbout(name, { ...deck, presentationId }, key));
        expect([presentationId, ...answer]).toEqual([presentationId, 404, 'not-found']);
      }
    }
  });

  test('lets a dev call it if and only if it is for devs', async () => {
    for (const key of each(await keysOf(dev))) {
      const mine = await aDeckOf(await world.anOwner('pro'));
      await world.addMember(mine, dev);
      const outcome = outcomes([await callAbout(name, mine, key)]);
      expect(outcome).toEqual(forDevs.includes(name) ? { ok: 1 } : { 'permission-denied': 1 });
    }
  });
});

test.each(named(ofDecks.filter(isGet)))(
  '%s takes the id of the deck in the path and in the query',
  async (name, { path = [] }) => {
    const { presentationId, ...fields } = inputAbout(name, deck) as Record<string, string>;
    const rest = path.slice(1);
    const others = new URLSearchParams(
      Object.fromEntries(Object.entries(fields).filter(([key]) => !rest.includes(key))),
    );
    const whole = [name, presentationId, ...rest.map((field) => fields[field])].join('/');
    const headers = { authorization: `Bearer ${owner.key}` };
    for (const address of [
      `${name}?${new URLSearchParams({ presentationId: presentationId!, ...fields }).toString()}`,
      `${name}/${presentationId}?${new URLSearchParams(fields).toString()}`,
      `${whole}?${others.toString()}`,
    ]) {
      const answer = await raw(address, { headers });
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
    expect((await raw(`${whole}/more?${others.toString()}`, { headers })).status).toBe(404);
  },
);

/** The endpoints of a deck that a dev may call, as the specification names them. All others are for the owner only. */
const forDevs = words(`precheckAssets commitPresentationVersion uploadPresentationAsset uploadPresentationAssets
  createAssetUploads completeAssetUploads listPresentationVersions getPresentationVersion diffPresentationVersions
  downloadPresentationAsset restorePresentationVersion leavePresentation`);

const dashboard = guarded.filter(({ caller }) => caller === 'session');
test.each(named(dashboard))('%s answers 403 to an API key', async (name) => {
  expect((await world.call(name, {}, { key: owner.key })).status).toBe(403);
});

test('verifyApiKey alone refuses a session of the dashboard: it describes the key that calls it', async () => {
  const keysOnly = guarded.filter(({ caller }) => caller === 'any-key');
  expect(keysOnly.map(({ name }) => name)).toEqual(['verifyApiKey']);
  const answer = world.call('verifyApiKey', undefined, { key: session });
  expect(await refusal(answer)).toEqual([403, 'permission-denied']);
});

const forSessions = guarded.filter(({ caller }) => caller !== 'any-key');
test.each(named(forSessions))('%s answers 401 to a session that ended, expired or never was', async (name) => {
  const [ended, expired] = [await world.aDashboardSession(owner), await world.aDashboardSession(owner)];
  await world.call('endDashboardSession', {}, { key: ended });
  await world.database.doc(`dashboardSessions/${hashKey(expired)}`).update({ expiresAt: new Date(Date.now() - 1) });
  for (const key of [ended, expired, mintKey('session')]) {
    expect(await refusal(world.call(name, undefined, { key }))).toEqual([401, 'unauthenticated']);
  }
});

test.each(named(scoped))('%s needs no scope of a session', async (name) => {
  const { status, body } = await world.call(name, undefined, { key: session });
  expect(status).not.toBe(401);
  expect(body.error?.details?.['requiredScope']).toBeUndefined();
});

describe.each(named(jsonReaders))('%s', (name, definition) => {
  const { caller, input } = definition;
  const options = () => (caller === 'anyone' ? {} : { key: caller === 'session' ? session : owner.key });

  test('answers 400 to a body that is not a JSON object, and to bytes that are not valid UTF-8', async () => {
    for (const body of ['{', '[]', '"text"', 'null', '5', '{"a":']) {
      const { status, error } = await world.call(name, body, options());
      const { location } = error.details!.errors![0]!;
      expect([body, status, error.code, location]).toEqual([body, 400, 'invalid-argument', 'body']);
    }
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${options().key ?? ''}` };
    const bytes = Buffer.from('{"email":"\xff"}', 'latin1');
    expect((await raw(name, { method: 'POST', headers, body: bytes })).status).toBe(400);
  });

  if (!input.safeParse({}).success)
    test('answers 400 to a missing body, an empty body and wrong types', async () => {
      const fields = ['hashes', 'files', 'email', 'code', 'presentationId', 'user', 'name'];
      const wrong = Object.fromEntries(fields.map((field) => [field, 7]));
      for (const body of [undefined, {}, wrong]) expect((await world.call(name, body, options())).status).toBe(400);
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

test.each(named(readers))(
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

test.each(named(definitions.filter((one) => !readers.includes(one))))('%s ignores a body', async (name, { method }) => {
  expect((await declare(name, [method].flat()[0]!, 40 * MB)).status).not.toBe(413);
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

const unread = readers.filter(({ read }) => !read);
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
