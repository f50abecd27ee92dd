import { serviceSecrets } from '../config';
import { signalOf } from '../policy/listing-signals';
import { read } from '../records/database';
import { countSignal, readListing, signalRef } from '../records/listing-counters';
import { listingRef, type Listing } from '../records/listings';
import { assertShown } from './listings';

interface Signal {
  slug: string;
  counter: 'viewCount' | 'remixCount';
  clientAddress: string;
}

/**
 * Counts a view or a remix, once for each listing, client network and hour. Returns the listing with its totals. Throws
 * not-found and expired.
 */
export async function recordSignal(signal: Signal, now: Date): Promise<Listing> {
  const { slug, counter } = signal;
  const { id, expiresAt } = signalOf(serviceSecrets.current(), signal, now);
  const [listing, counted] = await read(listingRef(slug), signalRef(id));
  assertShown(listing);
  if (!counted) await countSignal(slug, counter, id, expiresAt);
  return assertShown(await readListing(slug));
}
