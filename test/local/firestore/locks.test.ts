import { Engine } from '../../../local/firestore/engine';
import { LockOwner, Locks } from '../../../local/firestore/locks';
import { Store } from '../../../local/firestore/store';
import { Transactions } from '../../../local/firestore/transactions';
import { parseWrites } from '../../../local/firestore/writes';
import { code, codeOf, PROJECT, temporaryFolder } from './fixture';

const folder = temporaryFolder();
/** Whether a promise is settled once everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await new Promise(setImmediate);
  return settled;
}

describe('a lock', () => {
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
