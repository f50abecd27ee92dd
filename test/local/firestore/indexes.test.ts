import { AggregateField, FieldPath, Filter, type Query } from 'firebase-admin/firestore';
import type { IndexFile } from '../../../local/firestore';
import { entriesOf, type Entry } from '../../../local/firestore/index-entries';
import { IndexSet } from '../../../local/firestore/indexes';
import { documentKey } from '../../../local/firestore/names';
import { Reader } from '../../../local/firestore/store';
import { encodeIndexed } from '../../../local/firestore/values';
import { aFolder } from '../folders';
import { code, codeOf, firestoreFixture, startFixture } from './fixture';

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
const group = () => fixture.db.collectionGroup('decks');
const owned = () => decks().where('owner', '==', 1);
const one = () => decks().where('a', '==', 1);
const either = (...names: string[]) => decks().where(Filter.or(...names.map((each) => Filter.where(each, '==', 1))));
const name = FieldPath.documentId();

const served: [string, () => Query][] = [
  ['all documents', () => decks()],
  ['one equality', one],
  ['one range', () => decks().where('a', '>', 1).where('a', '<', 3)],
  ['one order, either way', () => decks().orderBy('a', 'desc')],
  ['a range in its own order', () => decks().where('a', '>', 1).orderBy('a', 'desc')],
  ['array-contains', () => decks().where('a', 'array-contains', 1)],
  ['in', () => decks().where('a', 'in', [1, 2])],
  ['equalities only, merged from single fields', () => one().where('b', '==', 2).where('c', '==', 3)],
  ['equality and array-contains, merged', () => one().where('t', 'array-contains', 2)],
  ['or of equalities', () => either('a', 'b')],
  ['name ranges', () => one().where(name, '>', 'a')],
  ['a composite', () => owned().orderBy('created', 'desc')],
  ['a composite with in', () => decks().where('owner', 'in', [1, 2]).orderBy('created', 'desc')],
  ['a composite with a range', () => owned().where('created', '>', 1).orderBy('created', 'desc')],
  ['two composites merged', () => owned().where('state', '==', 2).orderBy('created', 'desc')],
  ['array-contains and order', () => decks().where('tags', 'array-contains', 'a').orderBy('title')],
  ['an order on a field that is fixed', () => owned().orderBy('owner').orderBy('created', 'desc')],
  ['a group by name', () => group()],
  ['names backwards with an index', () => fixture.db.collection('logs').orderBy(name, 'desc')],
  ['a group composite', () => group().where('kind', '==', 1).orderBy('size')],
  ['a group field with an index', () => group().where('slug', '==', 'x')],
  ['a field within a map that is exempt, indexed again', () => decks().where('body.title', '==', 'x')],
  ['a field with a time to live', () => decks().where('expires', '<', 5)],
];
const refused: [string, () => Query, RegExp][] = [
  ['names backwards', () => decks().orderBy(name, 'desc'), /decks.*__name__ DESCENDING/],
  ['the last names', () => decks().orderBy(name).limitToLast(2), /__name__ DESCENDING/],
  ['equality and another order', () => one().orderBy('b'), /decks.*a ASCENDING, b ASCENDING/],
  ['two orders', () => decks().orderBy('a').orderBy('b', 'desc'), /a ASCENDING, b DESCENDING/],
  ['a composite backwards', () => owned().orderBy('created'), /created ASCENDING/],
  ['two ranges', () => decks().where('a', '>', 1).where('b', '>', 1), /a ASCENDING, b ASCENDING/],
  ['one equality too many', () => owned().where('x', '==', 1).orderBy('created', 'desc'), /x ASCENDING/],
  ['an exempt field', () => decks().where('body', '==', 1), /body ASCENDING/],
  ['a field within an exempt map', () => decks().orderBy('body.text'), /body\.text ASCENDING/],
  ['an order that the exception leaves out', () => decks().orderBy('body.title', 'desc'), /body\.title DESCENDING/],
  ['a collection query on a group index', () => decks().where('slug', '==', 1), /slug ASCENDING/],
  ['a group without an index', () => group().where('a', '==', 1), /COLLECTION_GROUP.*a ASCENDING/],
  ['array-contains and b', () => decks().where('tags', 'array-contains', 1).orderBy('b'), /tags CONTAINS, b ASCENDING/],
  ['one branch of an OR', () => either('owner', 'x').orderBy('created', 'desc'), /x ASCENDING, created DESCENDING/],
];

test.each(served)('served: %s', async (_, query) => expect(await codeOf(query().get())).toBeUndefined());

test.each(refused)('refused with an error that names the missing index: %s', async (_, query, words) => {
  const failed = query().get();
  const link = 'The query requires an index. You can create it here: https://console.firebase.google.com';
  await expect(failed).rejects.toMatchObject({ code: code.failedPrecondition, message: expect.stringContaining(link) });
  await expect(failed).rejects.toThrow(words);
});

test("a listener on a query without an index fails with the query's error", async () => {
  const query = one().orderBy('b');
  const failed = new Promise<Error>((resolve) => void query.onSnapshot(() => {}, resolve));
  expect((await failed).message).toMatch(/^Error 9: .*index.*https:\/\/console\.firebase\.google\.com/);
});

test('an aggregation needs an index that contains its fields', async () => {
  const sum = (query: Query, field: string) => codeOf(query.aggregate({ total: AggregateField.sum(field) }).get());
  expect([await sum(decks(), 'views'), await sum(owned(), 'views')]).toEqual([undefined, undefined]);
  expect(await sum(owned(), 'likes')).toBe(code.failedPrecondition);
  expect(await codeOf(one().orderBy('b').count().get())).toBe(code.failedPrecondition);
});

test('an aggregation counts only documents with every aggregated field', async () => {
  const numbers = fixture.db.collection('numbers');
  const documents = { both: { a: 1, b: 2 }, a: { a: 10 }, text: { a: 'x', b: 5 } };
  for (const [id, data] of Object.entries(documents)) await numbers.doc(id).set(data);
  const all = await numbers.aggregate({ n: AggregateField.count(), sum: AggregateField.sum('a') }).get();
  expect(all.data()).toEqual({ n: 3, sum: 11 });
  const none = numbers.where('a', '==', 'nothing').aggregate({ avg: AggregateField.average('a') });
  expect((await none.get()).data()).toEqual({ avg: null });
});

test('a page of a large collection reads only the page from the store', async () => {
  const writer = fixture.db.bulkWriter({ throttling: false });
  for (let i = 0; i < 600; i++) void writer.set(decks().doc(`m${i}`), { owner: i % 3, state: i % 5, created: i });
  await writer.close();
  fixture.server.resetStats();
  // These spies only record the calls. The real store answers.
  const loads = jest.spyOn(Reader.prototype, 'document');
  const leaps = jest.spyOn(Reader.prototype, 'indexEntries');
  const page = owned().where('state', '==', 2).orderBy('created', 'desc').limit(11);
  const found = (await page.get()).docs.map((each) => each.get('created') as number);
  // The remainders 1 of 3 and 2 of 5 are together the remainder 7 of 15.
  expect(found).toEqual(Array.from({ length: 11 }, (_, i) => 592 - 15 * i));
  expect(fixture.server.stats().documentReads).toBe(11);
  expect(loads).toHaveBeenCalledTimes(11);
  // The zigzag join needs several seeks for each result.
  expect(leaps.mock.calls.length).toBeLessThan(11 * 10);
  jest.restoreAllMocks();
  const last = await fixture.db.doc(`decks/m${found.at(-1)}`).get();
  expect((await page.startAfter(last).get()).docs[0]!.get('created')).toBe(found.at(-1)! - 15);
});

test('the entries of an array element stand together in the file, whatever their index is', () => {
  const orders = ['size DESCENDING', 'title DESCENDING', 'created DESCENDING'];
  const all = orders.map((order) => index('decks', 'COLLECTION', 'tags CONTAINS', order));
  const descending = new IndexSet({ indexes: all });
  const [root, tags] = ['projects/p/databases/(default)', ['a', 'b', 'c']];
  const entries = ['1', '2'].flatMap((id, i) => {
    const segments = ['decks', id];
    const values = tags.map((stringValue) => ({ stringValue }));
    const number = { integerValue: String(i) };
    const fields = { tags: { arrayValue: { values } }, size: number, title: number, created: number };
    return entriesOf(descending, documentKey({ root, segments }), segments, fields);
  });
  // The key of an entry begins with eight bytes of its index; the encoded element follows.
  const elementOf = ({ key }: Entry) =>
    tags.find((tag) => key.subarray(8).indexOf(encodeIndexed({ stringValue: tag })) === 0);
  entries.sort((a, b) => Buffer.compare(a.key, b.key));
  const sorted = entries.map(elementOf).filter((tag) => tag !== undefined);
  // Four indexes, that of the array alone included, with two documents each.
  expect(sorted).toEqual(tags.flatMap((tag) => Array<string>(8).fill(tag)));
});

test('the next start builds added and removed indexes; without a file, queries are not checked', async () => {
  const dataDir = aFolder();
  const found = async (file?: IndexFile) => {
    const { db, stop } = await startFixture(dataDir, file);
    await db.doc('decks/1').set({ owner: 1, created: 1 });
    await db.doc('decks/2').set({ owner: 1, created: 2 });
    const query = db.collection('decks').where('owner', '==', 1).orderBy('created', 'desc');
    const ids = query.get().then(({ docs }) => docs.map(({ id }) => id).join());
    const outcome = await ids.catch((error: { code: number }) => error.code);
    await stop();
    return outcome;
  };
  expect(await found()).toBe('2,1');
  expect(await found({})).toBe(code.failedPrecondition);
  expect([await found(indexes), await found()]).toEqual(['2,1', '2,1']);
  expect(await found({ indexes: [] })).toBe(code.failedPrecondition);
});
