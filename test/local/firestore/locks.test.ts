import { Engine } from '../../../local/firestore/engine';
import { LockOwner, Locks } from '../../../local/firestore/locks';
import { Store } from '../../../local/firestore/store';
import { Transactions } from '../../../local/firestore/transactions';
import { parseWrites } from '../../../local/firestore/writes';
import { code, codeOf, PROJECT, temporaryFolder } from './fixture';

const [folder, otherFolder, temporary] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
const one = { integerValue: '1' };
/** Whether a promise is settled once everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await new Promise(setImmediate);
  return settled;
}

/** A promise whose state is known while the timers are faked. */
function recorded(promise: Promise<void>): { isSettled: boolean } {
  const state = { isSettled: false };
  void promise.then(
    () => (state.isSettled = true),
    () => (state.isSettled = true),
  );
  return state;
}

/** Owners with a call in progress. */
const owners = (count: number): LockOwner[] =>
  Array.from({ length: count }, () => {
    const owner = new LockOwner();
    owner.begin();
    return owner;
  });
const codes = [() => 0, (error: { code?: number }) => error.code] as const;

describe('a lock', () => {
  afterEach(() => jest.useRealTimers());

  test('is granted in the order of arrival, and at once when its holder releases it', async () => {
    const locks = new Locks();
    const [first, second, third] = [new LockOwner(), new LockOwner(), new LockOwner()];
    for (const owner of [first, second, third]) owner.begin();
    await locks.acquire(first, ['a'], 'read');
    const [waiting, last] = [locks.acquire(second, ['a'], 'read'), locks.acquire(third, ['a'], 'read')];
    expect([await isSettled(waiting), await isSettled(last)]).toEqual([false, false]);
    locks.release(first);
    expect([await isSettled(waiting), await isSettled(last)]).toEqual([true, false]);
    locks.release(second);
    expect(await isSettled(last)).toBe(true);
    locks.release(third);
    expect(locks.isContended('a')).toBe(false);
  });

  test('is granted at once to an owner who would otherwise wait for itself', async () => {
    const locks = new Locks();
    const [one, other] = [new LockOwner(), new LockOwner()];
    for (const owner of [one, other]) owner.begin();
    await locks.acquire(one, ['a'], 'read');
    await locks.acquire(other, ['b'], 'read');
    const first = locks.acquire(one, ['b'], 'read');
    expect(await isSettled(first)).toBe(false);
    expect(await isSettled(locks.acquire(other, ['a'], 'read'))).toBe(true);
    locks.release(other);
    expect(await isSettled(first)).toBe(true);
    locks.release(one);
  });

  test('is shared by readers once its holders are quiet, until a writer waits', async () => {
    const locks = new Locks();
    const [first, second, third, writer, late] = owners(5);
    await locks.acquire(first!, ['a'], 'read');
    first!.end();
    // Nothing releases the first owner: the second one is granted because the first one is quiet.
    await locks.acquire(second!, ['a'], 'read');
    expect(await isSettled(locks.acquire(third!, ['a'], 'read'))).toBe(true);
    const writing = locks.acquire(writer!, ['a'], 'write');
    const reading = locks.acquire(late!, ['a'], 'read');
    for (const owner of [first!, second!, third!]) {
      expect([await isSettled(writing), await isSettled(reading)]).toEqual([false, false]);
      locks.release(owner);
    }
    expect([await isSettled(writing), await isSettled(reading)]).toEqual([true, false]);
    locks.release(writer!);
    expect(await isSettled(reading)).toBe(true);
    locks.release(late!);
  });

  test('that two readers want to write goes to the first reader, and the commit of the other one is aborted', async () => {
    for (const isFirstToCommit of [true, false]) {
      const locks = new Locks();
      const [first, second] = owners(2);
      await locks.acquire(first!, ['a'], 'read');
      first!.end();
      await locks.acquire(second!, ['a'], 'read');
      const commits = [first!, second!].map((owner) => () => locks.acquire(owner, ['a'], 'write'));
      if (!isFirstToCommit) commits.reverse();
      const outcomes = commits.map((commit) => commit().then(...codes));
      const loser = outcomes[isFirstToCommit ? 1 : 0]!;
      expect(await loser).toBe(code.aborted);
      locks.release(second!);
      expect(await outcomes[isFirstToCommit ? 0 : 1]!).toBe(0);
      locks.release(first!);
    }
  });

  test('of a key that its last holder rewrote is not shared with a transaction that tries again', async () => {
    jest.useFakeTimers();
    const locks = new Locks();
    const [writer, holder, again, reader] = owners(4);
    await locks.acquire(writer!, ['a'], 'read');
    await locks.acquire(writer!, ['a'], 'write');
    locks.release(writer!);
    await locks.acquire(holder!, ['a'], 'read');
    holder!.end();
    const retry = recorded(locks.acquire(again!, ['a'], 'retry'));
    const read = recorded(locks.acquire(reader!, ['a'], 'read'));
    await jest.advanceTimersByTimeAsync(400);
    expect([retry.isSettled, read.isSettled]).toEqual([false, false]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect([retry.isSettled, read.isSettled]).toEqual([false, true]);
    locks.release(holder!);
    await jest.advanceTimersByTimeAsync(0);
    expect(retry.isSettled).toBe(true);
    locks.close();
  });

  test('of a transaction whose client is silent is kept for 60 s, and for 2 s without a connection', async () => {
    jest.useFakeTimers();
    for (const [closedAfterMs, seconds] of [
      [undefined, 60],
      [10_000, 12],
    ] as const) {
      const locks = new Locks();
      const transactions = new Transactions(locks);
      const transaction = transactions.begin(undefined);
      transaction.hold({ connection: closedAfterMs ? { closedAt: performance.now() + closedAfterMs } : {} });
      await locks.acquire(transaction.owner, ['a'], 'read');
      transaction.letGo();
      const [writer] = owners(1);
      const writing = recorded(locks.acquire(writer!, ['a'], 'write'));
      await jest.advanceTimersByTimeAsync((seconds - 1) * 1000);
      expect(writing.isSettled).toBe(false);
      await jest.advanceTimersByTimeAsync(2000);
      expect(writing.isSettled).toBe(true);
      expect(() => transactions.get(transaction.id)).toThrow('expired');
      locks.release(writer!);
      transactions.close();
    }
  });

  test('holds plain writes back while a transaction has it, and then lets all of them in', async () => {
    const locks = new Locks();
    const [reader, late] = owners(2);
    const plain = Array.from({ length: 3 }, () => new LockOwner(true));
    await locks.acquire(reader!, ['a'], 'read');
    const writes = plain.map((owner) => locks.acquire(owner, ['a'], 'write'));
    const next = locks.acquire(late!, ['a'], 'read');
    for (const write of writes) expect(await isSettled(write)).toBe(false);
    locks.release(reader!);
    for (const write of writes) expect(await isSettled(write)).toBe(true);
    // A later reader waits for each of them.
    for (const owner of plain) {
      expect(await isSettled(next)).toBe(false);
      locks.release(owner);
    }
    expect(await isSettled(next)).toBe(true);
  });

  test('of a transaction is released with its end', async () => {
    const locks = new Locks();
    const transactions = new Transactions(locks);
    const transaction = transactions.begin(undefined);
    await locks.acquire(transaction.owner, ['a'], 'read');
    expect(locks.isContended('a')).toBe(true);
    transactions.end(transaction);
    expect(locks.isContended('a')).toBe(false);
    transactions.close();
  });
});

test('a read that its client cancels while it waits ends the transaction', async () => {
  const store = new Store(otherFolder, undefined, true);
  const engine = new Engine(store, false);
  const [holder] = owners(1);
  await engine.locks.acquire(holder!, ['dwanted'], 'read');
  const transaction = engine.transactions.begin(undefined);
  const read = (key: string, signal?: AbortSignal) =>
    engine.read({ transaction: transaction.id }, [key], signal ? { signal } : {}, () => Promise.resolve());
  await read('dkept');
  const controller = new AbortController();
  const waiting = read('dwanted', controller.signal).then(...codes);
  controller.abort('given up');
  expect(await waiting).toBe(code.cancelled);
  expect(engine.transactions.find(transaction.id)).toBeUndefined();
  expect(engine.locks.isContended('dkept')).toBe(false);
  engine.locks.release(holder!);
  engine.close();
  await store.close();
});

test('a write in a read-only transaction is refused, and the transaction is over', async () => {
  const store = new Store(folder, undefined, true);
  const engine = new Engine(store, false);
  const root = `projects/${PROJECT}/databases/(default)`;
  const update = { name: `${root}/documents/a/b`, fields: { v: { integerValue: '1' } } };
  const writes = parseWrites([{ update }], root);
  const { id } = engine.transactions.begin({ readOnly: {} });
  expect(await codeOf(engine.commit(writes, id, {}))).toBe(code.invalidArgument);
  expect(engine.transactions.find(id)).toBeUndefined();
  expect(store.latest().document(writes[0]!.key)).toBeUndefined();
  // The same writes are accepted in a transaction that may write.
  const writing = engine.transactions.begin(undefined);
  await engine.commit(writes, writing.id, {});
  expect(store.latest().document(writes[0]!.key)).toBeDefined();
  engine.close();
  await store.close();
});

test('a thousand writes of one counter share few disk transactions, and each one counts', async () => {
  const store = new Store(temporary, undefined, true);
  const engine = new Engine(store, false);
  const root = `projects/${PROJECT}/databases/(default)`;
  const counter = { document: `${root}/documents/a/b`, fieldTransforms: [{ fieldPath: 'n', increment: one }] };
  const transactions = jest.spyOn(store, 'transact');
  const writes = () => parseWrites([{ transform: counter }], root);
  const committed = await Promise.all(Array.from({ length: 1000 }, () => engine.commit(writes(), undefined, {})));
  expect(transactions.mock.calls.length).toBeLessThan(10);
  expect(new Set(committed.map(({ time }) => time)).size).toBe(1000);
  expect(store.latest().document(writes()[0]!.key)?.fields).toEqual({ n: { integerValue: '1000' } });
  engine.close();
  await store.close();
});
