import { mkdirSync } from 'node:fs';
import { Engine } from './engine';
import { lockFolder } from './folder-lock';
import { describeIndex, type IndexFile } from './indexes';
import type { Statistics } from './methods';
import { RpcServer } from './server';
import { Store } from './store';

export type { IndexFile } from './indexes';

/**
 * Calls by RPC (`BatchGetDocuments`, `Commit`, ...), and documents as they would be billed: each document returned or
 * looked up is a read (a missing one too, and a query without results), each write of a commit is a write.
 */
export type FirestoreStats = Statistics;

export interface FirestoreOptions {
  /** Where the data is kept; created when it is missing. Only one server at a time may use it. */
  dataDir: string;
  /** 0 or absent: any free port. */
  port?: number;
  /** The parsed firestore.indexes.json. When given, queries that it does not serve fail as they do in the cloud. */
  indexes?: IndexFile;
}

export interface FirestoreServer {
  host: string;
  port: number;
  stats(): FirestoreStats;
  resetStats(): void;
  /** The composite indexes that no query has needed since the start, such as `decks: owner ASCENDING, createdAt DESCENDING`. */
  unusedIndexes(): string[];
  /** Ends all calls, then closes the store. May be called again. */
  close(): Promise<void>;
}

/** How often the past that no read may ask for any more is forgotten. */
const PRUNE_INTERVAL_MS = 30_000;

/**
 * Starts a Firestore on 127.0.0.1. Rejects, naming it, when the port is taken, and when another server that is alive
 * uses the data folder.
 */
export async function startFirestore({ dataDir, port = 0, indexes }: FirestoreOptions): Promise<FirestoreServer> {
  mkdirSync(dataDir, { recursive: true });
  const unlock = lockFolder(dataDir);
  const store = new Store(dataDir, indexes);
  const engine = new Engine(store, indexes !== undefined);
  const statistics: Statistics = { calls: {}, documentReads: 0, documentWrites: 0 };
  const server = new RpcServer(engine, statistics);
  const sweep = setInterval(() => store.pruneHistory(), PRUNE_INTERVAL_MS).unref();
  let closing: Promise<void> | undefined;

  const shutDown = async (): Promise<void> => {
    clearInterval(sweep);
    await server.close();
    engine.close();
    await store.close();
    unlock();
  };
  try {
    const bound = await server.listenOn(port);
    return {
      host: '127.0.0.1',
      port: bound,
      stats: () => structuredClone(statistics),
      unusedIndexes: () => store.indexes.unused().map(describeIndex),
      resetStats: () => Object.assign(statistics, { calls: {}, documentReads: 0, documentWrites: 0 }),
      close: () => (closing ??= shutDown()),
    };
  } catch (error) {
    await shutDown();
    throw error;
  }
}
