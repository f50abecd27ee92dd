import type { z } from 'zod';
import { config } from '../config';
import { listingView, type listingRow } from '../contract/listings';
import { fail } from '../errors';
import { read } from '../records/database';
import { listListings, type Listing } from '../records/listings';
import { organizationRef } from '../records/organizations';
import { displayNameOf, userRef } from '../records/users';
import type { Version } from '../records/versions';
import { readListingCursor, writeListingCursor, type ListingSort } from '../values/listing-cursor';
import { encodePath } from '../values/paths';

/** Headers of answers that are the same for everybody. */
export const PUBLIC_ANSWER = { 'Cache-Control': 'public, max-age=60' };

/** A page of the listings that carry a token, as it is answered. A cursor of another list, or none of ours, is invalid-argument. */
export async function pageOfListings(
  token: string,
  sort: ListingSort,
  limit: number,
  cursor: string | undefined,
): Promise<{ rows: z.output<typeof listingRow>[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : readListingCursor(token, sort, cursor);
  if (cursor !== undefined && after === undefined) {
    const message = 'This cursor belongs to another list, or is none of ours.';
    fail('invalid-argument', { errors: [{ location: 'query.cursor', message }] });
  }
  const { records, last } = await listListings(token, sort, limit, after);
  return { rows: records.map(listingView), nextCursor: last ? writeListingCursor(token, sort, last) : null };
}

/** Whose listing it is. */
export async function ownerOf({ slug, ownerId, organizationId }: Listing) {
  const [user, organization] = await read(userRef(ownerId), organizationRef(organizationId));
  if (!user || !organization) throw new Error(`The listing ${slug} has no owner or no organization.`);
  return { displayName: displayNameOf(user), organizationName: organization.name };
}

/** Opens the deck of a listing; its other files lie relative to it. */
export const contentUrl = ({ slug, pinned }: Listing) =>
  `${config.baseUrl()}/getMarketplaceListingContent/${slug}/${encodePath(pinned.entryPath)}`;

/** What a listing keeps of the version that it shows. */
export function pinOfListing({
  version,
  manifestId,
  shardCount,
  entryPath,
  fileCount,
  totalBytes,
}: Version): Listing['pinned'] {
  return { version, manifestId, shardCount, entryPath, fileCount, totalBytes };
}

/** The listing, if there ever was one: 404 otherwise. */
export function assertFound(listing: Listing | undefined): Listing {
  return listing ?? fail('not-found', undefined, { message: 'There is no such listing.' });
}

/** The listing, if it is there and may be shown: 404 when there never was one, 410 when its deck is gone or an operator took it down. */
export function assertShown(found: Listing | undefined): Listing {
  const listing = assertFound(found);
  if (listing.deletedAt || listing.takedown)
    return fail('expired', undefined, { nextAction: 'Look for another listing.' });
  return listing;
}
