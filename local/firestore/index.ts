import { DiskError } from '../data/errors';
import { Engine } from './engine';
import { unusedIndexes } from './index-entries';
import { describeIndex, type IndexFile } from './indexes';
import type { Statistics } from './responses';
import { RpcServer } from './server';
import { Store } from './store';

export type { IndexFile } from './indexes';

/**
 * The number of calls for each RPC (`BatchGetDocuments`, `Commit`, …), and the billed reads and writes. Each returned
 * document is a read, and so is a lookup of a missing document and a query without results. Each write of a commit is a
 * write.
 */
export type FirestoreStats = Statistics;

export interface FirestoreOptions {
  /** The data folder, created when it does not exist. Only one process may use it: `lockFolder`. */
  dataDir: string;
  /** 0 (the default) picks a free port. */
  port?: number;
  /** The parsed firestore.indexes.json. When given, a query without an index fails, as in the cloud. */
  indexes?: IndexFile;
  /**
   * Whether the folder is deleted at the end. Writes are then not flushed: they survive a killed process, not a power
   * failure.
   */
  isTemporary?: boolean;
}

export interface FirestoreServer {
  host: string;
  port: number;
  stats(): FirestoreStats;
  resetStats(): void;
  /**
   * The composite indexes, and the single-field indexes of written fields, that no query has used since the start, such
   * as `decks: owner ASCENDING, createdAt DESCENDING`.
   */
  unusedIndexes(): string[];
  /** Ends all calls, then closes the store. Idempotent. */
  close(): Promise<void>;
}

/** The interval at which history is deleted that is too old to be read. */
const PRUNE_INTERVAL_MS = 30_000;

/**
 * Starts a Firestore on 127.0.0.1. Rejects when the port is in use; the error names the port.
 */
export async function startFirestore(options: FirestoreOptions): Promise<FirestoreServer> {
  const { dataDir, port = 0, indexes, isTemporary = false } = options;
  const store = new Store(dataDir, indexes, isTemporary);
  const engine = new Engine(store, indexes !== undefined);
  const statistics: Statistics = { calls: {}, documentReads: 0, documentWrites: 0 };
  const server = new RpcServer(engine, statistics);
  const pruning = setInterval(() => void pruneWhenPossible(store), PRUNE_INTERVAL_MS).unref();
  let closing: Promise<void> | undefined;

  const shutDown = async (): Promise<void> => {
    clearInterval(pruning);
    await server.close();
    engine.close();
    await store.close();
  };
  try {
    const bound = await server.listenOn(port);
    return {
      host: '127.0.0.1',
      port: bound,
      stats: () => structuredClone(statistics),
      unusedIndexes: () => unusedIndexes(store.indexes).map(describeIndex),
      resetStats: () => Object.assign(statistics, { calls: {}, documentReads: 0, documentWrites: 0 }),
      close: () => (closing ??= shutDown()),
    };
  } catch (error) {
    await shutDown();
    throw error;
  }
}

/** A full disk refuses this deletion, too. The next call deletes the same history. */
async function pruneWhenPossible(store: Store): Promise<void> {
  try {
    await store.pruneHistory();
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
  }
}
