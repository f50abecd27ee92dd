import { Readable } from 'node:stream';
import { FieldPath, Filter, type Query } from 'firebase-admin/firestore';
import { code, codeOf, firestoreFixture, messageOf } from './fixture';
import { idsOf, indexes, sendRandomQueries } from './random-queries';

const fixture = firestoreFixture();
const indexed = firestoreFixture(indexes);

describe('random queries return exactly the matching documents, in order', () => {
  // sizes.long.test.ts sends more of them.
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
