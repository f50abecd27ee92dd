import { z } from 'zod';
import { collection, paths } from './collections';
import { date } from './fields';

/** The first success answer of a call with an Idempotency-Key, without secrets. Leaves by the TTL policy. */
export const idempotencyRecord = z.object({ bodyHash: z.string(), answer: z.string(), expiresAt: date });

export const idempotencyRef = (id: string) => collection(paths.idempotencyRecords, idempotencyRecord).doc(id);
