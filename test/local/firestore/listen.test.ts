import { EventEmitter, on } from 'node:events';
import type { DocumentReference, Query, QuerySnapshot } from 'firebase-admin/firestore';
import { firestoreFixture } from './fixture';

const fixture = firestoreFixture({ indexes: [] });

// The server ends listeners before it answers this call, so no snapshot arrives after the tests.
afterEach(() => fixture.db.doc('last/call').get());

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

const watchDocument = (ref: DocumentReference) =>
  watch<unknown>((next, fail) => ref.onSnapshot((snapshot) => next(snapshot.data()), fail));
const watchQuery = (query: Query) => watch<QuerySnapshot>((next, fail) => query.onSnapshot(next, fail));
const changesOf = (snapshot: QuerySnapshot) => snapshot.docChanges().map(({ type, doc }) => `${type} ${doc.id}`);

test('a listener reports a missing document, every change of it, and its deletion', async () => {
  const ref = fixture.db.doc('followed/one');
  const { next, stop } = watchDocument(ref);
  expect(await next()).toBeUndefined();
  await ref.set({ v: 1 });
  expect(await next()).toEqual({ v: 1 });
  await ref.update({ v: 2 });
  expect(await next()).toEqual({ v: 2 });
  await ref.delete();
  expect(await next()).toBeUndefined();
  stop();
});

test('a query listener reports documents that are added, modified, moved and removed', async () => {
  const items = fixture.db.collection('watched');
  await items.doc('a').set({ n: 1 });
  await items.doc('out').set({ n: -1 });
  const { next, stop } = watchQuery(items.where('n', '>', 0).orderBy('n').limit(2));
  expect(changesOf(await next())).toEqual(['added a']);
  await items.doc('c').set({ n: 3 });
  expect(changesOf(await next())).toEqual(['added c']);
  await items.doc('b').set({ n: 2 });
  expect(changesOf(await next()).sort()).toEqual(['added b', 'removed c']);
  await items.doc('a').update({ n: 2.5 });
  const moved = await next();
  expect(moved.docs.map(({ id }) => id)).toEqual(['b', 'a']);
  await items.doc('b').delete();
  const last = await next();
  expect(changesOf(last).sort()).toEqual(['added c', 'removed b']);
  expect(last.docs.map(({ id }) => id)).toEqual(['a', 'c']);
  stop();
});

test('a batch is one snapshot; changes outside of the query are not reported', async () => {
  const items = fixture.db.collection('batched');
  const { next, stop } = watchQuery(items.where('on', '==', true));
  expect((await next()).empty).toBe(true);
  await items.doc('elsewhere').set({ on: false });
  const batch = fixture.db.batch();
  for (let i = 0; i < 20; i++) batch.set(items.doc(`d${i}`), { on: true });
  await batch.commit();
  expect((await next()).size).toBe(20);
  stop();
});

test("a listener on a query without an index fails with the query's error", async () => {
  const { next, stop } = watchQuery(fixture.db.collection('watched').where('a', '==', 1).orderBy('b'));
  await expect(next()).rejects.toThrow(/^Error 9: .*index.*https:\/\/console\.firebase\.google\.com/);
  stop();
});
