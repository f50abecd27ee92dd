import { z } from 'zod';
import { newId } from '../values/ids';
import { collection, date, paths } from './collections';
import type { Transaction } from './database';

/** An action of the operator's command. Never updated or deleted. */
export const operatorAction = z.object({
  actionId: z.string(),
  action: z.string(),
  /** The id of the key, organization, deck or listing that the action changed. */
  target: z.string(),
  operator: z.string(),
  reason: z.string().nullable(),
  at: date,
});
export type OperatorAction = z.output<typeof operatorAction>;

/** Records an action in the transaction that performs it: neither exists without the other. */
export function recordAction(tx: Transaction, action: Omit<OperatorAction, 'actionId'>): void {
  const actionId = newId();
  tx.create(collection(paths.operatorActions, operatorAction).doc(actionId), { actionId, ...action });
}
