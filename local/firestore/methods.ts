import type { Call } from './connections';
import type { Engine } from './engine';
import { parseDatabase } from './names';
import { ReadMethods, type Respond } from './read-methods';
import type { Statistics } from './responses';
import type { TransactionOptions } from './wire';
import { WriteMethods } from './write-methods';

export interface Methods {
  unary: Record<string, (request: never, call: Call) => Promise<object>>;
  streaming: Record<string, (request: never, call: Call, respond: Respond) => Promise<void>>;
}

/** The methods of `google.firestore.v1.Firestore`, without Listen. */
export function makeMethods(engine: Engine, statistics: Statistics): Methods {
  const reads = new ReadMethods(engine, statistics);
  const writes = new WriteMethods(engine, statistics);
  return {
    unary: {
      getDocument: reads.getDocument,
      listDocuments: reads.listDocuments,
      listCollectionIds: reads.listCollectionIds,
      beginTransaction: async (request: { database?: string; options?: TransactionOptions }) => {
        parseDatabase(request.database);
        return { transaction: engine.transactions.begin(request.options ?? { readWrite: {} }).id };
      },
      rollback: async ({ transaction }: { transaction?: Buffer }) => {
        engine.transactions.endById(transaction);
        return {};
      },
      commit: writes.commit,
      batchWrite: writes.batchWrite,
      createDocument: writes.createDocument,
      updateDocument: writes.updateDocument,
      deleteDocument: writes.deleteDocument,
    },
    streaming: {
      batchGetDocuments: reads.batchGetDocuments,
      runQuery: reads.runQuery,
      runAggregationQuery: reads.runAggregationQuery,
    },
  };
}
