import { startHost } from './host';
import { DECKS_HOST, startDeckOrigins } from './host/deck-origins';
import { startHosting, type HostingConfig } from './hosting';
import { DEFAULT_BASE_URL, DEFAULT_HOSTING_URL, listening, type Ports } from './ports';
import { projectRoot } from './project';
import type { StartedParts } from './started-parts';

export interface SitesOptions {
  functions: Record<string, unknown>;
  /** See `HostOptions`. */
  taskSecret: Buffer;
  project: string;
  hostingConfig: HostingConfig;
  hasDeckOrigin: boolean;
  ports: Ports;
  /** Receives each server as soon as it has started. */
  started: StartedParts;
}

/** What browsers and clients open. */
export interface Sites {
  baseUrl: string;
  hostingUrl: string;
  marketplaceUrl: string;
  deckOrigin: string | null;
}

/** Starts the servers of the functions, of Hosting and of deck origins. Rejects when a port is in use. */
export async function startSites(options: SitesOptions): Promise<Sites> {
  const { functions, taskSecret, project, hostingConfig: config, hasDeckOrigin, ports, started } = options;
  const host = started.add(
    await listening('functions', ports, (port) => startHost({ functions, taskSecret, project, port })),
  );
  const { baseUrl } = host;
  const hostName = hasDeckOrigin ? DECKS_HOST : undefined;
  // The site is built with the addresses of the default ports. With other ports its texts get those of this start.
  const replaced = new Map<string, string>();
  const hosting = started.add(
    await listening('hosting', ports, (port) =>
      startHosting({ config, root: projectRoot, functionsBaseUrl: baseUrl, hostName, port, replaced: () => replaced }),
    ),
  );
  const hostingUrl = hosting.url;
  if (baseUrl !== DEFAULT_BASE_URL) replaced.set(DEFAULT_BASE_URL, baseUrl);
  if (hostingUrl !== DEFAULT_HOSTING_URL) replaced.set(DEFAULT_HOSTING_URL, hostingUrl);
  if (!hasDeckOrigin) return { baseUrl, hostingUrl, marketplaceUrl: hostingUrl, deckOrigin: null };
  const decks = started.add(await listening('decks', ports, (port) => startDeckOrigins(host, port)));
  return { baseUrl, hostingUrl, marketplaceUrl: `http://${DECKS_HOST}:${hosting.port}`, deckOrigin: decks.origin };
}
