import fc from 'fast-check';
import { FieldPath, Filter, type Query, type QueryDocumentSnapshot, Timestamp } from 'firebase-admin/firestore';
import { compare } from '@google-cloud/firestore/build/src/order';
import type { IndexFile } from '../../../local/firestore';
import { firestoreFixture, code, codeOf, messageOf, type FirestoreFixture } from './fixture';

const plain = firestoreFixture();

const directions = ['ASCENDING', 'DESCENDING'];
const arrangements = [['a'], ['b'], ['a', 'b'], ['b', 'a'], ['c'], ['b', 'c'], ['c', 'a'], []];
const composite = (fields: object[]) => ({ collectionGroup: 'things', queryScope: 'COLLECTION', fields });
/** Every composite index over the fields of the random queries, up to three fields. */
const indexes: IndexFile = {
  indexes: arrangements.flatMap((names) =>
    directions.flatMap((order) =>
      ['a', 'b', 'c', 'tags'].flatMap((prefix) => {
        const ordered = names.map((fieldPath) => ({ fieldPath, order }));
        if (names.includes(prefix) || ordered.length === 0) return [];
        const first = prefix === 'tags' ? { fieldPath: 'tags', arrayConfig: 'CONTAINS' } : { fieldPath: prefix, order };
        return [composite([first, ...ordered] as never) as never];
      }),
    ),
  ),
};
const indexed = firestoreFixture(indexes);

const pool = [
  null,
  true,
  false,
  NaN,
  -1,
  0,
  1,
  1.5,
  2,
  'a',
  'b',
  '',
  'é',
  new Timestamp(1, 0),
  Buffer.from([1]),
  [1],
  { x: 1 },
];
const someValue = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(0, 1, 2) }, fc.constantFrom(...pool));
const things = fc.sample(
  fc.record(
    { a: someValue, b: someValue, c: someValue, tags: fc.uniqueArray(fc.constantFrom('x', 'y', 1), { maxLength: 3 }) },
    { requiredKeys: [] },
  ),
  { numRuns: 120, seed: 7 },
);

beforeAll(async () => {
  for (const { db } of [plain, indexed]) {
    const batch = db.batch();
    things.forEach((thing, i) => {
      batch.set(db.doc(`things/t${i}`), thing);
      batch.set(db.doc(`things/t${i}/below/x`), { a: 1 });
    });
    await batch.commit();
  }
});

type Condition = { field: string; op: FirebaseFirestore.WhereFilterOp; value: unknown };
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    field: fc.constantFrom('a', 'b', 'c'),
    op: fc.constantFrom<FirebaseFirestore.WhereFilterOp>('==', '==', '==', '<', '<=', '>', '>=', '!='),
    value: fc.constantFrom(0, 1, 2, 'a', true, new Timestamp(1, 0)),
  }),
  fc.record({
    field: fc.constantFrom('a', 'b'),
    op: fc.constantFrom<FirebaseFirestore.WhereFilterOp>('in', 'not-in'),
    value: fc.uniqueArray(fc.constantFrom(0, 1, 2, 'a'), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    field: fc.constant('tags'),
    op: fc.constant<FirebaseFirestore.WhereFilterOp>('array-contains'),
    value: fc.constantFrom('x', 1),
  }),
);

/** The cloud refuses `not-in` beside a disjunction. */
const isServed = ({ conditions, isDisjunction }: { conditions: Condition[]; isDisjunction: boolean }): boolean => {
  const operators = conditions.map(({ op }) => op);
  return !operators.includes('not-in') || !(operators.includes('in') || isDisjunction);
};

const allShapes = fc.record({
  conditions: fc.uniqueArray(condition, { maxLength: 3, selector: ({ op }) => (op === 'not-in' ? '!=' : op) }),
  isDisjunction: fc.boolean(),
  orders: fc.uniqueArray(fc.record({ field: fc.constantFrom('a', 'b', 'c'), desc: fc.boolean() }), {
    maxLength: 2,
    selector: ({ field }) => field,
  }),
  limit: fc.option(fc.integer({ min: 1, max: 12 })),
  fromEnd: fc.boolean(),
  offset: fc.constantFrom(0, 0, 0, 3),
  cursor: fc.option(
    fc.record({ kind: fc.constantFrom('startAt', 'startAfter', 'endAt', 'endBefore'), position: fc.nat() }),
  ),
});
const shape = allShapes.filter(isServed);
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

type Thing = QueryDocumentSnapshot;
/** The value of a field as received over the wire. */
const protoOf = (thing: Thing, field: string) =>
  (thing as unknown as { protoField(path: string): never }).protoField(field);
const typeOf = (proto: object) =>
  Object.keys(proto)
    .find((key) => key !== 'valueType')!
    .replace('double', 'integer');
const isNothing = (proto: object | undefined) => !proto || 'nullValue' in proto;

/** The conditions as documented, computed with the client library's own comparison. */
function satisfies(fixture: FirestoreFixture, thing: Thing, { field, op, value }: Condition): boolean {
  const actual = protoOf(thing, field) as { arrayValue?: { values?: never[] } } | undefined;
  if (!actual) return false;
  const encode = (each: unknown) =>
    (fixture.db as unknown as { _serializer: { encodeValue(value: unknown): never } })._serializer.encodeValue(each);
  if (op === 'array-contains') return (actual.arrayValue?.values ?? []).some((e) => compare(e, encode(value)) === 0);
  if (op === 'in') return (value as unknown[]).some((each) => compare(actual, encode(each)) === 0);
  if (op === 'not-in') {
    return !isNothing(actual) && (value as unknown[]).every((each) => compare(actual as never, encode(each)) !== 0);
  }
  const order = compare(actual, encode(value));
  if (op === '==') return order === 0;
  if (op === '!=') return !isNothing(actual) && order !== 0;
  if (typeOf(actual) !== typeOf(encode(value))) return false;
  if (Number.isNaN((actual as { doubleValue?: number }).doubleValue)) return false;
  return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[op as '<'];
}

/** A query and its expected results, computed from all documents. */
function build(fixture: FirestoreFixture, all: Thing[], given: Shape): { query: Query; expected: string[] } {
  const filters = given.conditions.map(({ field, op, value }) => Filter.where(field, op, value));
  let query: Query = fixture.db.collection('things');
  const combined = given.isDisjunction ? Filter.or(...filters) : Filter.and(...filters);
  if (filters.length) query = query.where(combined);
  for (const { field, desc } of given.orders) query = query.orderBy(field, desc ? 'desc' : 'asc');
  const last = given.orders.at(-1)?.desc ?? false;
  const implicit = given.conditions.filter(({ op }) => /[<>]|!|not/.test(op)).map(({ field }) => field);
  const orders: { field: string; desc: boolean }[] = [...given.orders];
  for (const field of implicit.sort()) {
    if (!orders.some((order) => order.field === field)) orders.push({ field, desc: last });
  }
  const byOrders = (a: Thing, b: Thing) => {
    for (const { field, desc } of orders) {
      const order = compare(protoOf(a, field), protoOf(b, field)) * (desc ? -1 : 1);
      if (order) return order;
    }
    return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)) * (last ? -1 : 1);
  };
  const every = given.isDisjunction && filters.length ? 'some' : 'every';
  let expected = all
    .filter((thing) => orders.every(({ field }) => protoOf(thing, field) !== undefined))
    .filter((thing) => given.conditions[every]((each) => satisfies(fixture, thing, each)))
    .sort(byOrders);
  const { cursor } = given;
  if (cursor && expected.length) {
    const index = cursor.position % expected.length;
    const thing = expected[index]!;
    query = query[cursor.kind as 'startAt'](thing);
    const cut = cursor.kind === 'startAfter' || cursor.kind === 'endAt' ? index + 1 : index;
    expected = cursor.kind.startsWith('start') ? expected.slice(cut) : expected.slice(0, cut);
  }
  const fromEnd = given.fromEnd && given.limit !== null && given.orders.length > 0;
  if (given.offset && !fromEnd) {
    query = query.offset(given.offset);
    expected = expected.slice(given.offset);
  }
  if (given.limit !== null) {
    query = fromEnd ? query.limitToLast(given.limit) : query.limit(given.limit);
    expected = fromEnd ? expected.slice(-given.limit) : expected.slice(0, given.limit);
  }
  return { query, expected: expected.map(({ id }) => id) };
}

/** In descending order an empty string is the last string, next to the values of the next type. */
const emptyStringsDescending: Shape = {
  conditions: [{ field: 'b', op: '<', value: 'a' }],
  isDisjunction: false,
  orders: [
    { field: 'b', desc: true },
    { field: 'a', desc: true },
  ],
  limit: null,
  fromEnd: false,
  offset: 0,
  cursor: null,
};

const idsOf = async (query: Query) => (await query.get()).docs.map(({ id }) => id);

describe('random queries return exactly the matching documents, in order', () => {
  test('by filter and sort, without an index', async () => {
    const all = (await plain.db.collection('things').get()).docs;
    await fc.assert(
      fc.asyncProperty(shape, async (given) => {
        const { query, expected } = build(plain, all, given);
        expect(await idsOf(query)).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });

  test('from indexes only, when indexes are enforced', async () => {
    const all = (await indexed.db.collection('things').get()).docs;
    let served = 0;
    await fc.assert(
      fc.asyncProperty(shape, async (given) => {
        const { query, expected } = build(indexed, all, given);
        const found = await idsOf(query).catch((error: { code: number }) => error.code);
        if (found === code.failedPrecondition) return;
        served++;
        expect(found).toEqual(expected);
      }),
      { numRuns: 500, examples: [[emptyStringsDescending]] },
    );
    expect(served).toBeGreaterThan(100);
  });

  test('at a read time in the past', async () => {
    const { db } = plain;
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
});

describe('rules of the cloud', () => {
  const ids = (query: Query) => idsOf(query);
  const things = () => plain.db.collection('rules');
  beforeAll(async () => {
    await things()
      .doc('one')
      .set({ k: 1, list: [1, null, NaN] });
    await things().doc('null').set({ k: null });
    await things().doc('nan').set({ k: NaN });
    await things().doc('none').set({ z: 1 });
  });

  test('documents without the field of an order or an inequality are not in the results', async () => {
    expect(await ids(things().orderBy('k'))).toEqual(['null', 'nan', 'one']);
    expect(await ids(things().where('k', '!=', 5))).toEqual(['nan', 'one']);
    expect(await ids(things().where('k', 'not-in', [5]))).toEqual(['nan', 'one']);
    expect(await ids(things().where('k', 'not-in', [5, null]))).toEqual([]);
  });

  test('a document is found by its present fields only', async () => {
    const changing = plain.db.collection('changing');
    const found = async (field: string, op: '==' | '>' | 'array-contains', value: unknown) =>
      (await changing.where(field, op, value).get()).docs.map(({ id }) => id);
    await changing.doc('a').set({ k: 1, list: ['x', 'y'], map: { deep: 1 } });
    await changing.doc('a').set({ k: 2, list: ['y'] });
    expect(await found('k', '==', 1)).toEqual([]);
    expect(await found('k', '==', 2)).toEqual(['a']);
    expect(await found('k', '>', 0)).toEqual(['a']);
    expect(await found('list', 'array-contains', 'x')).toEqual([]);
    expect(await found('list', 'array-contains', 'y')).toEqual(['a']);
    expect(await found('map.deep', '==', 1)).toEqual([]);
    await changing.doc('a').delete();
    expect(await found('k', '==', 2)).toEqual([]);
    expect((await changing.count().get()).data().count).toBe(0);
  });

  test('null and NaN match equality filters only', async () => {
    expect(await ids(things().where('k', '==', null))).toEqual(['null']);
    expect(await ids(things().where('k', '!=', null))).toEqual(['nan', 'one']);
    expect(await ids(things().where('k', '==', NaN))).toEqual(['nan']);
    expect(await ids(things().where('k', '!=', NaN))).toEqual(['one']);
    expect(await ids(things().where('k', 'in', [null, NaN]))).toEqual([]);
    expect(await ids(things().where('k', 'in', [1, null]))).toEqual(['one']);
    expect(await ids(things().where('list', 'array-contains-any', [NaN, 1]))).toEqual(['one']);
  });

  test('inequalities on several fields imply an order by field name, then by document name', async () => {
    const many = plain.db.collection('inequalities');
    await many.doc('x').set({ b: 1, a: 2 });
    await many.doc('z').set({ b: 3, a: 1 });
    await many.doc('y').set({ b: 2, a: 1 });
    await many.doc('w').set({ b: 2, a: 1 });
    expect(await ids(many.where('b', '>', 0).where('a', '>', 0))).toEqual(['w', 'y', 'z', 'x']);
    expect(await ids(many.where('b', '>', 0).where('a', '>', 0).orderBy('b', 'desc'))).toEqual(['z', 'y', 'w', 'x']);
  });

  test('two array-contains in one conjunction are refused', async () => {
    const query = things().where('list', 'array-contains', 1).where('k', 'array-contains', 1);
    expect(await codeOf(query.get())).toBe(code.invalidArgument);
    expect(await messageOf(query.get())).toContain(
      "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.",
    );
    const either = Filter.or(Filter.where('list', 'array-contains', 1), Filter.where('list', 'array-contains', 2));
    expect(await ids(things().where(either))).toEqual(['one']);
  });

  test('a list of values and a disjunction are limited to 30 members', async () => {
    const values = (count: number) => Array.from({ length: count }, (_, i) => i);
    expect(await ids(things().where('k', 'in', values(30)))).toEqual(['one']);
    expect(await codeOf(things().where('k', 'in', values(31)).get())).toBe(code.invalidArgument);
    expect(await codeOf(things().where('k', 'not-in', values(11)).get())).toBe(code.invalidArgument);
    const wide = things().where('k', 'in', values(6)).where('z', 'in', values(6));
    expect(await codeOf(wide.get())).toBe(code.invalidArgument);
  });

  test('documents are found by name and by a range of names', async () => {
    const name = FieldPath.documentId();
    expect(await ids(things().where(name, '==', 'one'))).toEqual(['one']);
    expect(await ids(things().where(name, 'in', ['one', 'nan', 'zzz']))).toEqual(['nan', 'one']);
    expect(await ids(things().where(name, '>', 'nan').where(name, '<', 'null'))).toEqual(['none']);
    expect(await ids(things().orderBy(name, 'desc').startAfter('null').limit(2))).toEqual(['none', 'nan']);
    expect(await ids(things().where('k', '==', 1).where(name, '>=', 'a'))).toEqual(['one']);
  });

  test('a collection group contains the collections of one id at every depth, and no others', async () => {
    const { db } = plain;
    for (const path of ['g/1/leaf/b', 'g/1/leaf/a', 'leaf/c', 'leaf/c/leaf/d', 'g/1/leaves/e', 'h/1/g/1/leaf/f']) {
      await db.doc(path).set({ v: path.length });
    }
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
    let count = 0;
    for await (const each of things().stream()) count += each ? 1 : 0;
    expect(count).toBe(4);
  });

  test('values of any length are found and sorted', async () => {
    const long = plain.db.collection('long values');
    const base = 'x'.repeat(5000);
    for (const end of ['a', 'b', 'c']) await long.doc(end).set({ v: base + end, m: { deep: [base, end] } });
    expect(await ids(long.where('v', '==', `${base}b`))).toEqual(['b']);
    expect(await ids(long.where('v', '>', `${base}a`))).toEqual(['b', 'c']);
    expect(await ids(long.where('v', '<=', `${base}b`))).toEqual(['a', 'b']);
    expect(await ids(long.where('m', '==', { deep: [base, 'c'] }))).toEqual(['c']);
  });
});
