import { FieldPath, FieldValue, type Query, Timestamp, type Transaction } from 'firebase-admin/firestore';
import { Store } from '../../../local/firestore/store';
import { passSeconds } from '../../support/clock';
import { aFolder } from '../folders';
import { anotherClient, code, codeOf, firestoreFixture, gate } from './fixture';

const fixture = firestoreFixture();
const doc = (id: string) => fixture.db.collection('transactions').doc(id);
const read = async (id: string, field = 'n') => (await doc(id).get()).get(field) as unknown;
const run = <T>(action: (transaction: Transaction) => Promise<T>, options?: object) =>
  fixture.db.runTransaction(action, options);
const times = <T>(count: number, action: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => action(i)));
const numberIn = async (transaction: Transaction, id: string) => (await transaction.get(doc(id))).get('n') as number;

/** The result of a transaction and the number of its attempts. */
async function attempted<T>(action: (transaction: Transaction) => Promise<T>) {
  let attempts = 0;
  const result = await run((transaction) => {
    attempts++;
    return action(transaction);
  });
  return { attempts, result };
}

/** A transaction that has read a document. It goes on when it is released. */
async function aHolder(id: string, then = (_transaction: Transaction) => {}) {
  const [holding, release] = [gate(), gate()];
  const done = run(async (transaction) => {
    await transaction.get(doc(id));
    holding.open();
    await release.opened;
    then(transaction);
  });
  await holding.opened;
  return { release: release.open, done };
}

test('a document that one transaction writes twice is not locked afterwards', async () => {
  await run(async (transaction) => {
    await transaction.get(doc('twice'));
    transaction.create(doc('twice'), { n: 1 });
    transaction.update(doc('twice'), { n: 2 });
  });
  await doc('twice').update({ n: 3 });
  expect(await read('twice')).toBe(3);
  await fixture.db.batch().set(doc('twice'), { n: 4 }).update(doc('twice'), { n: 5 }).commit();
  await doc('twice').update({ n: 6 });
  expect(await read('twice')).toBe(6);
});

test.each<[string, (transaction: Transaction, query: Query) => Promise<number>]>([
  ['queries', async (transaction, query) => (await transaction.get(query)).size],
  ['counts', async (transaction, query) => (await transaction.get(query.count())).data().count],
])('transactions with %s see no phantoms, also with other filters over the same documents', async (kind, sizeOf) => {
  const seats = fixture.db.collection(`seats of ${kind}`);
  const book = (field: string) =>
    run(async (transaction) => {
      const taken = await sizeOf(transaction, seats.where(field, '==', 1));
      if (taken === 0) transaction.create(seats.doc(), { row: 1, n: 1 });
    });
  await Promise.all([book('row'), book('n')]);
  expect((await seats.get()).size).toBe(1);
});

// Some of them read a document that another one changes before they commit.
test('concurrent transfers of two clients between two documents keep their sum, and each is applied once', async () => {
  const other = await anotherClient(fixture.server.port);
  await Promise.all([doc('A').set({ n: 1000 }), doc('B').set({ n: 0 })]);
  const transfer = (ids: string[]) => async (transaction: Transaction) => {
    const n: Record<string, number> = {};
    for (const id of ids) n[id] = await numberIn(transaction, id);
    transaction.update(doc('A'), { n: n['A']! - 1 });
    transaction.update(doc('B'), { n: n['B']! + 1 });
  };
  await times(20, (i) => {
    const { db } = i % 4 < 2 ? fixture : other;
    return db.runTransaction(transfer(i % 2 ? ['A', 'B'] : ['B', 'A']), { maxAttempts: 20 });
  });
  expect([await read('A'), await read('B')]).toEqual([980, 20]);
  await other.db.terminate();
  other.die();
});

test('parallel reads of one transaction wait for several transactions, and all of them succeed', async () => {
  const ids = ['p1', 'p2'];
  await Promise.all(ids.map((id) => doc(id).set({ n: 0 })));
  const holders = await Promise.all(ids.map((id) => aHolder(id, (holder) => void holder.update(doc(id), { n: 1 }))));
  const reader = run(async (transaction) => {
    await transaction.get(doc('p0'));
    const [one, two] = await Promise.all(ids.map((id) => numberIn(transaction, id)));
    transaction.set(doc('p0'), { n: one! + two! });
  });
  for (const { release } of holders) release();
  await Promise.all([reader, ...holders.map(({ done }) => done)]);
  expect(await read('p0')).toBe(2);
});

test('write skew is prevented', async () => {
  const onCall = await times(5, async (round) => {
    const pair = [doc(`on call 1 ${round}`), doc(`on call 2 ${round}`)];
    await Promise.all(pair.map((each) => each.set({ onCall: true })));
    const leave = (mine: FirebaseFirestore.DocumentReference) =>
      run(async (transaction) => {
        const both = await transaction.getAll(...pair);
        if (both.every((each) => each.get('onCall'))) transaction.update(mine, { onCall: false });
      });
    await Promise.all(pair.map(leave));
    return (await fixture.db.getAll(...pair)).filter((each) => each.get('onCall')).length;
  });
  expect(onCall).toEqual([1, 1, 1, 1, 1]);
});

test('a client that dies inside a transaction delays others by seconds, not by the lifetime of the transaction', async () => {
  const shared = fixture.db.collection('shared');
  await shared.doc('counter').set({ n: 1 });
  const { db, die } = await anotherClient(fixture.server.port);
  const holding = gate();
  void db.runTransaction(async (transaction) => {
    await transaction.get(db.doc('shared/counter'));
    await transaction.get(db.collection('shared').where('n', '>', 0));
    holding.open();
    await gate().opened;
  });
  await holding.opened;
  die();
  const since = performance.now();
  const increment = async (transaction: Transaction) => {
    const n = (await transaction.get(shared.doc('counter'))).get('n') as number;
    transaction.update(shared.doc('counter'), { n: n + 1 });
  };
  const phantom = shared.doc('other').set({ n: 5 });
  await Promise.all([times(5, () => run(increment)), phantom]);
  expect((await shared.doc('counter').get()).get('n')).toBe(6);
  // A writer waits for 3 s of silence, plus the machine's own time. The transaction would expire after 60 s.
  expect(performance.now() - since).toBeLessThan(55_000);
  await db.terminate();
});

test('when two transactions read and write one document, the second retries once: three attempts in all', async () => {
  await doc('retried').set({});
  const bothRead = gate();
  let [attempts, reads] = [0, 0];
  const contend = (field: string) =>
    run(async (transaction) => {
      attempts++;
      await transaction.get(doc('retried'));
      if (++reads === 2) bothRead.open();
      await bothRead.opened;
      transaction.set(doc('retried'), { [field]: true }, { merge: true });
    });
  await Promise.all([contend('first'), contend('second')]);
  expect([attempts, (await doc('retried').get()).data()]).toEqual([3, { first: true, second: true }]);
});

test('a write outside of transactions waits for a transaction that read the document', async () => {
  await doc('mixed').set({ n: 0 });
  let write: Promise<unknown> | undefined;
  const { attempts } = await attempted(async (transaction) => {
    const n = await numberIn(transaction, 'mixed');
    write ??= doc('mixed').update({ n: FieldValue.increment(100) });
    transaction.update(doc('mixed'), { n: n + 1 });
  });
  await write;
  expect([await read('mixed'), attempts]).toEqual([101, 1]);
});

test('a write outside of transactions waits for a transaction whose query it would change', async () => {
  const queued = fixture.db.collection('queued');
  let write: Promise<unknown> | undefined;
  const { attempts, result } = await attempted(async (transaction) => {
    const { size } = await transaction.get(queued.where('open', '==', true));
    write ??= queued.doc('outside').set({ open: true });
    transaction.set(doc('size'), { size });
    return size;
  });
  await write;
  expect([attempts, result, (await queued.doc('outside').get()).exists]).toEqual([1, 0, true]);
});

test('a transaction reads one snapshot despite concurrent commits; a transaction without writes is not retried', async () => {
  await doc('s1').set({ v: 'old' });
  await doc('s2').set({ v: 'old' });
  const seen = await attempted(async (transaction) => {
    const first = (await transaction.get(doc('s1'))).get('v') as string;
    await Promise.all(['s2', 's3'].map((id) => doc(id).set({ v: 'new' })));
    const second = (await transaction.get(doc('s2'))).get('v') as string;
    const found = await transaction.get(fixture.db.collection('transactions').where('v', '==', 'new'));
    return [first, second, found.size];
  });
  expect(seen).toEqual({ attempts: 1, result: ['old', 'old', 0] });
});

test("a finished reader, and a write that changes no results of a transaction's query, do not abort the transaction", async () => {
  await doc('finished').set({ n: 0 });
  const items = fixture.db.collection('items');
  await items.doc('a').set({ kind: 1 });
  const { attempts, result } = await attempted(async (transaction) => {
    const n = await numberIn(transaction, 'finished');
    const { size } = await transaction.get(items.where('kind', '==', 1));
    await run((other) => other.get(doc('finished')), { readOnly: true });
    await items.doc('b').set({ kind: 2 });
    transaction.update(doc('finished'), { n: n + 1 });
    return size;
  });
  expect([attempts, result]).toEqual([1, 1]);
});

test('a query waits behind a waiting writer of a document that the query finds', async () => {
  const called = async (method: string) => {
    while (!fixture.server.stats().calls[method]) await new Promise(setImmediate);
  };
  const byName = fixture.db.collection('transactions').where(FieldPath.documentId(), '==', 'overtaken');
  await doc('overtaken').set({ n: 0 });
  const { release, done } = await aHolder('overtaken');
  fixture.server.resetStats();
  const writer = doc('overtaken').update({ n: 1 });
  await called('Commit');
  const reader = run(async (transaction) => (await transaction.get(byName)).docs[0]!.get('n') as number);
  await called('RunQuery');
  release();
  const [found] = await Promise.all([reader, done, writer]);
  expect(found).toBe(1);
});

test('a read-only transaction reads the newest state or a past one', async () => {
  const { writeTime } = await doc('ro').set({ n: 1 });
  await doc('ro').set({ n: 2 });
  const readWith = (options: object) => run((transaction) => numberIn(transaction, 'ro'), options);
  expect(await readWith({ readOnly: true })).toBe(2);
  expect(await readWith({ readOnly: true, readTime: writeTime })).toBe(1);
  const tooOld = { readOnly: true, readTime: Timestamp.fromMillis(Date.now() - 2 * 3600_000) };
  expect(await codeOf(readWith(tooOld))).toBe(code.failedPrecondition);
});

test('all history that is too old leaves at once, however much was written', async () => {
  const store = new Store(aFolder(), undefined, true);
  const write = (count: number) =>
    store.transact(() => {
      for (let i = 0; i < count; i++) {
        store.apply([{ change: { key: Buffer.from(`${i}`) }, entries: [] }], store.clock.commitTime());
      }
    });
  write(5000);
  passSeconds(3601);
  write(1);
  await store.pruneHistory();
  expect(store.latest().changedSince(0).size).toBe(1);
  await store.close();
});
