import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { currentContext, runIn } from '../context';
import { BackendTimeout, callMs, withinCall } from '../deadlines';
import { collection, date, paths } from './collections';
import { readIn } from './database';
import { db } from './sdk';
import { Transaction } from './transaction';

/** The proof that a transaction was committed, valid for an hour. The TTL policy deletes it. */
const receipt = z.object({ expiresAt: date });
const RECEIPT_TTL_MS = 3600_000;

/**
 * Runs `body` in a transaction, at most 10 times: `body` must only read and write through `tx`.
 *
 * The acknowledgement of an applied commit may be lost. The SDK then runs `body` again, which would read its own writes
 * as those of another caller. Every commit therefore writes a receipt. A later run that finds the receipt returns the
 * result of the run that wrote it.
 *
 * All runs together have the time of one call. A commit starts in the first half of that time, so a transaction that
 * was given up is not committed later.
 */
export function transact<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
  const receiptRef = collection(paths.transactionReceipts, receipt).doc(randomUUID());
  let earlier: { answer: T } | undefined;
  const { trail, doer } = currentContext() ?? {};
  const context = { trail, doer, endsAt: performance.now() + callMs() };
  const lastCommitAt = performance.now() + callMs() / 2;
  const assertTime = () => {
    if (performance.now() > lastCommitAt) throw new BackendTimeout('Firestore');
  };
  const run = () =>
    db().runTransaction(
      async (of) => {
        assertTime();
        const tx = new Transaction(of);
        if (earlier && (await readIn(tx, receiptRef))[0]) return earlier.answer;
        const answer = await body(tx);
        if (tx.writes > 0) {
          assertTime();
          tx.create(receiptRef, { expiresAt: new Date(Date.now() + RECEIPT_TTL_MS) });
        }
        earlier = { answer };
        return answer;
      },
      { maxAttempts: 10 },
    );
  return withinCall('Firestore', () => runIn(context, run));
}
