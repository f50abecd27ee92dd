import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { FieldPath, FieldValue, GeoPoint, Timestamp } from 'firebase-admin/firestore';
import type * as Client from '../../../functions/src/records/firestore/client';
import { commitDocuments, getDocuments } from '../../../functions/src/records/firestore/client';
import type * as Sdk from '../../../functions/src/records/sdk';
import { code, codeOf, firestoreFixture, PROJECT } from '../../local/firestore/fixture';
import { startLossyFirestore, type LossyFirestore } from '../../support/lossy-firestore';
import { listen, upstreamOf } from '../../support/sockets';

/**
 * Both clients of the hot calls and the Admin SDK of the test talk to one real engine. What one writes, the other
 * reads.
 */

process.env['GCLOUD_PROJECT'] = PROJECT;
process.env['RETRY_PAUSE_MS'] = '5';
const fixture = firestoreFixture();
let network: LossyFirestore;
beforeAll(async () => {
  network = await startLossyFirestore(`127.0.0.1:${fixture.server.port}`);
  // The client connects through the gateway with its first call. The SDK of the fixture is connected directly.
  process.env['FIRESTORE_EMULATOR_HOST'] = network.host;
});
afterAll(() => network.close());
const newPath = () => `client/${randomUUID()}`;
const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const name = fc.oneof(
  fc.constantFrom('a', 'B_1', 'a.b', '`', '\\', '1a', 'a b', 'é', '\u{1F600}', 'constructor'),
  text.filter((key) => key !== '' && !/^__.*__$/s.test(key)),
);
const time = fc
  .tuple(fc.integer({ min: -62135596800, max: 253402300799 }), fc.integer({ min: 0, max: 999_999 }))
  .map(([seconds, micros]) => new Timestamp(seconds, micros * 1000));
const number = fc.oneof(fc.double(), fc.maxSafeInteger(), fc.constantFrom(0, -0, NaN, Infinity, 2 ** 53, -(2 ** 53)));
/** What both clients read and write alike. */
const plain = [
  fc.constant(null),
  fc.boolean(),
  number,
  text,
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  fc.date({ min: new Date(-62135596800000), max: new Date(253402300799999), noInvalidDate: true }),
] as fc.Arbitrary<unknown>[];
const special = [
  time,
  fc
    .tuple(fc.double({ min: -90, max: 90, noNaN: true }), fc.double({ min: -180, max: 180, noNaN: true }))
    // The Admin SDK makes 0 of -0.
    .map(([latitude, longitude]) => new GeoPoint(latitude + 0, longitude + 0)),
  fc.constant('reference').map(() => fixture.db.doc('client/é')),
  fc.array(fc.double({ noNaN: true }), { minLength: 1, maxLength: 3 }).map((values) => FieldValue.vector(values)),
] as fc.Arbitrary<unknown>[];

function documents(scalars: fc.Arbitrary<unknown>[]): fc.Arbitrary<Record<string, unknown>> {
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      ...scalars,
      // An array may not hold another array.
      fc.array(fc.oneof(...scalars), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  return fc.dictionary(name, value, { maxKeys: 6, noNullPrototype: true });
}

/** What the Admin SDK reads, with a Date, a name or an object of numbers in place of the classes of the SDK. */
function simplified(value: unknown): unknown {
  if (value instanceof Timestamp) return value.toDate();
  if (value instanceof GeoPoint) return { latitude: value.latitude, longitude: value.longitude };
  if (Buffer.isBuffer(value) || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(simplified);
  const { formattedName, toArray } = value as { formattedName?: string; toArray?: () => number[] };
  if (typeof toArray === 'function') return { __type__: '__vector__', value: toArray.call(value) };
  // A reference.
  if (typeof formattedName === 'string' && 'firestore' in value) return formattedName;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, simplified(each)]));
}

/** Adds 1 to the field `n`. */
const countAt = (path: string) => commitDocuments([{ path, fields: {}, increments: { n: 1 }, isMerge: true }]);
const readBySdk = async (path: string) => simplified((await fixture.db.doc(path).get()).data());
const readByClient = async (path: string) => (await getDocuments([path])).get(path);

test('a document reads as it does with the Admin SDK, whatever values it has', () =>
  fc.assert(
    fc.asyncProperty(documents([...plain, ...special]), async (fields) => {
      const path = newPath();
      await fixture.db.doc(path).set(fields);
      expect(await readByClient(path)).toEqual(await readBySdk(path));
    }),
    { numRuns: 40 },
  ));

/** The values as the database has them: 1 and 1.0 are different values. */
async function stored(path: string): Promise<unknown> {
  return ((await fixture.db.doc(path).get()) as unknown as { _fieldsProto: unknown })._fieldsProto;
}

test('a document is stored as the Admin SDK stores it, whatever values it has', () =>
  fc.assert(
    fc.asyncProperty(documents(plain), fc.boolean(), async (fields, isMerge) => {
      const [path, other] = [newPath(), newPath()];
      for (const each of [path, other]) await fixture.db.doc(each).set({ a: 1, kept: { b: true } });
      await commitDocuments([{ path, fields, isMerge }]);
      const mergeFields = Object.keys(fields).map((field) => new FieldPath(field));
      await fixture.db.doc(other).set(fields, isMerge ? { mergeFields } : {});
      expect(await stored(path)).toEqual(await stored(other));
    }),
    { numRuns: 40 },
  ));

describe.each(['small', 'sdk'])('with the client: %s', (client) => {
  beforeAll(() => void (process.env['FIRESTORE_CLIENT'] = client));
  afterAll(() => void (process.env['FIRESTORE_CLIENT'] = ''));

  test('an increment adds to the stored number, and keeps the other fields', async () => {
    const [path, other] = [newPath(), newPath()];
    await fixture.db.doc(path).set({ 'views.of': 2, other: 'kept' });
    const change = { fields: { at: new Date(5) }, increments: { 'views.of': 3, half: 0.5 }, isMerge: true };
    await commitDocuments([path, other].map((each) => ({ path: each, ...change })));
    expect(await readByClient(path)).toEqual({ 'views.of': 5, half: 0.5, other: 'kept', at: new Date(5) });
    expect(await readBySdk(other)).toEqual({ 'views.of': 3, half: 0.5, at: new Date(5) });
  });

  test('a document that does not exist has no fields, and an empty document has none of them', async () => {
    const [missing, empty] = [newPath(), newPath()];
    await fixture.db.doc(empty).set({});
    const found = await getDocuments([missing, empty, missing]);
    expect([found.size, found.has(missing), found.get(missing), found.get(empty)]).toEqual([2, true, undefined, {}]);
  });

  test('documents are found by any id, and 500 of them by one call', async () => {
    const ids = ['é', '\u{1F600}', 'a b', '%2F', '`', '"', "'", '\\', '\u0001', 'x'.repeat(1500), '...', '__id7__'];
    const paths = [...ids, ...Array.from({ length: 488 }, (_, i) => `n${i}`)].map((id) => `many/${id}`);
    const batch = fixture.db.batch();
    for (const path of paths) batch.set(fixture.db.doc(path), { path });
    await batch.commit();
    fixture.server.resetStats();
    const found = await getDocuments(paths);
    expect(paths.map((path) => found.get(path))).toEqual(paths.map((path) => ({ path })));
    expect(fixture.server.stats().calls).toEqual({ BatchGetDocuments: 1 });
  });

  test('large documents are read whole, and a mask reads the named fields only', async () => {
    const paths = Array.from({ length: 12 }, newPath);
    const large = { bytes: Buffer.alloc(900_000, 'é'), text: 'x'.repeat(100_000), 'a.b': 1, c: 2 };
    for (const path of paths) await fixture.db.doc(path).set(large);
    const found = await getDocuments(paths);
    expect(paths.every((path) => (found.get(path)!['bytes'] as Buffer).equals(large.bytes))).toBe(true);
    expect((await getDocuments(paths.slice(0, 1), { mask: ['a.b', 'missing'] })).get(paths[0]!)).toEqual({ 'a.b': 1 });
  });

  test('a call that the database refuses fails with its gRPC code, and writes nothing', async () => {
    const [path, other] = [newPath(), newPath()];
    await fixture.db.doc(path).set({ a: 1 });
    const fields = { a: 2 };
    const good = { path: other, fields: {} };
    const refused = (write: object) => codeOf(commitDocuments([good, { path: newPath(), ...write }]));
    expect(await refused({ path, fields, exists: false })).toBe(code.alreadyExists);
    expect(await refused({ fields, isMerge: true, exists: true })).toBe(code.notFound);
    expect(await refused({ exists: true })).toBe(code.notFound);
    await commitDocuments([{ path }]);
    expect([...(await getDocuments([path, other])).values()]).toEqual([undefined, undefined]);
  });
});

test.each([
  ['small', { code: status.UNAVAILABLE, n: 1 }],
  ['sdk', { code: undefined, n: 2 }],
])('a commit whose answer is lost is repeated by the SDK only: %s', async (client, { code, n }) => {
  process.env['FIRESTORE_CLIENT'] = client;
  const path = newPath();
  network.loseAnswers(1);
  expect(await codeOf(countAt(path))).toBe(code);
  expect(await readBySdk(path)).toEqual({ n });
  process.env['FIRESTORE_CLIENT'] = '';
});

test('a commit that met a lock is repeated, and one that the database was too busy for is not', async () => {
  const path = newPath();
  // A stream that is reset with ENHANCE_YOUR_CALM fails with this code, too.
  network.refuse(status.RESOURCE_EXHAUSTED, ['Commit'], 1);
  expect(await codeOf(countAt(path))).toBe(status.RESOURCE_EXHAUSTED);
  network.refuse(status.ABORTED, ['Commit'], 2);
  await countAt(path);
  expect(await readBySdk(path)).toEqual({ n: 1 });
});

test('a read is repeated after a transient error, at most twice, and not when it is refused', async () => {
  const path = newPath();
  expect(await codeOf(getDocuments(['client/__x__']))).toBe(code.invalidArgument);
  await fixture.db.doc(path).set({ a: 1 });
  network.refuse(status.UNAVAILABLE, ['BatchGetDocuments'], 2);
  expect(await readByClient(path)).toEqual({ a: 1 });
  network.refuse(status.INTERNAL, ['BatchGetDocuments']);
  expect(await codeOf(readByClient(path))).toBe(status.INTERNAL);
  network.refuse(undefined);
});

/**
 * A proxy breaks what the database sends to the small client. The Admin SDK takes over for the life of the instance.
 */
describe('when the small client cannot read what it gets', () => {
  /** What the proxy does with the bytes of the database on the first connection. The next ones are left alone. */
  type Break = (client: Socket, upstream: Socket) => void;
  let onFirst: Break;
  let connections = 0;
  const proxy = createServer((client) => {
    const upstream = upstreamOf(client, fixture.server.port);
    client.pipe(upstream);
    if (connections++ === 0) onFirst(client, upstream);
    else upstream.pipe(client);
  });

  let warnings: jest.SpyInstance;
  beforeAll(async () => (process.env['FIRESTORE_EMULATOR_HOST'] = `127.0.0.1:${await listen(proxy)}`));
  beforeEach(() => void (warnings = jest.spyOn(console, 'warn').mockImplementation()));
  afterEach(() => warnings.mockRestore());
  afterAll(() => proxy.close());

  /** Runs work with the modules of a new instance. */
  const onInstance = (work: (client: typeof Client) => Promise<void>) =>
    jest.isolateModulesAsync(async () => {
      connections = 0;
      const { db } = jest.requireActual<typeof Sdk>('../../../functions/src/records/sdk');
      await work(jest.requireActual<typeof Client>('../../../functions/src/records/firestore/client'));
      await db().terminate();
    });

  /** HTTP/1.1 where frames of HTTP/2 are expected. */
  const otherProtocol: Break = (client) => void client.write('HTTP/1.1 400 Bad Request\r\n\r\n');
  /** A frame with the headers of a request, in place of an answer. */
  const wrongFrame: Break = (client, upstream) => {
    upstream.once('data', (settings: Buffer) => {
      client.write(settings);
      upstream.on('data', () => client.write(Buffer.from('0000050104000000018282828282', 'hex')));
    });
  };

  test.each([
    ['another protocol', otherProtocol],
    ['a wrong frame', wrongFrame],
  ])('after %s the SDK reads and commits, and the log says so once', async (_name, each) => {
    onFirst = each;
    const path = `client/${randomUUID()}`;
    await fixture.db.doc(path).set({ n: 1 });
    await onInstance(async ({ getDocuments, commitDocuments }) => {
      expect((await getDocuments([path])).get(path)).toEqual({ n: 1 });
      await commitDocuments([{ path, fields: { n: 2 } }]);
      expect((await getDocuments([path])).get(path)).toEqual({ n: 2 });
    });
    const lines = warnings.mock.calls.flat().filter((line) => /replaced by the Admin SDK/.test(String(line)));
    expect(lines).toHaveLength(1);
  });

  test('a commit that may have been applied is not made again by the SDK', async () => {
    onFirst = wrongFrame;
    const path = `client/${randomUUID()}`;
    await fixture.db.doc(path).set({ n: 0 });
    await onInstance(async ({ commitDocuments }) => {
      const count = () => commitDocuments([{ path, fields: {}, increments: { n: 1 }, isMerge: true }]);
      await expect(count()).rejects.toMatchObject({ code: 13 });
      await count();
    });
    const { n } = (await fixture.db.doc(path).get()).data()!;
    // The proxy does not tell whether the first commit was applied.
    expect([1, 2]).toContain(n);
  });
});
