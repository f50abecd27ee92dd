import { z } from 'zod';
import { collection, paths } from './collections';
import { db, type Transaction } from './database';
import { date } from './fields';

/** What a transaction leaves behind of itself, for an hour. Leaves by the TTL policy. */
const receipt = z.object({ expiresAt: date });
const RECEIPT_TTL_MS = 3600_000;

/**
 * Runs `body` in a transaction; it may run several times, so it must do nothing but read and write through `tx`.
 *
 * A commit whose acknowledgement is lost may have been applied, and the SDK then runs the body again, which would find its own writes
 * and take them for somebody else's. So every commit writes a receipt, and a later run that finds one answers what the run that wrote it answered.
 */
export function transact<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
  const receiptRef = collection(paths.transactionReceipts, receipt).doc();
  let earlier: { answer: T } | undefined;
  return db().runTransaction(
    async (tx) => {
      if (earlier && (await tx.get(receiptRef)).exists) return earlier.answer;
      let writes = 0;
      const answer = await body(counting(tx, () => writes++));
      if (writes > 0) tx.create(receiptRef, { expiresAt: new Date(Date.now() + RECEIPT_TTL_MS) });
      earlier = { answer };
      return answer;
    },
    { maxAttempts: 10 },
  );
}

const WRITES = new Set<string | symbol>(['set', 'create', 'update', 'delete']);

/** The same transaction, telling of each write. */
function counting(tx: Transaction, onWrite: () => void): Transaction {
  return new Proxy(tx, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (WRITES.has(name)) onWrite();
      return (value as (...args: unknown[]) => unknown).bind(target);
    },
  });
}
