import { serviceSecrets } from '../config';
import { signalOf } from '../policy/listing-signals';
import { read } from '../records/database';
import { countSignal, noteUncountedUse, readListing, signalRef } from '../records/listing-counters';
import { listingRef, type Listing } from '../records/listings';
import { assertShown } from './shown-listing';

interface Signal {
  slug: string;
  counter: 'viewCount' | 'remixCount';
  clientAddress: string;
  /** The user of the key or session that the request carries. */
  userId: string | null | undefined;
}

/**
 * Counts a view or a remix, once for each listing, client network and hour. Notes a use by others, also when an earlier
 * signal of the owner's network counted: such a listing keeps its slug. Only a key or session of the
 * owner tells the owner's uses from those of others. Returns the listing with its totals. Throws not-found and expired.
 */
export async function recordSignal(signal: Signal, now: Date): Promise<Listing> {
  const { slug, counter, userId } = signal;
  const marker = signalOf(serviceSecrets.current(), signal, now);
  const [found, counted] = await read(listingRef(slug), signalRef(marker.id));
  const { ownerId, usedByOthers } = assertShown(found);
  const isByOthers = userId !== ownerId;
  const isCounted = !counted && (await countSignal({ slug, counter, isByOthers }, marker));
  if (!isCounted && isByOthers && !usedByOthers) await noteUncountedUse(slug);
  return assertShown(await readListing(slug));
}
