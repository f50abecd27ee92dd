import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { z } from '../../../functions/node_modules/zod';
import type { EndpointDefinition } from '../../../functions/src/http/definition';
import { newId } from '../../../functions/src/values/ids';
import { hashKey, mintKey, scopes } from '../../../functions/src/values/keys';
import { endpoints } from '../../support/endpoints';
import { collect } from '../../support/garbage';
import { manifestRow, page, sha256, World, type Account, type Deck } from '../../support/world';

/** The tests are made from the endpoint objects, so that they cover every endpoint. */
const definitions = Object.values(endpoints).map(({ definition }) => definition);
const guarded = definitions.filter(({ caller }) => caller !== 'anyone' && caller !== 'optional-key');
const scoped = guarded.filter(({ caller }) => typeof caller === 'object');
const ofDecks = scoped.filter(({ caller }) => typeof caller === 'object' && caller.deck);
const inEnvelope = definitions.filter((definition) => 'answer' in definition);
const posts = inEnvelope.filter(({ method }) => method === 'POST');
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
  deck = await world.aDeck(owner);
  session = await world.aDashboardSession(owner);
});
afterAll(() => world.stop());

const raw = (name: string, init: NodeRequestInit = {}) => fetch(`${world.cloud.baseUrl}/${name}`, init);

/** The smallest input with which an endpoint reads the deck. */
const inputsOfDecks: Record<string, (presentationId: string) => object> = {
  precheckAssets: (presentationId) => ({ presentationId, hashes: [] }),
  commitPresentationVersion: (presentationId) => ({
    presentationId,
    entryPath: 'index.html',
    files: [manifestRow(page())],
  }),
  uploadPresentationAsset: (presentationId) => {
    const form = new FormData();
    form.append('presentationId', presentationId);
    form.append('sha256', hashKey('x'));
    form.append('contentType', 'text/plain');
    form.append('file', new Blob(['x']), 'x');
    return form;
  },
  uploadPresentationAssets: (presentationId) => {
    const form = new FormData();
    form.append('presentationId', presentationId);
    form.append(hashKey('x'), new Blob(['x'], { type: 'text/plain' }), 'x');
    return form;
  },
  createAssetUploads: (presentationId) => ({
    presentationId,
    assets: [{ sha256: hashKey('x'), size: 1, contentType: 'text/plain' }],
  }),
  completeAssetUploads: (presentationId) => ({ presentationId, sha256s: [hashKey('x')] }),
  getSharedPresentationInfo: (presentationId) => ({ presentationId }),
  listPresentationVersions: (presentationId) => ({ presentationId }),
  getPresentationVersion: (presentationId) => ({ presentationId, version: '1' }),
  diffPresentationVersions: (presentationId) => ({ presentationId, from: '1', to: '1' }),
  downloadPresentationAsset: (presentationId) => ({ presentationId, sha256: sha256(page().bytes) }),
  restorePresentationVersion: (presentationId) => ({ presentationId, version: 1 }),
  renamePresentation: (presentationId) => ({ presentationId, title: 'x' }),
  setPresentationExpiry: (presentationId) => ({ presentationId, expiresAt: null }),
  addPresentationToken: (presentationId) => ({ presentationId, tokenName: 'x' }),
  setTokenVersionMode: (presentationId) => ({
    presentationId,
    tokenId: 'x'.repeat(22),
    versionMode: { type: 'latest' },
  }),
  renameShareToken: (presentationId) => ({ presentationId, tokenId: 'x'.repeat(22), name: 'x' }),
  unsharePresentation: (presentationId) => ({ presentationId, all: true }),
  deletePresentation: (presentationId) => ({ presentationId }),
  inviteCollaborator: (presentationId) => ({ presentationId, email: 'dev@example.org' }),
  uninviteCollaborator: (presentationId) => ({ presentationId, email: 'dev@example.org' }),
  listCollaborators: (presentationId) => ({ presentationId }),
  leavePresentation: (presentationId) => ({ presentationId }),
  previewShareEmail: (presentationId) => ({ presentationId }),
  sharePresentationViaEmail: (presentationId) => ({ presentationId, emails: ['somebody@example.org'] }),
  listEmailSends: (presentationId) => ({ presentationId }),
  publishMarketplaceListing: (presentationId) => ({ presentationId, kind: 'plan', description: 'x' }),
};

/** The endpoints of a deck that a dev may call. All others are for the owner only. */
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

const KB = 1024;
const MB = 1024 * KB;
/** The largest body in bytes of each endpoint whose limit differs from 64 KB. */
const limits: Record<string, number> = {
  cliCompleteSignup: 3 * MB,
  updateOrganization: 3 * MB,
  precheckAssets: MB,
  createAssetUploads: MB,
  publishMarketplaceListing: MB,
  commitPresentationVersion: 16 * MB,
  uploadPresentationAsset: 1025 * MB,
  uploadPresentationAssets: 257 * MB,
  reportPage: 32 * KB,
};
const limitOf = (name: string) => limits[name] ?? 64 * KB;
/** The endpoints that read a body. */
const readers = definitions.filter((each) => each.method === 'POST' && (posts.includes(each) || each.limit));

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
  const callFor = (presentationId: string, key: string) => {
    const input = inputsOfDecks[name]!(presentationId);
    const isGet = [definition.method].flat().includes('GET');
    return isGet ? world.call(name, undefined, { key, query: { ...input } }) : world.call(name, input, { key });
  };

  test("answers 403 for another user's deck", async () => {
    for (const key of [stranger.key, await ofSession(stranger)]) {
      const { status, error } = await callFor(deck.presentationId, key);
      expect([status, error.code]).toEqual([403, 'permission-denied']);
    }
  });

  test('answers a session of the owner as a key of the owner', async () => {
    const by = await world.aPublisher();
    const [first, second] = await Promise.all([world.aDeck(by), world.aDeck(by)]);
    const byKey = await callFor(first.presentationId, by.key);
    const bySession = await callFor(second.presentationId, await ofSession(by));
    expect([bySession.status, bySession.body.error?.code]).toEqual([byKey.status, byKey.body.error?.code]);
  });

  test.each([newId(), 'no-id', 'a/b', '..', '__x__', 'x'.repeat(2000)])(
    'answers 404 for an unknown deck: %j',
    async (id) => {
      for (const key of [owner.key, session]) {
        const { status, error } = await callFor(id, key);
        expect([status, error.code]).toEqual([404, 'not-found']);
      }
    },
  );
});

const addressed = ofDecks.filter(({ method }) => [method].flat().includes('GET'));
test.each(named(addressed))('%s takes the id of the deck in the path and in the query', async (name, { path = [] }) => {
  const { presentationId, ...fields } = inputsOfDecks[name]!(deck.presentationId) as Record<string, string>;
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

test('the endpoints with the role of a dev are exactly those listed here', () => {
  const named = ofDecks.flatMap(({ name, caller }) =>
    typeof caller === 'object' && caller.deck === 'member' ? [name] : [],
  );
  expect(named.sort()).toEqual([...forDevs].sort());
});

test.each(named(ofDecks))('%s lets a dev call it if and only if it is for devs', async (name, { method }) => {
  const isGet = [method].flat().includes('GET');
  for (const key of [dev.key, await world.aDashboardSession(dev)]) {
    const mine = await world.aDeck(await world.anOwner());
    await world.addMember(mine, dev);
    const input = inputsOfDecks[name]!(mine.presentationId);
    const { status, body } = await (isGet
      ? world.call(name, undefined, { key, query: { ...input } })
      : world.call(name, input, { key }));
    const isForDevs = forDevs.includes(name);
    expect([status, body.error?.code]).toEqual(isForDevs ? [200, undefined] : [403, 'permission-denied']);
  }
});

describe.each(named(posts.filter(({ read }) => !read)))('%s', (name, { caller, input }) => {
  const options = () => (caller === 'anyone' ? {} : { key: caller === 'session' ? session : owner.key });

  test.each(['{', '[]', '"text"', 'null', '5', '{"a":'])('answers 400 to the body %j', async (body) => {
    const { status, error } = await world.call(name, body, options());
    expect([status, error.code]).toEqual([400, 'invalid-argument']);
    expect(error.details?.errors?.[0]?.location).toBe('body');
  });

  test('answers 400 to bytes that are not valid UTF-8', async () => {
    const response = await raw(name, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${options().key ?? ''}` },
      body: Buffer.from('{"email":"\xff"}', 'latin1'),
    });
    expect(response.status).toBe(400);
  });

  const needsInput = !input.safeParse({}).success;
  if (needsInput)
    test('answers 400 to a missing body, an empty body and wrong types', async () => {
      const fields = ['hashes', 'files', 'email', 'code', 'presentationId', 'user', 'name'];
      const wrong = Object.fromEntries(fields.map((field) => [field, 7]));
      for (const body of [undefined, {}, wrong]) expect((await world.call(name, body, options())).status).toBe(400);
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
  '%s answers 413 to a declared body above its limit without reading it',
  async (name) => {
    const { status, text } = await declare(name, 'POST', limitOf(name) + 1);
    expect(status).toBe(413);
    if (!('answer' in endpoints[name]!.definition)) return;
    const { error } = JSON.parse(text) as { error: { code: string; details: object } };
    expect([error.code, error.details]).toEqual([
      'payload-too-large',
      { limit: limitOf(name), actual: limitOf(name) + 1 },
    ]);
  },
  5_000,
);

test.each(named(readers.filter((each) => guarded.includes(each))))(
  '%s does not refuse a declared body of exactly its limit',
  async (name) => {
    // The check of the caller comes next and refuses this request, which has no key.
    expect((await declare(name, 'POST', limitOf(name))).status).toBe(401);
  },
);

test.each(named(definitions.filter((each) => !readers.includes(each))))(
  '%s ignores a body',
  async (name, { method }) => {
    const [first] = [method].flat();
    expect((await declare(name, first!, 40 * MB)).status).not.toBe(413);
  },
  5_000,
);

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

/** A key or session for one test of the endpoint, which may end it. Empty for a public endpoint. */
async function freshKey({ caller }: EndpointDefinition): Promise<{ key?: string }> {
  if (caller === 'anyone' || caller === 'optional-key') return {};
  const account = await world.anOwner();
  if (caller === 'session') return { key: await world.aDashboardSession(account) };
  await world.database.doc(`apiKeys/${hashKey(account.key)}`).update({ scopes });
  return { key: account.key };
}

test.each(named(readers.filter(({ read }) => !read)))(
  '%s refuses a body above its limit whose length is not declared before its end',
  async (name, definition) => {
    const { key } = await freshKey(definition);
    const answer = await sendChunked(name, Buffer.alloc(limitOf(name) + 1, ' '), key);
    expect(answer.statusCode).toBe(413);
  },
  15_000,
);

test('a body of exactly its limit is read when its length is not declared', async () => {
  const send = (bytes: number) =>
    raw('precheckAssets', {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.key}` },
      body: Readable.toWeb(Readable.from(halves(bytes))),
      duplex: 'half',
    });
  expect((await send(MB)).status).toBe(200);
  expect((await send(MB + 1)).status).toBe(413);
});

describe.each(named(posts.filter(({ read }) => !read)))('%s', (name, definition) => {
  test('answers 400 to a body that is nested more than 64 levels deep, and not for 64 levels', async () => {
    const nested = (levels: number) => `{"unknown":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const messages = [];
    const by = await freshKey(definition);
    // The last body may be accepted, and may end the key.
    for (const body of [nested(65), `{"unknown":${'['.repeat(30_000)}`, '{"a":'.repeat(10_000), nested(64)]) {
      const { status, body: answer } = await world.call(name, body, by);
      if (body !== nested(64)) expect(status).toBe(400);
      messages.push(answer.error?.details?.errors?.[0]?.message ?? '');
    }
    const isRefusedForDepth = messages.map((message) => /64 levels/.test(message));
    expect(isRefusedForDepth).toEqual([true, true, true, false]);
  });

  test('answers 404 to a path segment behind its name, and to a malformed one', async () => {
    const by = await freshKey(definition);
    for (const path of ['x', 'x/y', '%', '50%20%off']) {
      const { status, error } = await world.call(name, {}, { ...by, path: `/${path}` });
      expect([status, error.code]).toEqual([404, 'not-found']);
    }
  });
});

/** An array of an input: its path in the body, and the most elements that its schema documents. */
interface ArrayField {
  path: string[];
  maxItems: number | undefined;
}

function arraysOf(schema: JsonSchema, path: string[] = []): ArrayField[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => arraysOf(field, [...path, name]));
  const choices = (schema.anyOf ?? []).flatMap((choice) => arraysOf(choice, path));
  const isList = schema.type === 'array' || schema.additionalProperties !== undefined;
  return [...inner, ...choices, ...(isList ? [{ path, maxItems: schema.maxItems }] : [])];
}

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  anyOf?: JsonSchema[];
  additionalProperties?: unknown;
  maxItems?: number;
}

const arrays = posts
  .filter(({ read }) => !read)
  .flatMap((definition) => {
    const schema = z.toJSONSchema(definition.input, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
    return arraysOf(schema).map((field) => [`${definition.name}.${field.path.join('.')}`, definition, field] as const);
  });

test('every array of an input is found, and has a limit', () => {
  expect(arrays.map(([title]) => title)).toEqual(
    expect.arrayContaining([
      'commitPresentationVersion.files',
      'createApiKey.scopes',
      'precheckAssets.hashes',
      'publishMarketplaceListing.tags',
      'publishMarketplaceListing.techStack',
      'sharePresentationViaEmail.emails',
    ]),
  );
  expect(arrays.filter(([, , { maxItems }]) => maxItems === undefined).map(([title]) => title)).toEqual([]);
});

describe.each(arrays)('%s', (_title, definition, { path, maxItems }) => {
  const bodyOf = (elements: unknown[]) => path.reduceRight<unknown>((value, name) => ({ [name]: value }), elements);
  const send = async (body: string) => world.call(definition.name, body, await freshKey(definition));

  test.each([
    ['zeros', 0],
    ['empty objects', {}],
    ['texts', 'x'],
    ['lists', []],
  ])('ten times its limit is refused with few problems: %s', async (_what, element) => {
    const { status, body } = await send(JSON.stringify(bodyOf(Array.from({ length: 10 * maxItems! }, () => element))));
    expect(status).toBe(400);
    expect(JSON.stringify(body).length).toBeLessThan(4000);
  });

  test('an array that fills the body costs no more memory than a small multiple of the body', async () => {
    const text = JSON.stringify(bodyOf(new Array(limitOf(definition.name) / 2 - 100).fill(0)));
    expect((await send(text)).status).toBe(400);
    const parsed = JSON.parse(text) as object;
    collect();
    const before = process.memoryUsage().heapUsed;
    const result = definition.input.safeParse(parsed);
    expect((process.memoryUsage().heapUsed - before) / MB).toBeLessThan(4);
    expect(result.error!.issues.length).toBeLessThan(20);
  });
});

/** An input of precheckAssets of that length, in two chunks. */
function* halves(bytes: number): Generator<Buffer> {
  const start = Buffer.from('{"hashes":[]');
  yield start;
  yield Buffer.concat([Buffer.alloc(bytes - start.length - 1, ' '), Buffer.from('}')]);
}

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
