import { z } from 'zod';
import { fail } from '../errors';
import type { Plan } from '../policy/plans';
import { exceededGrants, openGrants, type FileTotals, type Grants } from '../policy/upload-caps';
import { anyFields, collection, date, paths } from './collections';
import { read, type Transaction } from './database';
import { sdk } from './sdk';

const fileTotals = { files: z.number().int(), bytes: z.number().int() };

/** The stored files of a deck id, all versions and unused files included. The counts never decrease. */
const storedFiles = z.object(fileTotals);

/** The count, which the first upload creates; see `storedOf`. */
export const storedFilesRef = (presentationId: string) =>
  collection(paths.uploadCounters(presentationId), storedFiles).doc('stored');

export const storedOf = (found: FileTotals | undefined): FileTotals => found ?? { files: 0, bytes: 0 };

/** The stored files of a deck id. One read. */
export async function readStored(presentationId: string): Promise<FileTotals> {
  const [found] = await read(storedFilesRef(presentationId));
  return storedOf(found);
}

/** Counts files. One write and no read, so transactions that record files do not wait for each other's count. */
export function countStored(tx: Transaction, presentationId: string, { files, bytes }: FileTotals): void {
  const more = { files: sdk().FieldValue.increment(files), bytes: sdk().FieldValue.increment(bytes) };
  tx.set(anyFields(storedFilesRef(presentationId)), more, { merge: true });
}

/** The open grants of a deck or session, by the time at which they end. */
const grantWindow = z.object({ open: z.array(z.object({ ...fileTotals, until: date })) });
type GrantWindow = z.output<typeof grantWindow>;

export const grantWindowRef = (presentationId: string) =>
  collection(paths.uploadCounters(presentationId), grantWindow).doc('granted');

/**
 * Counts files before their uploads are granted. The transaction has read `window` and takes room for their bytes.
 * rate-limited when the open grants would have more files than the plan allows; nothing is counted then.
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
