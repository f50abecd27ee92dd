import { isSlugFree } from '../policy/listings';
import type { Transaction } from '../records/database';
import { deleteStar, hasShards } from '../records/listing-counters';
import { deleteReports, readReports, type Reports } from '../records/listing-reports';
import { isSource, type Listing } from '../records/listings';
import { isRemixed } from '../records/presentations';

/** A slug that a new listing may have. */
export interface ClaimedSlug {
  slug: string;
  generation: number;
  /** The deleted listing that has the slug until now, with the records that the new listing must not inherit. */
  former?: { listing: Listing; reports: Reports };
}

/**
 * Returns the first slug that no listing has, or whose listing gave it free. `found` are the listings of
 * the slugs, read in the transaction. No read for a slug without a listing; up to five reads for a deleted listing.
 */
export async function claimSlug(
  tx: Transaction,
  slugs: readonly string[],
  found: readonly (Listing | undefined)[],
  now: Date,
): Promise<ClaimedSlug | undefined> {
  for (const [i, slug] of slugs.entries()) {
    const listing = found[i];
    if (!listing) return { slug, generation: 1 };
    if (!isSlugFree(listing, now) || (await isStillNeeded(tx, listing))) continue;
    return { slug, generation: listing.generation + 1, former: { listing, reports: await readReports(tx, slug) } };
  }
  return undefined;
}

/**
 * Whether the slug of a listing that others have not used stays reserved all the same. The counter shards of the
 * listing may not be folded yet. The listing of a remix also keeps its slug while a deck or a listing was remixed from
 * it: a takedown of its source finds these remixes by its document.
 */
async function isStillNeeded(tx: Transaction, { slug, source }: Listing): Promise<boolean> {
  if (await hasShards(tx, slug)) return true;
  return Boolean(source) && ((await isRemixed(tx, slug)) || (await isSource(tx, slug)));
}

/** Deletes what belongs to the former listing of a claimed slug: its reports, and the star of its owner. */
export function clearFormer(tx: Transaction, { slug, former }: ClaimedSlug): void {
  if (!former) return;
  deleteReports(tx, former.reports);
  deleteStar(tx, slug, former.listing.ownerId);
}
