import { z } from 'zod';
import { collection, paths } from './collections';
import { date } from './fields';

/** The first success answer of a call with an Idempotency-Key, without secrets, sealed. Leaves by the TTL policy. */
export const idempotencyRecord = z.object({
  bodyHash: z.string(),
  answer: z.string(),
  /** The call has not come to its end: in place of an answer stands what it is doing. */
  isBegun: z.literal(true).optional(),
  expiresAt: date,
});

export const idempotencyRef = (id: string) => collection(paths.idempotencyRecords, idempotencyRecord).doc(id);
