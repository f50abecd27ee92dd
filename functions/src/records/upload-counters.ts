import { FieldValue } from 'firebase-admin/firestore';
import { z } from 'zod';
import { fail } from '../errors';
import type { Plan } from '../policy/plans';
import { exceededGrants, openGrants, type FileTotals } from '../policy/upload-caps';
import { collection, paths } from './collections';
import { read, readIn, type Transaction } from './database';
import { date } from './fields';
import { transact } from './transact';

const amount = { files: z.number().int(), bytes: z.number().int() };

/**
 * A part of what was ever stored under a deck's id: files that are there once and stay. Every upload adds to one of the parts, blindly, so
 * that uploads neither wait for each other nor for one document.
 */
const storedPart = z.object(amount);

const PARTS = 16;

const storedPartRef = (presentationId: string, part: number) =>
  collection(paths.uploadCounters(presentationId), storedPart).doc(`stored-${part}`);
export type StoredShardRef = ReturnType<typeof storedPartRef>;

/** One part of the count, any: an upload reads it together with its target and adds to the same one. */
export const randomStoredShardRef = (presentationId: string): StoredShardRef =>
  storedPartRef(presentationId, Math.floor(Math.random() * PARTS));

/** What the whole count is about, judged by one part of it: the parts are alike, since each upload takes any. */
export function estimateStored(part: FileTotals | undefined): FileTotals {
  return { files: (part?.files ?? 0) * PARTS, bytes: (part?.bytes ?? 0) * PARTS };
}

/** The whole count. One round trip. */
export async function readStored(presentationId: string): Promise<FileTotals> {
  const parts = await read(...Array.from({ length: PARTS }, (_, part) => storedPartRef(presentationId, part)));
  const sum = (unit: keyof FileTotals) => parts.reduce((total, part) => total + (part?.[unit] ?? 0), 0);
  return { files: sum('files'), bytes: sum('bytes') };
}

/** Adds to a part of the count. A write without a read. */
export function countStored(tx: Transaction, ref: StoredShardRef, { files, bytes }: FileTotals): void {
  const more = { files: FieldValue.increment(files), bytes: FieldValue.increment(bytes) };
  tx.set(ref.withConverter(null), more, { merge: true });
}

/** The grants of a deck or session that may still be used, by the time at which they end. */
const grantWindow = z.object({ open: z.array(z.object({ ...amount, until: date })) });

const grantWindowRef = (presentationId: string) =>
  collection(paths.uploadCounters(presentationId), grantWindow).doc('granted');

/** Counts files that are about to be granted; rate-limited when with those that are open they are more than the plan allows at one time. */
export function countGrants(
  presentationId: string,
  plan: Plan,
  wanted: FileTotals & { until: Date },
  now: Date,
): Promise<void> {
  return transact(async (tx) => {
    const [window] = await readIn(tx, grantWindowRef(presentationId));
    const open = openGrants(window?.open ?? [], wanted, now);
    const exceeded = exceededGrants(open, plan, now);
    if (exceeded) {
      fail('rate-limited', { ...exceeded }, { message: 'Too many addresses for uploads of this deck are open.' });
    }
    tx.set(grantWindowRef(presentationId), { open });
  });
}
