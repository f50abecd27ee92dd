import { readIn, refIf, type Transaction } from '../functions/src/records/database';
import { closeReports, deleteReports, readReports } from '../functions/src/records/listing-reports';
import { listingRef, updateListing, type Listing } from '../functions/src/records/listings';
import { setTakedown, type Presentation } from '../functions/src/records/presentations';

/**
 * Stores the take-down of a deck, or its end, and of its listing, unless the listing was taken down separately. Returns
 * the listing.
 */
export async function setDeckTakedown(
  tx: Transaction,
  { presentationId, listingSlug }: Presentation,
  state: Presentation['takedown'],
): Promise<Listing | undefined> {
  const [listing] = await readIn(tx, refIf(listingRef, listingSlug));
  if (listing && (!listing.takedown || listing.takedown.withDeck)) {
    await setListingTakedown(tx, listing, state ? { at: state.at, reason: state.reason, withDeck: true } : null);
  }
  setTakedown(tx, presentationId, state);
  return listing;
}

/** A take-down closes the listing's reports and keeps them. Putting the listing back deletes them. */
export async function setListingTakedown(
  tx: Transaction,
  listing: Listing,
  takedown: Listing['takedown'],
): Promise<void> {
  if (!takedown && !listing.takedown) return;
  const reports = await readReports(tx, listing.slug);
  updateListing(tx, listing, { takedown });
  if (takedown) closeReports(tx, reports);
  else deleteReports(tx, reports);
}
