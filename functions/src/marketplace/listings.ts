import type { z } from 'zod';
import { config } from '../config';
import { listingView, type listingRow } from '../contract/listings';
import { fail } from '../errors';
import { namedAncestors } from '../policy/listings';
import { read } from '../records/database';
import { findAncestorStates, listListings, type Listing } from '../records/listings';
import { organizationRef } from '../records/organizations';
import { displayNameOf, userRef } from '../records/users';
import type { Version } from '../records/versions';
import { readListingCursor, writeListingCursor, type ListingSort } from '../values/listing-cursor';
import { encodePath } from '../values/paths';

/** Headers of an answer that does not depend on the caller. */
export const publicAnswer = { 'Cache-Control': 'public, max-age=60' };

/**
 * Lists the listings that have a filter token (policy/listings) as rows of an answer. Throws invalid-argument when
 * `cursor` is not a cursor of this list.
 */
export async function pageOfListings(
  token: string,
  sort: ListingSort,
  limit: number,
  cursor: string | undefined,
): Promise<{ rows: z.output<typeof listingRow>[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : readListingCursor(token, sort, cursor);
  if (cursor !== undefined && after === undefined) {
    const message = 'This is not a cursor of this list.';
    fail('invalid-argument', { errors: [{ location: 'query.cursor', message }] });
  }
  const { records, last } = await listListings(token, sort, limit, after);
  return { rows: await rowsOf(records), nextCursor: last ? writeListingCursor(token, sort, last) : null };
}

/**
 * The listings as rows of an answer. Reads the listings from which they were remixed, in one round trip; no round trip
 * when none of them is a remix.
 */
export async function rowsOf(listings: readonly Listing[]): Promise<z.output<typeof listingRow>[]> {
  const states = await findAncestorStates(listings.flatMap(({ lineage }) => lineage[0]?.slug ?? []));
  return listings.map((listing) => {
    const named = namedAncestors(listing.lineage.slice(0, 1), (slug) => states.get(slug));
    return listingView(listing, named);
  });
}

/** The listing as a row of an answer, and the ancestors that the answer may name. One round trip for a remix. */
export async function rowAndLineageOf(listing: Listing) {
  const states = await findAncestorStates(listing.lineage.map(({ slug }) => slug));
  const lineage = namedAncestors(listing.lineage, (slug) => states.get(slug));
  return { row: listingView(listing, lineage), lineage: lineage.map(({ slug, title }) => ({ slug, title })) };
}

/** Reads the names of a listing's owner and organization in one round trip. */
export async function ownerOf({ slug, ownerId, organizationId }: Listing) {
  const [user, organization] = await read(userRef(ownerId), organizationRef(organizationId));
  if (!user || !organization) throw new Error(`The listing ${slug} has no owner or no organization.`);
  return { displayName: displayNameOf(user), organizationName: organization.name };
}

/** The URL of a file of the version that a listing shows. */
export const fileUrl = ({ slug }: Pick<Listing, 'slug'>, path: string) =>
  `${config.baseUrl()}/getMarketplaceListingContent/${slug}/${encodePath(path)}`;

/** The URL of a listing's entry file. The relative links of the deck resolve against it. */
export const contentUrl = (listing: Listing) => fileUrl(listing, listing.pinned.entryPath);

/** The fields of a version that the listing of this version stores. */
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

/** Returns the listing. Throws not-found when no listing ever had the slug. */
export function assertFound(listing: Listing | undefined): Listing {
  return listing ?? fail('not-found', undefined, { message: 'There is no such listing.' });
}

/**
 * Returns the listing. Throws not-found when no listing ever had the slug, and expired when its deck was deleted or an
 * operator took it down.
 */
export function assertShown(found: Listing | undefined): Listing {
  const listing = assertFound(found);
  if (listing.deletedAt || listing.takedown)
    return fail('expired', undefined, { nextAction: 'Look for another listing.' });
  return listing;
}
