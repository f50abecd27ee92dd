import { config } from '../config';

/** The hosts of the service and of all decks: see `referrerHostOf` of values/visitors. */
export function ownHosts(): string[] {
  const deckOrigin = config.deckOrigin();
  const hosts = [config.baseUrl(), ...config.siteOrigins()].map((address) => new URL(address).hostname);
  return deckOrigin === undefined ? hosts : [...hosts, new URL(deckOrigin.replace('*', 'deck')).hostname.slice(4)];
}
