import { networkOf } from '../values/networks';
import { mac } from '../values/secrets';

const HOUR_MS = 3600_000;

/**
 * The id under which a view or remix counts once for each listing, client network and clock hour. The id is a keyed
 * hash, so the database stores no address. It expires at the end of the hour.
 */
export function signalOf(
  secret: string,
  signal: { slug: string; counter: string; clientAddress: string },
  now: Date,
): { id: string; expiresAt: Date } {
  const hour = Math.floor(now.getTime() / HOUR_MS);
  const { slug, counter, clientAddress } = signal;
  const id = mac(secret, 'listing-signal', slug, counter, networkOf(clientAddress), String(hour));
  return { id, expiresAt: new Date((hour + 1) * HOUR_MS) };
}
