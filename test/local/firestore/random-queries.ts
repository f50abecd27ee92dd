import fc from 'fast-check';
import { Filter, type Query, type QueryDocumentSnapshot, Timestamp } from 'firebase-admin/firestore';
import { compare } from '@google-cloud/firestore/build/src/order';
import type { IndexFile } from '../../../local/firestore';
import { code, type FirestoreFixture } from './fixture';

const directions = ['ASCENDING', 'DESCENDING'];
const arrangements = [['a'], ['b'], ['a', 'b'], ['b', 'a'], ['c'], ['b', 'c'], ['c', 'a'], []];
const composite = (fields: object[]) => ({ collectionGroup: 'things', queryScope: 'COLLECTION', fields });
/** Every composite index over the fields of the random queries, up to three fields. */
export const indexes: IndexFile = {
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

const pool = [null, true, false, NaN, -1, 0, 1, 1.5, 2, 'a', 'b', '', 'é', new Timestamp(1, 0), Buffer.from([1]), [1]];
const someValue = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(0, 1, 2) }, fc.constantFrom(...pool, { x: 1 }));
const things = fc.sample(
  fc.record(
    { a: someValue, b: someValue, c: someValue, tags: fc.uniqueArray(fc.constantFrom('x', 'y', 1), { maxLength: 3 }) },
    { requiredKeys: [] },
  ),
  { numRuns: 120, seed: 7 },
);

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
  for (const field of implicit.sort())
    if (!orders.some((order) => order.field === field)) orders.push({ field, desc: last });
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
    query = query[cursor.kind as 'startAt'](expected[index]!);
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
  orders: (['b', 'a'] as const).map((field) => ({ field, desc: true })),
  limit: null,
  fromEnd: false,
  offset: 0,
  cursor: null,
};

export const idsOf = async (query: Query) => (await query.get()).docs.map(({ id }) => id);

/**
 * Sends random queries. Each must return exactly the documents that match, in order, or be refused for want of an
 * index. Returns how many were served.
 */
export async function sendRandomQueries(fixture: FirestoreFixture, runs: { numRuns: number; seed?: number }) {
  const batch = fixture.db.batch();
  things.forEach((thing, i) => {
    batch.set(fixture.db.doc(`things/t${i}`), thing);
    batch.set(fixture.db.doc(`things/t${i}/below/x`), { a: 1 });
  });
  await batch.commit();
  const all = (await fixture.db.collection('things').get()).docs;
  let served = 0;
  const property = fc.asyncProperty(shape, async (given) => {
    const { query, expected } = build(fixture, all, given);
    const found = await idsOf(query).catch((error: { code: number }) => error.code);
    if (found === code.failedPrecondition) return;
    served++;
    expect(found).toEqual(expected);
  });
  await fc.assert(property, { ...runs, examples: [[emptyStringsDescending]] });
  return served;
}
