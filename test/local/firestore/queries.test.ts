import { Readable } from 'node:stream';
import { compare } from '@google-cloud/firestore/build/src/order';
import fc from 'fast-check';
import { FieldPath, Filter, type Query } from 'firebase-admin/firestore';
import { encodeValue } from '../../../local/firestore/values';
import type { Value } from '../../../local/firestore/wire';
import { code, codeOf, firestoreFixture, messageOf } from './fixture';
import { idsOf, indexes, sendRandomQueries } from './random-queries';

const fixture = firestoreFixture();
const indexed = firestoreFixture(indexes);

describe('random queries return exactly the matching documents, in order', () => {
  // protocol.long.test.ts sends more of them.
  const runs = { numRuns: 50, seed: 7 };

  test('by filter and sort, without an index', async () => {
    expect(await sendRandomQueries(fixture, runs)).toBe(runs.numRuns);
  });

  test('from indexes only, when indexes are enforced', async () => {
    expect(await sendRandomQueries(indexed, runs)).toBeGreaterThan(runs.numRuns / 5);
  });
});

test('a query at a read time in the past returns what it returned then', async () => {
  const { db } = fixture;
  const past = db.collection('past');
  const batch = db.batch();
  for (let i = 0; i < 20; i++) batch.set(past.doc(`d${i}`), { n: i, even: i % 2 === 0 });
  const [{ writeTime }] = (await batch.commit()) as [FirebaseFirestore.WriteResult];
  const query = past.where('even', '==', true).orderBy('n', 'desc').limit(6);
  const before = await idsOf(query);
  await past.doc('d18').delete();
  await past.doc('d16').update({ n: -1 });
  await past.doc('d14').update({ even: false });
  await past.doc('new').set({ n: 100, even: true });
  expect(await idsOf(query)).not.toEqual(before);
  const then = await db.runTransaction(
    async (transaction) => ({
      ids: (await transaction.get(query)).docs.map(({ id }) => id),
      count: (await transaction.get(past.count())).data().count,
      documents: (await transaction.getAll(past.doc('d16'), past.doc('d18'), past.doc('new'))).map(
        (d) => d.data()?.n as unknown,
      ),
    }),
    { readOnly: true, readTime: writeTime },
  );
  expect(then).toEqual({ ids: before, count: 20, documents: [16, 18, undefined] });
});

describe('rules of the cloud', () => {
  const things = () => fixture.db.collection('rules');
  beforeAll(async () => {
    const documents = { one: { k: 1, list: [1, null, NaN] }, null: { k: null }, nan: { k: NaN }, none: { z: 1 } };
    for (const [id, data] of Object.entries(documents)) await things().doc(id).set(data);
  });

  test('a document is found by its present fields only', async () => {
    const changing = fixture.db.collection('changing');
    const found = (field: string, op: '==' | '>' | 'array-contains', value: unknown) =>
      idsOf(changing.where(field, op, value));
    await changing.doc('a').set({ k: 1, list: ['x', 'y'], map: { deep: 1 } });
    await changing.doc('a').set({ k: 2, list: ['y'] });
    expect([await found('k', '==', 1), await found('k', '==', 2)]).toEqual([[], ['a']]);
    expect([await found('k', '>', 0), await found('list', 'array-contains', 'x')]).toEqual([['a'], []]);
    expect([await found('list', 'array-contains', 'y'), await found('map.deep', '==', 1)]).toEqual([['a'], []]);
    await changing.doc('a').delete();
    expect([await found('k', '==', 2), (await changing.count().get()).data().count]).toEqual([[], 0]);
  });

  test('two array-contains in one conjunction are refused', async () => {
    const query = things().where('list', 'array-contains', 1).where('k', 'array-contains', 1);
    expect(await codeOf(query.get())).toBe(code.invalidArgument);
    const refusal = "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.";
    expect(await messageOf(query.get())).toContain(refusal);
    const either = Filter.or(Filter.where('list', 'array-contains', 1), Filter.where('list', 'array-contains', 2));
    expect(await idsOf(things().where(either))).toEqual(['one']);
  });

  test('a list of values and a disjunction are limited to 30 members', async () => {
    const values = (count: number) => Array.from({ length: count }, (_, i) => i);
    expect(await idsOf(things().where('k', 'in', values(30)))).toEqual(['one']);
    expect(await codeOf(things().where('k', 'in', values(31)).get())).toBe(code.invalidArgument);
    expect(await codeOf(things().where('k', 'not-in', values(11)).get())).toBe(code.invalidArgument);
    const wide = things().where('k', 'in', values(6)).where('z', 'in', values(6));
    expect(await codeOf(wide.get())).toBe(code.invalidArgument);
  });

  test('documents are found by name and by a range of names', async () => {
    const name = FieldPath.documentId();
    expect(await idsOf(things().where(name, '==', 'one'))).toEqual(['one']);
    expect(await idsOf(things().where(name, 'in', ['one', 'nan', 'zzz']))).toEqual(['nan', 'one']);
    expect(await idsOf(things().where(name, '>', 'nan').where(name, '<', 'null'))).toEqual(['none']);
    expect(await idsOf(things().orderBy(name, 'desc').startAfter('null').limit(2))).toEqual(['none', 'nan']);
    expect(await idsOf(things().where('k', '==', 1).where(name, '>=', 'a'))).toEqual(['one']);
  });

  test('a collection group contains the collections of one id at every depth, and no others', async () => {
    const { db } = fixture;
    for (const path of ['g/1/leaf/b', 'g/1/leaf/a', 'leaf/c', 'leaf/c/leaf/d', 'g/1/leaves/e', 'h/1/g/1/leaf/f'])
      await db.doc(path).set({ v: path.length });
    const paths = async (query: Query) => (await query.get()).docs.map(({ ref }) => ref.path);
    const all = ['g/1/leaf/a', 'g/1/leaf/b', 'h/1/g/1/leaf/f', 'leaf/c', 'leaf/c/leaf/d'];
    expect(await paths(db.collectionGroup('leaf'))).toEqual(all);
    expect(await paths(db.collectionGroup('leaf').orderBy(FieldPath.documentId(), 'desc'))).toEqual([...all].reverse());
    expect(await paths(db.collectionGroup('leaf').where('v', '==', 6))).toEqual(['leaf/c']);
    expect(await paths(db.collection('leaf'))).toEqual(['leaf/c']);
  });

  test('a projection returns the selected fields; a stream returns all results', async () => {
    const [snapshot] = (await things().where('k', '==', 1).select('list', 'missing').get()).docs;
    expect(snapshot!.data()).toEqual({ list: [1, null, NaN] });
    expect((await things().where('k', '==', 1).select().get()).docs[0]!.data()).toEqual({});
    expect(await Readable.from(things().stream()).toArray()).toHaveLength(4);
  });

  test('values of any length are found and sorted', async () => {
    const long = fixture.db.collection('long values');
    const base = 'x'.repeat(5000);
    for (const end of ['a', 'b', 'c']) await long.doc(end).set({ v: base + end, m: { deep: [base, end] } });
    expect(await idsOf(long.where('v', '==', `${base}b`))).toEqual(['b']);
    expect(await idsOf(long.where('v', '>', `${base}a`))).toEqual(['b', 'c']);
    expect(await idsOf(long.where('v', '<=', `${base}b`))).toEqual(['a', 'b']);
    expect(await idsOf(long.where('m', '==', { deep: [base, 'c'] }))).toEqual(['c']);
  });
});

const segment = fc.constantFrom('a', 'b', 'B', 'é', 'aa', '__id1__', '__id10__', '__id2__', '\u{1F600}', '\uffee');
const name = fc
  .tuple(fc.constantFrom('p', 'q'), fc.array(segment, { minLength: 2, maxLength: 4 }))
  .map(([project, segments]) => `projects/${project}/databases/(default)/documents/${segments.join('/')}`);
const text = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'aa', 'é', '\u{1F600}', '\uffee', 'a\u0000', 'a\u0000b', '\u0000', '\u0001'),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
// The library sorts keys by UTF-16 and compares them by UTF-8. For these keys both orders are equal.
const key = fc.constantFrom('', 'a', 'A', 'aa', 'é', 'a\u0000', '\uffee');
const integer = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.maxSafeInteger()).map(String);
const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.constant<Value>({ nullValue: 'NULL_VALUE' }),
  fc.boolean().map((booleanValue) => ({ booleanValue })),
  integer.map((integerValue) => ({ integerValue })),
  fc.double().map((doubleValue) => ({ doubleValue })),
  fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: 0, max: 3 })).map(([seconds, nanos]) => ({
    timestampValue: { seconds, nanos: nanos * 1000 },
  })),
  text.map((stringValue) => ({ stringValue })),
  fc.uint8Array({ maxLength: 3 }).map((bytes) => ({ bytesValue: Buffer.from(bytes) })),
  name.map((referenceValue) => ({ referenceValue })),
  fc.tuple(fc.integer({ min: -1, max: 1 }), fc.integer({ min: -1, max: 1 })).map(([latitude, longitude]) => ({
    geoPointValue: { latitude, longitude },
  })),
);
const value = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }).map((values) => ({ arrayValue: { values } })),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }).map((fields) => ({ mapValue: { fields: { ...fields } } })),
    fc.array(fc.double({ noNaN: true }), { maxLength: 3 }).map((numbers) => ({
      mapValue: {
        fields: {
          __type__: { stringValue: '__vector__' },
          value: { arrayValue: { values: numbers.map((doubleValue) => ({ doubleValue })) } },
        },
      },
    })),
  ),
})).value;

const sign = (number: number) => Math.sign(number) || 0;

test("encoded values sort in the client library's order", () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(sign(Buffer.compare(encodeValue(a), encodeValue(b)))).toBe(sign(compare(a as never, b as never)));
    }),
    { numRuns: 4_000 },
  );
});

test('integers beyond the precision of a double sort exactly, also compared with doubles', () => {
  const inOrder = [
    ...[NaN, -Infinity, -(2n ** 63n), 1n - 2n ** 63n, -9007199254740993n, -9007199254740992, 0n, 9007199254740991n],
    ...[9007199254740992, 9007199254740993n, 9007199254740994, 2n ** 63n - 2n, 2n ** 63n - 1n, 2 ** 63],
  ];
  const numbers = inOrder.map((number): Value =>
    typeof number === 'bigint' ? { integerValue: String(number) } : { doubleValue: number },
  );
  const sorted = [...numbers].reverse().sort((a, b) => Buffer.compare(encodeValue(a), encodeValue(b)));
  expect(sorted).toEqual(numbers);
  expect(encodeValue({ integerValue: '3' })).toEqual(encodeValue({ doubleValue: 3 }));
  expect(encodeValue({ doubleValue: -0 })).toEqual(encodeValue({ integerValue: '0' }));
});
