import { serve } from '../http/serve';
import type { Host } from './index';

/** Browsers resolve it, and every name below it, to this machine. It is one site with the origins of decks. */
export const DECKS_HOST = 'decks.localhost';

/** The origins of decks. `origin` has `*` as its first label. `close` closes open connections and is idempotent. */
export interface DeckOrigins {
  origin: string;
  close(): Promise<void>;
}

/**
 * Serves `deckSite` under every label on a port of its own. Like the load balancer of the cloud, it passes on the
 * `Host` and the whole path of a request; `deckSite` refuses a foreign host.
 */
export async function startDeckOrigins(host: Host, port: number): Promise<DeckOrigins> {
  const server = await serve('decks', port, host.handlerOf('deckSite'), () => true);
  return { origin: `http://*.${DECKS_HOST}:${server.port}`, close: () => server.close() };
}
