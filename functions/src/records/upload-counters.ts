import { z } from 'zod';
import { fail } from '../errors';
import type { Plan } from '../policy/plans';
import { exceededGrants, openGrants, type FileTotals, type Grants } from '../policy/upload-caps';
import { anyFields, collection, date, paths } from './collections';
import { read, type Transaction } from './database';
import { sdk } from './sdk';

const fileTotals = { files: z.number().int(), bytes: z.number().int() };

/**
 * A shard of the stored files of a deck id (decision 13). Each upload increments one random shard, and its transaction
 * does not read it, so uploads do not wait for each other. The counts never decrease.
 */
const storedShard = z.object(fileTotals);

const SHARDS = 16;

const storedShardRef = (presentationId: string, shard: number) =>
  collection(paths.uploadCounters(presentationId), storedShard).doc(`stored-${shard}`);
export type StoredShardRef = ReturnType<typeof storedShardRef>;

/**
 * A random shard. An upload reads it together with its target, and increments the same shard: a caller who repeats
 * uploads until the estimate is low also raises this estimate.
 */
export const randomStoredShardRef = (presentationId: string): StoredShardRef =>
  storedShardRef(presentationId, Math.floor(Math.random() * SHARDS));

/**
 * An estimate of the total from one shard: the shard times 16. Uploads select shards at random, so the shards are
 * similar.
 */
export function estimateStored(shard: FileTotals | undefined): FileTotals {
  return { files: (shard?.files ?? 0) * SHARDS, bytes: (shard?.bytes ?? 0) * SHARDS };
}

export const storedShardRefs = (presentationId: string): StoredShardRef[] =>
  Array.from({ length: SHARDS }, (_, shard) => storedShardRef(presentationId, shard));

export function sumOfShards(shards: readonly (FileTotals | undefined)[]): FileTotals {
  const sum = (unit: keyof FileTotals) => shards.reduce((total, shard) => total + (shard?.[unit] ?? 0), 0);
  return { files: sum('files'), bytes: sum('bytes') };
}

/** The exact total of all shards. One round trip of 16 reads. */
export async function readStored(presentationId: string): Promise<FileTotals> {
  return sumOfShards(await read(...storedShardRefs(presentationId)));
}

/** Increments a shard. One write, no read. */
export function countStored(tx: Transaction, ref: StoredShardRef, { files, bytes }: FileTotals): void {
  const more = { files: sdk().FieldValue.increment(files), bytes: sdk().FieldValue.increment(bytes) };
  tx.set(anyFields(ref), more, { merge: true });
}

/** The open grants of a deck or session, in rows of ten minutes by their expiry. */
const grantWindow = z.object({ open: z.array(z.object({ ...fileTotals, until: date })) });
type GrantWindow = z.output<typeof grantWindow>;

export const grantWindowRef = (presentationId: string) =>
  collection(paths.uploadCounters(presentationId), grantWindow).doc('granted');

/**
 * Counts files before their uploads are granted. The transaction has read `window` and takes room for their bytes
 * (decision 19). rate-limited when the open grants would have more files than the plan allows; nothing is counted then.
 */
export function countGrants(
  tx: Transaction,
  presentationId: string,
  window: GrantWindow | undefined,
  plan: Plan,
  wanted: Grants,
  now: Date,
): void {
  const open = openGrants(window?.open ?? [], wanted, now);
  const exceeded = exceededGrants(open, plan, now);
  if (exceeded) {
    const message = 'The open uploads of this deck have reached the limit of the plan.';
    fail('rate-limited', { ...exceeded }, { message });
  }
  tx.set(grantWindowRef(presentationId), { open });
}
