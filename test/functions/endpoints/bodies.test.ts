import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { hashKey, scopes } from '../../../functions/src/values/keys';
import { definitions, freshKey, jsonReaders, limitOf, named, readers } from '../../support/bodies';
import { World, type Account } from '../../support/world';

const MB = 1024 * 1024;

let world: World;
let owner: Account;
let session: string;

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
  await world.database.doc(`apiKeys/${hashKey(owner.key)}`).update({ scopes });
  session = await world.aDashboardSession(owner);
});
afterAll(() => world.stop());

describe.each(named(jsonReaders))('%s', (name, { caller, input }) => {
  const options = () => (caller === 'anyone' ? {} : { key: caller === 'session' ? session : owner.key });

  test.each(['{', '[]', '"text"', 'null', '5', '{"a":'])('answers 400 to the body %j', async (body) => {
    const { status, error } = await world.call(name, body, options());
    expect([status, error.code]).toEqual([400, 'invalid-argument']);
    expect(error.details?.errors?.[0]?.location).toBe('body');
  });

  test('answers 400 to bytes that are not valid UTF-8', async () => {
    const response = await fetch(`${world.cloud.baseUrl}/${name}`, {
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
  async (name, definition) => {
    const { status, text } = await declare(name, 'POST', limitOf(definition) + 1);
    expect(status).toBe(413);
    if (!('answer' in definition)) return;
    const { error } = JSON.parse(text) as { error: { code: string; details: object } };
    expect([error.code, error.details]).toEqual([
      'payload-too-large',
      { limit: limitOf(definition), actual: limitOf(definition) + 1 },
    ]);
  },
  5_000,
);

test.each(named(readers.filter(({ caller }) => caller !== 'anyone' && caller !== 'optional-key')))(
  '%s does not refuse a declared body of exactly its limit',
  async (name, definition) => {
    // The check of the caller comes next and refuses this request, which has no key.
    expect((await declare(name, 'POST', limitOf(definition))).status).toBe(401);
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

test.each(named(readers.filter(({ read }) => !read)))(
  '%s refuses a body above its limit whose length is not declared before its end',
  async (name, definition) => {
    const { key } = await freshKey(world, definition);
    const answer = await sendChunked(name, Buffer.alloc(limitOf(definition) + 1, ' '), key);
    expect(answer.statusCode).toBe(413);
  },
  15_000,
);

test('a body of exactly its limit is read when its length is not declared', async () => {
  const send = (bytes: number) =>
    fetch(`${world.cloud.baseUrl}/precheckAssets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.key}` },
      body: Readable.toWeb(Readable.from(halves(bytes))),
      duplex: 'half',
    });
  expect((await send(MB)).status).toBe(200);
  expect((await send(MB + 1)).status).toBe(413);
});

describe.each(named(jsonReaders))('%s', (name, definition) => {
  test('answers 400 to a body that is nested more than 64 levels deep, and not for 64 levels', async () => {
    const nested = (levels: number) => `{"unknown":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const messages = [];
    const by = await freshKey(world, definition);
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
    const by = await freshKey(world, definition);
    for (const path of ['x', 'x/y', '%', '50%20%off']) {
      const { status, error } = await world.call(name, {}, { ...by, path: `/${path}` });
      expect([status, error.code]).toEqual([404, 'not-found']);
    }
  });
});

/** An input of precheckAssets of that length, in two chunks. */
function* halves(bytes: number): Generator<Buffer> {
  const start = Buffer.from('{"hashes":[]');
  yield start;
  yield Buffer.concat([Buffer.alloc(bytes - start.length - 1, ' '), Buffer.from('}')]);
}
