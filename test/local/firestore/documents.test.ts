import { EventEmitter, on } from 'node:events';
import { FieldPath, FieldValue, GeoPoint, type Query, type QuerySnapshot, Timestamp } from 'firebase-admin/firestore';
import { startFirestore } from '../../../local/firestore';
import { aFolder } from '../folders';
import { code, codeOf, connect, firestoreFixture, gate, messageOf, startFixture } from './fixture';

const fixture = firestoreFixture();
const doc = (id: string) => fixture.db.collection('documents').doc(id);
const dataOf = async (id: string) => (await doc(id).get()).data();

test('every type is read as it was written, times with microseconds', async () => {
  const numbers = { zero: 0, negativeZero: -0, integer: Number.MAX_SAFE_INTEGER, double: 1.5, nan: NaN };
  const texts = { text: 'é\u0000\u{1F600}', empty: '', bytes: Buffer.from([0, 1, 255]) };
  const times = { time: new Timestamp(100, 123_456_789), before: new Timestamp(-5, 1000) };
  const lists = { list: [1, 'two', { three: [3] }, null], emptyList: [], vector: FieldValue.vector([1, 2.5]) };
  const maps = { map: { deep: { er: { value: 1 } }, 'with.dot': 1, 'with `tick`': 2 }, emptyMap: {} };
  const others = { null: null, true: true, place: new GeoPoint(1.5, -2), reference: fixture.db.doc('a/b') };
  const data = { ...numbers, infinity: -Infinity, ...texts, ...times, ...lists, ...maps, ...others };
  await doc('values').set(data);
  const read = (await dataOf('values'))!;
  expect(read).toEqual({ ...data, time: new Timestamp(100, 123_456_000), reference: expect.anything() as unknown });
  expect([Object.is(read.negativeZero, -0), (read.reference as { path: string }).path]).toEqual([true, 'a/b']);
});

test('field names with dots and quotes can be updated and masked', async () => {
  await doc('names').set({ 'a.b': 1, 'c`d': 2, e: { 'f g': 3 } });
  await doc('names').update(new FieldPath('e', 'f g'), 4, new FieldPath('c`d'), 5);
  expect(await dataOf('names')).toEqual({ 'a.b': 1, 'c`d': 5, e: { 'f g': 4 } });
  const [masked] = await fixture.db.getAll(doc('names'), { fieldMask: [new FieldPath('e', 'f g'), 'missing'] });
  expect(masked!.data()).toEqual({ e: { 'f g': 4 } });
});

test('update, merge and delete change only the named fields', async () => {
  await doc('x').set({ a: 1, n: { b: 1, c: [1] } });
  await doc('x').update({ 'n.b': 2, d: 1, a: FieldValue.delete() });
  await doc('x').set({ n: { e: null } }, { merge: true });
  expect(await dataOf('x')).toEqual({ n: { b: 2, c: [1], e: null }, d: 1 });
  await doc('x').set({ only: true });
  expect(await dataOf('x')).toEqual({ only: true });
  await doc('x').delete();
  expect(await dataOf('x')).toBeUndefined();
});

test('a document keeps its creation time until it is deleted', async () => {
  const created = await doc('times').set({ v: 1 });
  await doc('times').set({ v: 2 });
  expect((await doc('times').get()).createTime).toEqual(created.writeTime);
  await doc('times').delete();
  const again = await doc('times').set({ v: 3 });
  expect((await doc('times').get()).createTime).toEqual(again.writeTime);
});

test('a write without a change keeps and returns the update time', async () => {
  const first = await doc('same').set({ a: { b: [], c: {} }, d: new Timestamp(0, 0) });
  const second = await doc('same').set({ a: { b: [], c: {} }, d: new Timestamp(0, 0) });
  expect([second.writeTime, (await doc('same').get()).updateTime]).toEqual([first.writeTime, first.writeTime]);
  expect((await doc('same').set({}, { merge: true })).writeTime).toEqual(first.writeTime);
  expect((await doc('same').set({ a: { b: [], c: {} }, d: -0 })).writeTime).not.toEqual(first.writeTime);
  expect((await doc('never was').delete()).writeTime).toBeInstanceOf(Timestamp);
});

test('a batch is atomic, and each of its writes sees the earlier ones', async () => {
  const failing = fixture.db.batch().set(doc('batch1'), { v: 1 }).set(doc('batch2'), { v: 1 });
  expect(await codeOf(failing.update(doc('batch missing'), { v: 1 }).commit())).toBe(code.notFound);
  expect([await dataOf('batch1'), await dataOf('batch2')]).toEqual([undefined, undefined]);
  const batch = fixture.db.batch().create(doc('steps'), { v: 1 }).update(doc('steps'), { w: 2 });
  await batch.update(doc('steps'), { v: FieldValue.increment(1) }).commit();
  expect(await dataOf('steps')).toEqual({ v: 2, w: 2 });
});

test('each write of a BulkWriter succeeds or fails separately', async () => {
  await doc('bulk taken').set({});
  const ids = Array.from({ length: 50 }, (_, i) => `bulk${i}`);
  const writer = fixture.db.bulkWriter({ throttling: false });
  writer.onWriteError(() => false);
  const outcomes = Promise.all(ids.map((id) => codeOf(writer.set(doc(id), { id }))));
  const taken = codeOf(writer.create(doc('bulk taken'), {}));
  await writer.close();
  expect([await taken, new Set(await outcomes)]).toEqual([code.alreadyExists, new Set([undefined])]);
  expect((await fixture.db.getAll(...ids.map(doc))).map((each) => each.get('id') as string)).toEqual(ids);
});

test('create refuses an existing document, update a missing one', async () => {
  await doc('p').set({ v: 1 });
  expect(await codeOf(doc('p').create({ v: 2 }))).toBe(code.alreadyExists);
  expect(await messageOf(doc('missing').update({ v: 2 }))).toContain('No document to update: projects/demo-decks');
  expect(await codeOf(doc('missing').update({ v: 2 }))).toBe(code.notFound);
  expect(await codeOf(doc('missing').delete({ exists: true }))).toBe(code.notFound);
  expect((await doc('p').get()).get('v')).toBe(1);
});

test('an update-time precondition matches the stored version only: one of many writers succeeds', async () => {
  const { writeTime: lastUpdateTime } = await doc('versions').set({ v: 0 });
  const writers = Array.from({ length: 20 }, (_, i) => doc('versions').update({ v: i + 1 }, { lastUpdateTime }));
  const codes = await Promise.all(writers.map(codeOf));
  expect(codes.filter((each) => each !== code.failedPrecondition)).toEqual([undefined]);
  expect(await codeOf(doc('versions').delete({ lastUpdateTime }))).toBe(code.failedPrecondition);
  expect(await dataOf('versions')).toEqual({ v: codes.indexOf(undefined) + 1 });
});

test('increments add numbers, and integers saturate', async () => {
  await doc('sum').set({ i: 1, d: 0.5, max: 1, text: 'x', list: [1] });
  const max = Number.MAX_SAFE_INTEGER;
  const added = Object.entries({ i: 2, d: 1, max, text: 5, fresh: 1.5, 'deep.er': 1 });
  await doc('sum').update(Object.fromEntries(added.map(([name, by]) => [name, FieldValue.increment(by)])));
  const sum = { i: 3, d: 1.5, max: max + 1, text: 5, fresh: 1.5, deep: { er: 1 }, list: [1] };
  expect(await dataOf('sum')).toEqual(sum);
});

test('an integer of 64 bits stops at the ends of its range', async () => {
  const exact = connect(`127.0.0.1:${fixture.server.port}`);
  exact.settings({ useBigInt: true });
  const ends = exact.doc('documents/ends');
  await ends.set({ most: 2n ** 63n - 2n, least: -(2n ** 63n) + 1n });
  await ends.update({ most: FieldValue.increment(1), least: FieldValue.increment(-1) });
  expect((await ends.get()).data()).toEqual({ most: 2n ** 63n - 1n, least: -(2n ** 63n) });
  await ends.update({ most: FieldValue.increment(5), least: FieldValue.increment(-5) });
  expect((await ends.get()).data()).toEqual({ most: 2n ** 63n - 1n, least: -(2n ** 63n) });
  await exact.terminate();
});

test('arrayUnion adds each element once, arrayRemove removes all equal elements', async () => {
  await doc('list').set({ a: [1, { x: 1 }, 1], other: 'no list' });
  await doc('list').update({ a: FieldValue.arrayUnion(1, 2, { x: 1 }, 2), other: FieldValue.arrayUnion('a') });
  expect(await dataOf('list')).toEqual({ a: [1, { x: 1 }, 1, 2], other: ['a'] });
  await doc('list').update({ a: FieldValue.arrayRemove(1, { x: 1 }), gone: FieldValue.arrayRemove(1) });
  expect(await dataOf('list')).toEqual({ a: [2], other: ['a'], gone: [] });
});

test('a server timestamp is the commit time', async () => {
  const now = FieldValue.serverTimestamp();
  const { writeTime } = await doc('now').set({ at: now, deep: { at: now } });
  const { at, deep } = (await dataOf('now')) as { at: Timestamp; deep: { at: Timestamp } };
  expect(at.toMillis()).toBe(writeTime.toMillis());
  expect(deep.at).toEqual(at);
});

test('a document of 1 MiB is stored; one more byte is refused', async () => {
  // 16 + documents/limit (10 + 6) + name s (2) + text (its length + 1) + 32
  const most = 1_048_576 - (16 + 10 + 6 + 2 + 1 + 32);
  expect(await codeOf(doc('limit').set({ s: 'x'.repeat(most) }))).toBeUndefined();
  const tooLarge = doc('limit').set({ s: 'x'.repeat(most + 1) });
  expect(await codeOf(tooLarge)).toBe(code.invalidArgument);
  expect(await messageOf(tooLarge)).toContain('exceeds the maximum allowed size of 1,048,576 bytes');
  expect(((await doc('limit').get()).get('s') as string).length).toBe(most);
});

test('a commit is limited to 500 field transforms and 10 MiB', async () => {
  const one = FieldValue.increment(1);
  const transforms = (count: number) =>
    doc('transforms').set(Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, one])));
  expect(await codeOf(transforms(500))).toBeUndefined();
  expect(await codeOf(transforms(501))).toBe(code.invalidArgument);
  const large = (count: number) => {
    const batch = fixture.db.batch();
    for (let i = 0; i < count; i++) batch.set(doc(`large${i}`), { s: 'x'.repeat(1_000_000) });
    return batch.commit();
  };
  expect(await codeOf(large(10))).toBeUndefined();
  expect(await codeOf(large(11))).toBe(code.invalidArgument);
  expect(await dataOf('large10')).toBeUndefined();
});

test('nesting deeper than 20 levels is refused', async () => {
  const nested = (depth: number): object => (depth === 0 ? {} : { m: nested(depth - 1) });
  expect(await codeOf(doc('deep').set(nested(20)))).toBeUndefined();
  expect(await codeOf(doc('deep').set(nested(21)))).toBe(code.invalidArgument);
});

const invalid = ['.', '..', '__x__', '_____', '__\n__', '__id1x__', 'x'.repeat(1501), 'é'.repeat(751)];
test.each(invalid)('%.20s is refused in reads and in writes', async (id) => {
  const at = (): FirebaseFirestore.DocumentReference => fixture.db.collection('ids').doc(id);
  expect(await codeOf(at().get())).toBe(code.invalidArgument);
  expect(await codeOf(at().set({}))).toBe(code.invalidArgument);
  const writer = fixture.db.bulkWriter();
  writer.onWriteError(() => false);
  const outcome = codeOf(writer.set(at(), {}));
  await writer.close();
  expect(await outcome).toBe(code.invalidArgument);
  expect(await codeOf(fixture.db.collection(id).get())).toBe(code.invalidArgument);
});

test('ids may have 1500 bytes and any other character; they sort by bytes, numeric ids first', async () => {
  const ids = ['x'.repeat(1500), 'é', 'B', 'a', '_x', '__', '____', ' ', '\u0000', 'a\u0000b', 'a\u0001'];
  ids.push('\u{1F600}', '\uffee');
  const numeric = ['__id-5__', '__id2__', '__id10__', '__id9007199254740993__'];
  // Four underscores are not reserved, also as the name of a collection and of a field.
  const names = fixture.db.collection('____');
  for (const id of [...ids, ...numeric].reverse()) await names.doc(id).set({ id, ____: null });
  const sorted = ids.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const found = (await names.get()).docs;
  expect(found.map(({ id }) => id)).toEqual([...numeric, ...sorted]);
  expect(found.every((each) => each.get('id') === each.id)).toBe(true);
  expect((await names.orderBy('id').get()).size).toBe(ids.length + numeric.length);
});

test('collections and documents are listed, missing documents with subcollections included', async () => {
  await fixture.db.doc('tree/a').set({});
  await fixture.db.doc('tree/b/leaves/1').set({});
  await fixture.db.doc('tree/b/twigs/1/leaves/1').set({});
  await fixture.db.doc('treehouse/x').set({});
  const ids = (refs: { id: string }[]) => refs.map(({ id }) => id);
  expect(ids(await fixture.db.collection('tree').listDocuments())).toEqual(['a', 'b']);
  expect(ids(await fixture.db.doc('tree/b').listCollections())).toEqual(['leaves', 'twigs']);
  expect(ids(await fixture.db.listCollections())).toEqual(expect.arrayContaining(['tree', 'treehouse']));
  await fixture.db.recursiveDelete(fixture.db.collection('tree'));
  expect(ids(await fixture.db.listCollections())).not.toContain('tree');
  expect((await fixture.db.doc('treehouse/x').get()).exists).toBe(true);
});

test('calls, reads and writes are counted as the cloud bills them', async () => {
  await doc('cost1').set({ cost: true });
  await doc('cost2').set({ cost: true });
  fixture.server.resetStats();
  await fixture.db.getAll(doc('cost1'), doc('cost2'), doc('cost missing'));
  await fixture.db.collection('documents').where('cost', '==', true).get();
  await fixture.db.collection('documents').where('cost', '==', 'nothing').get();
  await fixture.db.collection('documents').where('cost', '==', true).count().get();
  await fixture.db.batch().update(doc('cost1'), { v: 1 }).delete(doc('cost2')).commit();
  expect(fixture.server.stats()).toEqual({
    calls: { BatchGetDocuments: 1, RunQuery: 2, RunAggregationQuery: 1, Commit: 1 },
    documentReads: 3 + 2 + 1 + 1,
    documentWrites: 2,
  });
  fixture.server.resetStats();
  expect(fixture.server.stats()).toEqual({ calls: {}, documentReads: 0, documentWrites: 0 });
});

describe('listeners', () => {
  // The server ends listeners before it answers this call, so no snapshot arrives after the tests.
  afterEach(() => doc('last call').get());

  /** The snapshots of a listener, one at a time. */
  function watch<T>(subscribe: (next: (value: T) => void, fail: (error: Error) => void) => () => void) {
    const events = new EventEmitter();
    const values = on(events, 'value');
    const stop = subscribe(
      (value) => events.emit('value', value),
      (error) => events.emit('error', error),
    );
    return { next: async () => ((await values.next()).value as [T])[0], stop };
  }

  const watchQuery = (query: Query) => watch<QuerySnapshot>((next, fail) => query.onSnapshot(next, fail));
  const changesOf = (snapshot: QuerySnapshot) => snapshot.docChanges().map(({ type, doc }) => `${type} ${doc.id}`);

  test('a listener reports a missing document, every change of it, and its deletion', async () => {
    const ref = fixture.db.doc('followed/one');
    const { next, stop } = watch<unknown>((then, fail) => ref.onSnapshot((snapshot) => then(snapshot.data()), fail));
    expect(await next()).toBeUndefined();
    await ref.set({ v: 1 });
    expect(await next()).toEqual({ v: 1 });
    await ref.update({ v: 2 });
    expect(await next()).toEqual({ v: 2 });
    await ref.delete();
    expect(await next()).toBeUndefined();
    stop();
  });

  test('a query listener reports documents that are added, modified, moved and removed; a batch is one snapshot', async () => {
    const items = fixture.db.collection('watched');
    await items.doc('a').set({ n: 1 });
    const { next, stop } = watchQuery(items.where('n', '>', 0).orderBy('n').limit(2));
    expect(changesOf(await next())).toEqual(['added a']);
    // A change outside of the query is not reported.
    await items.doc('out').set({ n: -1 });
    await fixture.db.batch().set(items.doc('c'), { n: 3 }).set(items.doc('b'), { n: 2 }).commit();
    expect(changesOf(await next())).toEqual(['added b']);
    await items.doc('a').update({ n: 2.5 });
    expect((await next()).docs.map(({ id }) => id)).toEqual(['b', 'a']);
    await items.doc('b').delete();
    const last = await next();
    expect(changesOf(last).sort()).toEqual(['added c', 'removed b']);
    expect(last.docs.map(({ id }) => id)).toEqual(['a', 'c']);
    stop();
  });
});

describe('the server', () => {
  test('names a port in use in its error, and closes the data file', async () => {
    const dataDir = aFolder();
    const { port } = fixture.server;
    await expect(startFirestore({ dataDir, port })).rejects.toThrow(String(port));
    await (await startFirestore({ dataDir })).close();
  });

  test('keeps accepted commits when it closes, and does not wait for listeners or transactions', async () => {
    const dataDir = aFolder();
    const { db, server } = await startFixture(dataDir);
    await db.doc('kept/x').set({ v: 1 });
    const [listening, holding] = [gate(), gate()];
    const stop = db.collection('kept').onSnapshot(listening.open, () => {});
    const held = db.runTransaction(async (transaction) => {
      await transaction.get(db.doc('kept/x'));
      holding.open();
      await gate().opened;
    });
    await Promise.race([Promise.all([listening.opened, holding.opened]), held]);
    await server.close();
    stop();
    await db.terminate();
    const again = await startFixture(dataDir);
    expect((await again.db.doc('kept/x').get()).get('v')).toBe(1);
    await again.stop();
  });
});
