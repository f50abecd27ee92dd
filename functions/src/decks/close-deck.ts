import { objectPaths } from '../blobs/bucket';
import { deleteObjects } from '../blobs/removal';
import { readIn, refIf, type Transaction } from '../records/database';
import { beginDeletion, deleteRecords, type DeletedRecords } from '../records/deletions';
import { listingRef, updateListing } from '../records/listings';
import { giveBack } from '../records/organization-usage';
import type { Presentation } from '../records/presentations';

/**
 * Deletes the document of the deck, so that every later call answers 404, makes its listing unlisted, and records the
 * deletion. `deletedBy` is the id of the user or key. Reads before it writes.
 */
export async function closeDeck(tx: Transaction, deck: Presentation, deletedBy: string, now: Date): Promise<void> {
  const [listing] = await readIn(tx, refIf(listingRef, deck.listingSlug));
  beginDeletion(tx, deck, deletedBy, now);
  giveBack(tx, deck.organizationId, { decks: 1, storedBytes: deck.storedBytes });
  if (listing) updateListing(tx, listing, { status: 'unlisted', deletedAt: now, updatedAt: now });
}

/** Deletes what a closed deck has, as far as it was written. `finishDeletions` repeats it. */
export async function emptyDeck(presentationId: string): Promise<DeletedRecords> {
  const prefixes = objectPaths.ofDeck(presentationId);
  const [records] = await Promise.all([deleteRecords(presentationId), ...prefixes.map((each) => deleteObjects(each))]);
  return records;
}
