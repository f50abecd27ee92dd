import type { AccountStore } from './store';

type Json = Record<string, unknown>;

export interface OperationContext {
  store: AccountStore;
  project: string;
  /** The address under which the caller reached the server. */
  base: string;
}

/** A call of the API: its answer, or an AccountError. */
export type Operation = (context: OperationContext, request: Json) => Promise<Json> | Json;
