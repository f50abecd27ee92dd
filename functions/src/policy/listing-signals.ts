import { networkOf } from '../values/networks';
import { mac } from '../values/secrets';

const HOUR_MS = 3600_000;

/**
 * What makes one view or remix the same as another: the listing, the client's network and the hour. The id is a keyed hash, so that no address is stored;
 * it is of use until the hour is over.
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
