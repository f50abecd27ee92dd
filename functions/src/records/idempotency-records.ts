import { z } from 'zod';
import { collection, date, paths } from './collections';
import { readIn, type Transaction } from './database';

/**
 * The answer of the first successful call with an Idempotency-Key, sealed and without secrets. The TTL policy deletes
 * expired records.
 */
const idempotencyRecord = z.object({
  bodyHash: z.string(),
  answer: z.string(),
  /** The call has not ended; `answer` holds its plan. */
  isBegun: z.literal(true).optional(),
  expiresAt: date,
});
type IdempotencyRecord = z.output<typeof idempotencyRecord>;

const idempotencyRef = (id: string) => collection(paths.idempotencyRecords, idempotencyRecord).doc(id);

/** The record with this id, expired or not, or undefined. One read. */
export async function findAnswer(id: string, tx: Transaction | undefined): Promise<IdempotencyRecord | undefined> {
  const [record] = await readIn(tx, idempotencyRef(id));
  return record;
}

/** Writes the plan or the answer of a call. Replaces the plan that an earlier transaction of the call wrote. */
export function keepAnswer(tx: Transaction, id: string, record: IdempotencyRecord): void {
  tx.set(idempotencyRef(id), record);
}
