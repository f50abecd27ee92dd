import { z } from 'zod';
import { newId } from '../values/ids';
import { collection, paths } from './collections';
import type { Transaction } from './database';
import { date } from './fields';

/** What an operator did from the command line, past every endpoint. Never updated or deleted. */
export const operatorAction = z.object({
  actionId: z.string(),
  action: z.string(),
  /** The id of the key, organization or deck that it was done to. */
  target: z.string(),
  operator: z.string(),
  reason: z.string().nullable(),
  at: date,
});
export type OperatorAction = z.output<typeof operatorAction>;

/** Appends to the record, in the transaction of what is recorded: neither is there without the other. */
export function recordAction(tx: Transaction, action: Omit<OperatorAction, 'actionId'>): void {
  const actionId = newId();
  tx.create(collection(paths.operatorActions, operatorAction).doc(actionId), { actionId, ...action });
}
