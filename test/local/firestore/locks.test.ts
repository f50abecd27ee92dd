import { Engine } from '../../../local/firestore/engine';
import { LockOwner, Locks } from '../../../local/firestore/locks';
import { Store } from '../../../local/firestore/store';
import { Transactions } from '../../../local/firestore/transactions';
import { parseWrites } from '../../../local/firestore/writes';
import { each } from '../../support/each';
import { aFolder } from '../folders';
import { code, codeOf, PROJECT } from './fixture';

const root = `projects/${PROJECT}/databases/(default)`;

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
  const settle = () => (state.isSettled = true);
  void promise.then(settle, settle);
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
  let locks: Locks;
  beforeEach(() => void (locks = new Locks()));
  afterEach(() => jest.useRealTimers());

  test('is granted in the order of arrival, and at once when its holder releases it', async () => {
    const [first, second, third] = owners(3);
    await locks.acquire(first!, ['a'], 'read');
    const [waiting, last] = [locks.acquire(second!, ['a'], 'read'), locks.acquire(third!, ['a'], 'read')];
    expect([await isSettled(waiting), await isSettled(last)]).toEqual([false, false]);
    locks.release(first!);
    expect([await isSettled(waiting), await isSettled(last)]).toEqual([true, false]);
    locks.release(second!);
    expect(await isSettled(last)).toBe(true);
    locks.release(third!);
    expect(locks.isContended('a')).toBe(false);
  });

  test('is granted at once to an owner who would otherwise wait for itself', async () => {
    const [one, other] = owners(2);
    await locks.acquire(one!, ['a'], 'read');
    await locks.acquire(other!, ['b'], 'read');
    const first = locks.acquire(one!, ['b'], 'read');
    expect([await isSettled(first), await isSettled(locks.acquire(other!, ['a'], 'read'))]).toEqual([false, true]);
    locks.release(other!);
    expect(await isSettled(first)).toBe(true);
    locks.release(one!);
  });

  test('is shared by readers once its holders are quiet, until a writer waits', async () => {
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

  test.each(['first', 'second'])(
    'that two readers want to write goes to the first reader, and the other commit is aborted, if the %s commits first',
    async (committing) => {
      const [first, second] = owners(2);
      await locks.acquire(first!, ['a'], 'read');
      first!.end();
      await locks.acquire(second!, ['a'], 'read');
      const outcomes: Promise<number | undefined>[] = [];
      for (const i of committing === 'first' ? [0, 1] : [1, 0])
        outcomes[i] = locks.acquire([first!, second!][i]!, ['a'], 'write').then(...codes);
      expect(await outcomes[1]).toBe(code.aborted);
      expect(await isSettled(outcomes[0]!)).toBe(false);
      locks.release(second!);
      expect(await outcomes[0]).toBe(0);
      locks.release(first!);
    },
  );

  test('of a key that its last holder rewrote is not shared with a transaction that tries again', async () => {
    jest.useFakeTimers();
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

  test.each([
    ['60 s', undefined, 60],
    ['2 s without a connection', 10_000, 12],
  ])('of a transaction whose client is silent is kept for %s', async (_time, closedAfterMs, seconds) => {
    jest.useFakeTimers();
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
  });

  test('holds plain writes back while a transaction has it, and then lets all of them in', async () => {
    const [reader, late] = owners(2);
    const plain = Array.from({ length: 3 }, () => new LockOwner(true));
    await locks.acquire(reader!, ['a'], 'read');
    const writes = plain.map((owner) => locks.acquire(owner, ['a'], 'write'));
    const next = locks.acquire(late!, ['a'], 'read');
    for (const write of each(writes)) expect(await isSettled(write)).toBe(false);
    locks.release(reader!);
    for (const write of each(writes)) expect(await isSettled(write)).toBe(true);
    // A later reader waits for each of them.
    for (const owner of each(plain)) {
      expect(await isSettled(next)).toBe(false);
      locks.release(owner);
    }
    expect(await isSettled(next)).toBe(true);
  });

  test('of a transaction is released with its end', async () => {
    const transactions = new Transactions(locks);
    const transaction = transactions.begin(undefined);
    await locks.acquire(transaction.owner, ['a'], 'read');
    expect(locks.isContended('a')).toBe(true);
    transactions.end(transaction);
    expect(locks.isContended('a')).toBe(false);
    transactions.close();
  });
});

describe('the engine', () => {
  let store: Store;
  let engine: Engine;
  beforeEach(() => {
    store = new Store(aFolder(), undefined, true);
    engine = new Engine(store, false);
  });
  afterEach(async () => {
    engine.close();
    await store.close();
  });

  test('ends the transaction of a read that its client cancels while it waits', async () => {
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
    expect([engine.transactions.find(transaction.id), engine.locks.isContended('dkept')]).toEqual([undefined, false]);
    engine.locks.release(holder!);
  });

  test('refuses a write in a read-only transaction and ends the transaction', async () => {
    const update = { name: `${root}/documents/a/b`, fields: { v: { integerValue: '1' } } };
    const writes = parseWrites([{ update }], root);
    const { id } = engine.transactions.begin({ readOnly: {} });
    expect(await codeOf(engine.commit(writes, id, {}))).toBe(code.invalidArgument);
    expect([engine.transactions.find(id), store.latest().document(writes[0]!.key)]).toEqual([undefined, undefined]);
    // The same writes are accepted in a transaction that may write.
    await engine.commit(writes, engine.transactions.begin(undefined).id, {});
    expect(store.latest().document(writes[0]!.key)).toBeDefined();
  });

  test('puts a thousand writes of one counter into few disk transactions, and each one counts and has a later time', async () => {
    const increment = { fieldPath: 'n', increment: { integerValue: '1' } };
    const counter = { document: `${root}/documents/a/b`, fieldTransforms: [increment] };
    const transactions = jest.spyOn(store, 'transact');
    const writes = () => parseWrites([{ transform: counter }], root);
    const committed = await Promise.all(Array.from({ length: 1000 }, () => engine.commit(writes(), undefined, {})));
    expect(transactions.mock.calls.length).toBeLessThan(10);
    const times = committed.map(({ time }) => time);
    expect(times).toEqual([...new Set(times)].sort((a, b) => (a < b ? -1 : 1)));
    expect(store.latest().document(writes()[0]!.key)?.fields).toEqual({ n: { integerValue: '1000' } });
  });
});
