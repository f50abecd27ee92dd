import { z } from 'zod';
import { BackendTimeout, callMs, withinCall } from '../deadlines';
import { collection, date, paths } from './collections';
import { db, type Transaction } from './database';

/** The proof that a transaction was committed, valid for an hour. The TTL policy deletes it. */
const receipt = z.object({ expiresAt: date });
const RECEIPT_TTL_MS = 3600_000;

/**
 * Runs `body` in a transaction, at most 10 times: `body` must only read and write through `tx`.
 *
 * The acknowledgement of an applied commit may be lost. The SDK then runs `body` again, which would read its own writes
 * as those of another caller. Every commit therefore writes a receipt. A later run that finds the receipt returns the
 * result of the run that wrote it (decision 7).
 *
 * All runs together have the time of one call (decision 18). A commit starts in the first half of that time, and its
 * library repeats it for the other half: a transaction that was given up is not committed later.
 */
export function transact<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
  const receiptRef = collection(paths.transactionReceipts, receipt).doc();
  let earlier: { answer: T } | undefined;
  const lastCommitAt = performance.now() + callMs() / 2;
  const assertTime = () => {
    if (performance.now() > lastCommitAt) throw new BackendTimeout('Firestore');
  };
  const run = () =>
    db().runTransaction(
      async (tx) => {
        assertTime();
        if (earlier && (await tx.get(receiptRef)).exists) return earlier.answer;
        let writes = 0;
        const answer = await body(counting(tx, () => writes++));
        if (writes > 0) assertTime();
        if (writes > 0) tx.create(receiptRef, { expiresAt: new Date(Date.now() + RECEIPT_TTL_MS) });
        earlier = { answer };
        return answer;
      },
      { maxAttempts: 10 },
    );
  return withinCall('Firestore', run);
}

const writeMethods = new Set<string | symbol>(['set', 'create', 'update', 'delete']);

/** The same transaction, with a callback for each write. */
function counting(tx: Transaction, onWrite: () => void): Transaction {
  return new Proxy(tx, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (writeMethods.has(name)) onWrite();
      return (value as (...args: unknown[]) => unknown).bind(target);
    },
  });
}
