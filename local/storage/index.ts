import { join } from 'node:path';
import { serve } from '../http/serve';
import { Blobs } from './blobs';
import type { StorageState, StorageStats } from './call';
import type { StorageOptions } from './options';
import { handle } from './routes';
import { Store } from './store';

export type { StorageStats } from './call';
export type { CorsRule, StorageOptions } from './options';

export interface StorageServer {
  url: string;
  port: number;
  /** Requests by operation (`objects.insert`, `objects.get:media`, …) since the start or the last `resetStats`. */
  stats(): StorageStats;
  resetStats(): void;
  /** Closes open connections, flushes and stops. Idempotent. */
  close(): Promise<void>;
}

/**
 * Serves the JSON API of Cloud Storage as the client libraries use it, and signed URLs. Acknowledged writes are on
 * disk. An interrupted upload makes no object; its bytes are deleted at the next start at the latest.
 */
export async function startStorage(options: StorageOptions): Promise<StorageServer> {
  const folder = join(options.dataDir, 'storage');
  const { isTemporary = false } = options;
  const blobs = await Blobs.open(join(folder, 'blobs'), isTemporary);
  const store = new Store(join(folder, 'metadata'), isTemporary);
  const state: StorageState = {
    store,
    blobs,
    buckets: new Set(options.buckets),
    aliases: new Map(Object.entries(options.aliases ?? {})),
    signingKey: options.signingKey,
    cors: options.cors ?? [],
    stats: noCalls(),
  };
  try {
    await blobs.sweep(await store.filesInUse());
    const listening = await serve('Cloud Storage', options.port ?? 0, (req, res) => {
      const url = req.url ?? '/';
      const at = url.indexOf('?');
      return handle({
        state,
        req,
        res,
        method: req.method ?? 'GET',
        path: at === -1 ? url : url.slice(0, at),
        query: new URLSearchParams(at === -1 ? '' : url.slice(at + 1)),
        // HTTP/1.0 allows a request without a host.
        base: `http://${req.headers.host || `127.0.0.1:${req.socket.localPort}`}`,
      });
    });
    let closing: Promise<void> | undefined;
    return {
      url: listening.url,
      port: listening.port,
      stats: () => structuredClone(state.stats),
      resetStats: () => (state.stats = noCalls()),
      close: () => (closing ??= listening.close().then(() => store.close())),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function noCalls(): StorageStats {
  return { calls: {}, bytesIn: 0, bytesOut: 0 };
}
