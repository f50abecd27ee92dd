import { FieldPath, FieldValue, type Query, Timestamp, type Transaction } from 'firebase-admin/firestore';
import { code, codeOf, firestoreFixture, gate } from './fixture';

const fixture = firestoreFixture();
const doc = (id: string) => fixture.db.collection('transactions').doc(id);
const run = <T>(action: (transaction: Transaction) => Promise<T>, options?: object) =>
  fixture.db.runTransaction(action, options);
const times = <T>(count: number, action: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => action(i)));

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise(setImmediate);
};

describe('under contention', () => {
  test('100 concurrent transactions on one document all succeed, each applied once', async () => {
    await doc('counter').set({ n: 0 });
    await times(100, () =>
      run(async (transaction) => {
        const n = (await transaction.get(doc('counter'))).get('n') as number;
        transaction.update(doc('counter'), { n: n + 1 });
      }),
    );
    expect((await doc('counter').get()).get('n')).toBe(100);
  });

  test('a document that one transaction writes twice is not locked afterwards', async () => {
    await run(async (transaction) => {
      await transaction.get(doc('twice'));
      transaction.create(doc('twice'), { n: 1 });
      transaction.update(doc('twice'), { n: 2 });
    });
    await doc('twice').update({ n: 3 });
    expect((await doc('twice').get()).get('n')).toBe(3);
    await fixture.db.batch().set(doc('twice'), { n: 4 }).update(doc('twice'), { n: 5 }).commit();
    await doc('twice').update({ n: 6 });
    expect((await doc('twice').get()).get('n')).toBe(6);
  });

  test('transactions get a lock in the order of their arrival', async () => {
    await doc('order').set({ served: [] });
    const first = gate();
    const started: Promise<unknown>[] = [];
    const enter = (name: string, hold?: Promise<void>) => {
      const reading = gate();
      started.push(
        run(async (transaction) => {
          reading.open();
          const served = (await transaction.get(doc('order'))).get('served') as string[];
          await hold;
          transaction.update(doc('order'), { served: [...served, name] });
        }),
      );
      return reading.opened;
    };
    await enter('a', first.opened);
    for (const name of ['b', 'c', 'd', 'e']) await enter(name);
    first.open();
    await Promise.all(started);
    expect((await doc('order').get()).get('served')).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('concurrent transactions never exceed a limit that each checks by a query', async () => {
    const members = fixture.db.collection('members');
    await times(50, (i) =>
      run(
        async (transaction) => {
          const found = await transaction.get(members.where('team', '==', 1));
          if (found.size < 10) transaction.create(members.doc(), { team: 1, i });
        },
        { maxAttempts: 50 },
      ),
    );
    expect((await members.get()).size).toBe(10);
  });

  test('concurrent transactions never exceed a limit that each checks by a count', async () => {
    const members = fixture.db.collection('counted');
    await times(30, (i) =>
      run(
        async (transaction) => {
          const { count } = (await transaction.get(members.where('team', '==', 1).count())).data();
          if (count < 5) transaction.create(members.doc(), { team: 1, i });
        },
        { maxAttempts: 50 },
      ),
    );
    expect((await members.get()).size).toBe(5);
  });

  test('transactions with different queries over the same documents see no phantoms', async () => {
    const seats = fixture.db.collection('seats');
    const book = (query: Query, name: string) =>
      run(async (transaction) => {
        const taken = await transaction.get(query);
        if (taken.empty) transaction.create(seats.doc(), { row: 1, n: 1, name });
      });
    await Promise.all([book(seats.where('row', '==', 1), 'a'), book(seats.where('n', '==', 1), 'b')]);
    expect((await seats.get()).size).toBe(1);
  });

  test('transactions with different counts over the same documents see no phantoms', async () => {
    const seats = fixture.db.collection('counted seats');
    const book = (query: Query, name: string) =>
      run(async (transaction) => {
        const { count } = (await transaction.get(query.count())).data();
        if (count === 0) transaction.create(seats.doc(), { row: 1, n: 1, name });
      });
    await Promise.all([book(seats.where('row', '==', 1), 'a'), book(seats.where('n', '==', 1), 'b')]);
    expect((await seats.get()).size).toBe(1);
  });

  test('concurrent transfers between two documents keep their sum', async () => {
    await doc('A').set({ n: 1000 });
    await doc('B').set({ n: 0 });
    await times(60, () =>
      run(async (transaction) => {
        const [a, b] = await transaction.getAll(doc('A'), doc('B'));
        transaction.update(doc('A'), { n: (a!.get('n') as number) - 1 });
        transaction.update(doc('B'), { n: (b!.get('n') as number) + 1 });
      }),
    );
    const [a, b] = await fixture.db.getAll(doc('A'), doc('B'));
    expect([a!.get('n'), b!.get('n')]).toEqual([940, 60]);
  });

  test('two transactions that lock two documents in opposite order both succeed', async () => {
    await doc('left').set({ n: 0 });
    await doc('right').set({ n: 0 });
    const bothRead = gate();
    let reading = 0;
    const take = (one: string, other: string) => {
      let isFirstTry = true;
      return run(async (transaction) => {
        const a = await transaction.get(doc(one));
        if (isFirstTry) {
          isFirstTry = false;
          if (++reading === 2) bothRead.open();
          await bothRead.opened;
        }
        const b = await transaction.get(doc(other));
        transaction.update(doc(one), { n: (a.get('n') as number) + 1 });
        transaction.update(doc(other), { n: (b.get('n') as number) + 1 });
      });
    };
    await Promise.all([take('left', 'right'), take('right', 'left')]);
    const [left, right] = await fixture.db.getAll(doc('left'), doc('right'));
    expect([left!.get('n'), right!.get('n')]).toEqual([2, 2]);
  });

  test('parallel reads of one transaction wait for several transactions, and all of them succeed', async () => {
    await doc('p1').set({ n: 0 });
    await doc('p2').set({ n: 0 });
    const hold = gate();
    const holders = ['p1', 'p2'].map((id) => {
      const holding = gate();
      const done = run(async (transaction) => {
        await transaction.get(doc(id));
        holding.open();
        await hold.opened;
        transaction.update(doc(id), { n: 1 });
      });
      return { holding: holding.opened, done };
    });
    await Promise.all(holders.map(({ holding }) => holding));
    const reader = run(async (transaction) => {
      await transaction.get(doc('p0'));
      const both = await Promise.all([transaction.get(doc('p1')), transaction.get(doc('p2'))]);
      transaction.set(doc('p0'), { sum: both.reduce((sum, each) => sum + (each.get('n') as number), 0) });
    });
    hold.open();
    await Promise.all([reader, ...holders.map(({ done }) => done)]);
    expect((await doc('p0').get()).get('sum')).toBe(2);
  });

  test('write skew is prevented', async () => {
    for (let round = 0; round < 5; round++) {
      const pair = [doc(`on call 1 ${round}`), doc(`on call 2 ${round}`)] as const;
      await Promise.all(pair.map((each) => each.set({ onCall: true })));
      await Promise.all(
        pair.map((mine) =>
          run(async (transaction) => {
            const both = await transaction.getAll(...pair);
            if (both.every((each) => each.get('onCall'))) transaction.update(mine, { onCall: false });
          }),
        ),
      );
      const left = (await fixture.db.getAll(...pair)).filter((each) => each.get('onCall'));
      expect(left).toHaveLength(1);
    }
  });
});

describe('as in the cloud', () => {
  test('when two transactions read and write one document, the second retries once: three attempts in all', async () => {
    await doc('retried').set({});
    const bothRead = gate();
    let attempts = 0;
    let reads = 0;
    const contend = (field: string) =>
      run(async (transaction) => {
        attempts++;
        await transaction.get(doc('retried'));
        if (++reads === 2) bothRead.open();
        await bothRead.opened;
        transaction.set(doc('retried'), { [field]: true }, { merge: true });
      });
    await Promise.all([contend('first'), contend('second')]);
    expect(attempts).toBe(3);
    expect((await doc('retried').get()).data()).toEqual({ first: true, second: true });
  });

  test('a write outside of transactions waits for a transaction that read the document', async () => {
    await doc('mixed').set({ n: 0 });
    const hasRead = gate();
    let attempts = 0;
    const order: string[] = [];
    let write: Promise<unknown> | undefined;
    await run(async (transaction) => {
      attempts++;
      const n = (await transaction.get(doc('mixed'))).get('n') as number;
      hasRead.open();
      write ??= doc('mixed')
        .update({ n: FieldValue.increment(100) })
        .then(() => order.push('write'));
      transaction.update(doc('mixed'), { n: n + 1 });
    }).then(() => order.push('transaction'));
    await write;
    expect((await doc('mixed').get()).get('n')).toBe(101);
    expect(attempts).toBe(1);
    expect(order).toHaveLength(2);
  });

  test('a write outside of transactions waits for a transaction whose query it would change', async () => {
    const queued = fixture.db.collection('queued');
    let attempts = 0;
    let write: Promise<unknown> | undefined;
    await run(async (transaction) => {
      attempts++;
      const { size } = await transaction.get(queued.where('open', '==', true));
      write ??= queued.doc('outside').set({ open: true });
      transaction.set(queued.doc('size'), { size });
    });
    await write;
    expect(attempts).toBe(1);
    expect((await queued.doc('size').get()).get('size')).toBe(0);
    expect((await queued.doc('outside').get()).get('open')).toBe(true);
  });

  test('a transaction reads one snapshot despite concurrent commits; a transaction without writes is not retried', async () => {
    await doc('s1').set({ v: 'old' });
    await doc('s2').set({ v: 'old' });
    let attempts = 0;
    const seen = await run(async (transaction) => {
      attempts++;
      const first = (await transaction.get(doc('s1'))).get('v') as string;
      await doc('s2').set({ v: 'new' });
      await doc('s3').set({ v: 'new' });
      const second = (await transaction.get(doc('s2'))).get('v') as string;
      const found = await transaction.get(fixture.db.collection('transactions').where('v', '==', 'new'));
      return [first, second, found.size];
    });
    expect(seen).toEqual(['old', 'old', 0]);
    expect(attempts).toBe(1);
  });

  test('a finished read-only transaction does not abort a writer of the same document', async () => {
    await doc('finished').set({ n: 0 });
    let attempts = 0;
    await run(async (transaction) => {
      attempts++;
      const n = (await transaction.get(doc('finished'))).get('n') as number;
      await run((other) => other.get(doc('finished')), { readOnly: true });
      transaction.update(doc('finished'), { n: n + 1 });
    });
    expect(attempts).toBe(1);
  });

  test("a write that does not change a query's results does not abort the transaction that read the query", async () => {
    const items = fixture.db.collection('items');
    await items.doc('a').set({ kind: 1 });
    let attempts = 0;
    await run(async (transaction) => {
      attempts++;
      const found = await transaction.get(items.where('kind', '==', 1));
      await items.doc('b').set({ kind: 2 });
      transaction.set(items.doc('c'), { count: found.size });
    });
    expect(attempts).toBe(1);
    expect((await items.doc('c').get()).get('count')).toBe(1);
  });

  test('a reader waits behind a waiting writer', async () => {
    await doc('fair').set({ n: 0 });
    const holding = gate();
    const release = gate();
    const holder = run(async (transaction) => {
      await transaction.get(doc('fair'));
      holding.open();
      await release.opened;
    });
    await holding.opened;
    const events: string[] = [];
    const writer = doc('fair')
      .update({ n: 1 })
      .then(() => events.push('written'));
    // The writer is in the queue when the server has received its call.
    while ((fixture.server.stats().calls.Commit ?? 0) === 0) await new Promise(setImmediate);
    const reader = run(async (transaction) => {
      events.push(`read ${(await transaction.get(doc('fair'))).get('n')}`);
    });
    release.open();
    await Promise.all([holder, writer, reader]);
    expect(events).toContain('read 1');
  });

  test('a query waits behind a waiting writer of a document that the query finds', async () => {
    const byName = fixture.db.collection('transactions').where(FieldPath.documentId(), '==', 'overtaken');
    await doc('overtaken').set({ n: 0 });
    const [holding, release] = [gate(), gate()];
    const holder = run(async (transaction) => {
      await transaction.get(doc('overtaken'));
      holding.open();
      await release.opened;
    });
    await holding.opened;
    fixture.server.resetStats();
    const writer = doc('overtaken').update({ n: 1 });
    await until(() => fixture.server.stats().calls.Commit === 1);
    const reader = run(async (transaction) => (await transaction.get(byName)).docs[0]!.get('n') as number);
    await until(() => fixture.server.stats().calls.RunQuery === 1);
    release.open();
    expect(await reader).toBe(1);
    await Promise.all([holder, writer]);
  });

  test('a read-only transaction reads the newest state or a past one', async () => {
    const { writeTime } = await doc('ro').set({ v: 1 });
    await doc('ro').set({ v: 2 });
    const read = (options: object) => run(async (t) => (await t.get(doc('ro'))).get('v') as number, options);
    expect(await read({ readOnly: true })).toBe(2);
    expect(await read({ readOnly: true, readTime: writeTime })).toBe(1);
    const tooOld = { readOnly: true, readTime: Timestamp.fromMillis(Date.now() - 2 * 3600_000) };
    expect(await codeOf(read(tooOld))).toBe(code.failedPrecondition);
  });

  test('a transaction with a failed precondition is not retried, and no write of it is stored', async () => {
    let attempts = 0;
    const failing = run(async (transaction) => {
      attempts++;
      await transaction.get(doc('whatever'));
      transaction.set(doc('side effect'), {});
      transaction.update(doc('does not exist'), { v: 1 });
    });
    expect(await codeOf(failing)).toBe(code.notFound);
    expect(attempts).toBe(1);
    expect((await doc('side effect').get()).exists).toBe(false);
  });

  test('an exception in a transaction rolls it back and releases its locks', async () => {
    const thrown = run(async (transaction) => {
      await transaction.get(doc('thrown'));
      throw new Error('changed my mind');
    });
    await expect(thrown).rejects.toThrow('changed my mind');
    await doc('thrown').set({ free: true });
    expect((await doc('thrown').get()).get('free')).toBe(true);
  });
});
