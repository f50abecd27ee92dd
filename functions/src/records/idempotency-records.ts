import { z } from 'zod';
import { collection, paths } from './collections';
import { readIn, type Transaction } from './database';
import { date } from './fields';

/** The first success answer of a call with an Idempotency-Key, without secrets, sealed. The TTL policy deletes it. */
const idempotencyRecord = z.object({
  bodyHash: z.string(),
  answer: z.string(),
  /** The call has not ended: `answer` holds its plan. */
  isBegun: z.literal(true).optional(),
  expiresAt: date,
});
type IdempotencyRecord = z.output<typeof idempotencyRecord>;

const idempotencyRef = (id: string) => collection(paths.idempotencyRecords, idempotencyRecord).doc(id);

/** The record with that id, expired or not, if there is one. One read. */
export async function findAnswer(id: string, tx: Transaction | undefined): Promise<IdempotencyRecord | undefined> {
  const [record] = await readIn(tx, idempotencyRef(id));
  return record;
}

/** Writes the plan or the answer of a call, over what an earlier transaction of the call wrote. */
export function keepAnswer(tx: Transaction, id: string, record: IdempotencyRecord): void {
  tx.set(idempotencyRef(id), record);
}
