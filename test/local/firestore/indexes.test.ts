import { AggregateField, FieldPath, Filter, type Query } from 'firebase-admin/firestore';
import { type IndexFile, startFirestore } from '../../../local/firestore';
import { entriesOf, type Entry } from '../../../local/firestore/index-entries';
import { IndexSet } from '../../../local/firestore/indexes';
import { documentKey } from '../../../local/firestore/names';
import { Reader } from '../../../local/firestore/store';
import { encodeIndexed } from '../../../local/firestore/values';
import { firestoreFixture, code, codeOf, connect, messageOf, temporaryFolder } from './fixture';

const index = (collectionGroup: string, queryScope: string, ...fields: string[]) => ({
  collectionGroup,
  queryScope,
  fields: fields.map((field) => {
    const [fieldPath, mode] = field.split(' ') as [string, string];
    return mode === 'CONTAINS' ? { fieldPath, arrayConfig: mode } : { fieldPath, order: mode };
  }),
});

const indexes: IndexFile = {
  indexes: [
    index('decks', 'COLLECTION', 'owner ASCENDING', 'created DESCENDING'),
    index('decks', 'COLLECTION', 'state ASCENDING', 'created DESCENDING'),
    index('decks', 'COLLECTION', 'tags CONTAINS', 'title ASCENDING'),
    index('decks', 'COLLECTION', 'owner ASCENDING', 'views ASCENDING'),
    index('decks', 'COLLECTION_GROUP', 'kind ASCENDING', 'size ASCENDING'),
    index('logs', 'COLLECTION', '__name__ DESCENDING'),
  ],
  fieldOverrides: [
    { collectionGroup: 'decks', fieldPath: 'body', indexes: [] },
    { collectionGroup: 'decks', fieldPath: 'body.title', indexes: [{ order: 'ASCENDING', queryScope: 'COLLECTION' }] },
    { collectionGroup: 'decks', fieldPath: 'slug', indexes: [{ order: 'ASCENDING', queryScope: 'COLLECTION_GROUP' }] },
    { collectionGroup: 'decks', fieldPath: 'expires', ttl: true },
  ],
};

const fixture = firestoreFixture(indexes);
const decks = () => fixture.db.collection('decks');
const outcome = (query: Query) => codeOf(query.get());
const group = () => fixture.db.collectionGroup('decks');

const served: [string, () => Query][] = [
  ['all documents', () => decks()],
  ['one equality', () => decks().where('a', '==', 1)],
  ['one range', () => decks().where('a', '>', 1).where('a', '<', 3)],
  ['one order, either way', () => decks().orderBy('a', 'desc')],
  ['a range in its own order', () => decks().where('a', '>', 1).orderBy('a', 'desc')],
  ['array-contains', () => decks().where('a', 'array-contains', 1)],
  ['in', () => decks().where('a', 'in', [1, 2])],
  [
    'equalities only, merged from single fields',
    () => decks().where('a', '==', 1).where('b', '==', 2).where('c', '==', 3),
  ],
  ['equality and array-contains, merged', () => decks().where('a', '==', 1).where('t', 'array-contains', 2)],
  ['or of equalities', () => decks().where(Filter.or(Filter.where('a', '==', 1), Filter.where('b', '==', 1)))],
  ['name ranges', () => decks().where(FieldPath.documentId(), '>', 'a').where('a', '==', 1)],
  ['a composite', () => decks().where('owner', '==', 1).orderBy('created', 'desc')],
  ['a composite with in', () => decks().where('owner', 'in', [1, 2]).orderBy('created', 'desc')],
  [
    'a composite with a range',
    () => decks().where('owner', '==', 1).where('created', '>', 1).orderBy('created', 'desc'),
  ],
  ['two composites merged', () => decks().where('owner', '==', 1).where('state', '==', 2).orderBy('created', 'desc')],
  ['array-contains and order', () => decks().where('tags', 'array-contains', 'a').orderBy('title')],
  [
    'an order on a field that is fixed',
    () => decks().where('owner', '==', 1).orderBy('owner').orderBy('created', 'desc'),
  ],
  ['a group by name', () => group()],
  ['names backwards with an index', () => fixture.db.collection('logs').orderBy(FieldPath.documentId(), 'desc')],
  ['a group composite', () => group().where('kind', '==', 1).orderBy('size')],
  ['a group field with an index', () => group().where('slug', '==', 'x')],
  ['a field within a map that is exempt, indexed again', () => decks().where('body.title', '==', 'x')],
  ['a field with a time to live', () => decks().where('expires', '<', 5)],
];
const refused: [string, () => Query, RegExp][] = [
  ['names backwards', () => decks().orderBy(FieldPath.documentId(), 'desc'), /decks.*__name__ DESCENDING/],
  ['the last names', () => decks().orderBy(FieldPath.documentId()).limitToLast(2), /__name__ DESCENDING/],
  ['equality and another order', () => decks().where('a', '==', 1).orderBy('b'), /decks.*a ASCENDING, b ASCENDING/],
  ['two orders', () => decks().orderBy('a').orderBy('b', 'desc'), /a ASCENDING, b DESCENDING/],
  ['a composite backwards', () => decks().where('owner', '==', 1).orderBy('created'), /created ASCENDING/],
  ['two ranges', () => decks().where('a', '>', 1).where('b', '>', 1), /a ASCENDING, b ASCENDING/],
  [
    'a composite and one equality too many',
    () => decks().where('owner', '==', 1).where('x', '==', 1).orderBy('created', 'desc'),
    /x ASCENDING/,
  ],
  ['an exempt field', () => decks().where('body', '==', 1), /body ASCENDING/],
  ['a field within an exempt map', () => decks().orderBy('body.text'), /body\.text ASCENDING/],
  ['an order that the exception leaves out', () => decks().orderBy('body.title', 'desc'), /body\.title DESCENDING/],
  ['a collection query on a group index', () => decks().where('slug', '==', 1), /slug ASCENDING/],
  ['a group without an index', () => group().where('a', '==', 1), /COLLECTION_GROUP.*a ASCENDING/],
  [
    'array-contains and another order',
    () => decks().where('tags', 'array-contains', 1).orderBy('b'),
    /tags CONTAINS, b ASCENDING/,
  ],
  [
    'one branch of a disjunction',
    () =>
      decks()
        .where(Filter.or(Filter.where('owner', '==', 1), Filter.where('x', '==', 1)))
        .orderBy('created', 'desc'),
    /x ASCENDING, created DESCENDING/,
  ],
];

test.each(served)('served: %s', async (_, query) => {
  expect(await outcome(query())).toBeUndefined();
});

test.each(refused)('refused with an error that names the missing index: %s', async (_, query, words) => {
  expect(await outcome(query())).toBe(code.failedPrecondition);
  const message = await messageOf(query().get());
  expect(message).toMatch(
    /The query requires an index. You can create it here: https:\/\/console\.firebase\.google\.com/,
  );
  expect(message).toMatch(words);
});

test('an aggregation needs an index that contains its fields', async () => {
  const sum = (query: Query, field: string) => codeOf(query.aggregate({ total: AggregateField.sum(field) }).get());
  expect(await sum(decks(), 'views')).toBeUndefined();
  expect(await sum(decks().where('owner', '==', 1), 'views')).toBeUndefined();
  expect(await sum(decks().where('owner', '==', 1), 'likes')).toBe(code.failedPrecondition);
  expect(await codeOf(decks().where('a', '==', 1).orderBy('b').count().get())).toBe(code.failedPrecondition);
});

test('only documents with every aggregated field count; a sixth aggregation is refused', async () => {
  const { db } = fixture;
  const numbers = db.collection('numbers');
  await Promise.all([
    numbers.doc('both').set({ a: 1, b: 2 }),
    numbers.doc('a').set({ a: 10 }),
    numbers.doc('text').set({ a: 'x', b: 5 }),
  ]);
  const one = await numbers.aggregate({ n: AggregateField.count(), sum: AggregateField.sum('a') }).get();
  expect(one.data()).toEqual({ n: 3, sum: 11 });
  const six = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`c${i}`, AggregateField.count()]));
  expect(await codeOf(numbers.aggregate(six).get())).toBe(code.invalidArgument);
  expect(
    (
      await numbers
        .where('a', '==', 'nothing')
        .aggregate({ avg: AggregateField.average('a') })
        .get()
    ).data(),
  ).toEqual({ avg: null });
});

test('a page of a large collection reads only the page from the store', async () => {
  const many = fixture.db.collection('decks');
  const writer = fixture.db.bulkWriter({ throttling: false });
  for (let i = 0; i < 3000; i++) void writer.set(many.doc(`m${i}`), { owner: i % 3, state: i % 5, created: i });
  await writer.close();
  fixture.server.resetStats();
  // These spies only record the calls. The real store answers.
  const loads = jest.spyOn(Reader.prototype, 'document');
  const leaps = jest.spyOn(Reader.prototype, 'indexEntries');
  const page = many.where('owner', '==', 1).where('state', '==', 2).orderBy('created', 'desc').limit(11);
  const found = (await page.get()).docs.map((each) => each.get('created') as number);
  expect(found).toEqual(
    Array.from({ length: 3000 }, (_, i) => 2999 - i)
      .filter((i) => i % 3 === 1 && i % 5 === 2)
      .slice(0, 11),
  );
  expect(fixture.server.stats().documentReads).toBe(11);
  expect(loads).toHaveBeenCalledTimes(11);
  // The zigzag join needs several seeks for each result.
  expect(leaps.mock.calls.length).toBeLessThan(11 * 10);
  jest.restoreAllMocks();
  const next = await page.startAfter(await many.doc(`m${found.at(-1)}`).get()).get();
  expect(next.docs[0]!.get('created')).toBe(found.at(-1)! - 15);
});

test('the entries of an array element stand together in the file, whatever their index is', () => {
  const owned = new IndexSet({
    indexes: ['size', 'title', 'created'].map((field) =>
      index('decks', 'COLLECTION', 'tags CONTAINS', `${field} DESCENDING`),
    ),
  });
  const [root, tags] = ['projects/p/databases/(default)', ['a', 'b', 'c']];
  const entries = ['1', '2'].flatMap((id, i) => {
    const segments = ['decks', id];
    const values = tags.map((stringValue) => ({ stringValue }));
    const number = { integerValue: String(i) };
    const fields = { tags: { arrayValue: { values } }, size: number, title: number, created: number };
    return entriesOf(owned, documentKey({ root, segments }), segments, fields);
  });
  // The key of an entry begins with eight bytes of its index; the encoded element follows.
  const elementOf = ({ key }: Entry) =>
    tags.find((tag) => key.subarray(8).indexOf(encodeIndexed({ stringValue: tag })) === 0);
  const sorted = entries
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(elementOf)
    .filter((tag) => tag !== undefined);
  // Four indexes, that of the array alone included, with two documents each.
  expect(sorted).toEqual(tags.flatMap((tag) => Array<string>(8).fill(tag)));
});

const dataDir = temporaryFolder();

test('the next start builds added and removed indexes; without a file, queries are not checked', async () => {
  const visit = async <T>(file: IndexFile | undefined, action: (query: Query) => Promise<T>): Promise<T> => {
    const server = await startFirestore({ dataDir, ...(file ? { indexes: file } : {}) });
    const db = connect(`127.0.0.1:${server.port}`);
    try {
      await db.doc('decks/1').set({ owner: 1, created: 1 });
      await db.doc('decks/2').set({ owner: 1, created: 2 });
      return await action(db.collection('decks').where('owner', '==', 1).orderBy('created', 'desc'));
    } finally {
      await db.terminate();
      await server.close();
    }
  };
  const ids = async (query: Query) => (await query.get()).docs.map(({ id }) => id);
  expect(await visit(undefined, ids)).toEqual(['2', '1']);
  expect(await visit({}, (query) => codeOf(query.get()))).toBe(code.failedPrecondition);
  expect(await visit(indexes, ids)).toEqual(['2', '1']);
  expect(await visit(undefined, ids)).toEqual(['2', '1']);
  expect(await visit({ indexes: [] }, (query) => codeOf(query.get()))).toBe(code.failedPrecondition);
});
