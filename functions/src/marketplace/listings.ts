import type { z } from 'zod';
import { fileUrlOf, listingView, type ListingOwner, type listingRow } from '../contract/listings';
import { fail } from '../errors';
import { namedAncestors } from '../policy/listings';
import { pointerOf } from '../policy/manifest';
import { countChanges } from '../policy/manifest-diff';
import { read } from '../records/database';
import { findAncestorStates, listListings, type Listing } from '../records/listings';
import { listFiles } from '../records/manifests';
import { organizationRef } from '../records/organizations';
import type { Presentation } from '../records/presentations';
import { userRef } from '../records/users';
import { displayNameOf } from '../values/display-name';
import type { Version } from '../records/versions';
import { readListingCursor, writeListingCursor, type ListingSort, type SearchSort } from '../values/listing-cursor';
import { failGone } from './shown-listing';

/** Headers of an answer that does not depend on the caller. */
export const publicAnswer = { 'Cache-Control': 'public, max-age=60' };

type Row = z.output<typeof listingRow>;

/** Listings of a list, and the cursor of its next page. */
export interface FoundListings {
  listings: Listing[];
  nextCursor: string | null;
}

/** Lists the listings that have a token (policy/listings). Throws as `readCursor` does. */
export async function findListings(
  token: string,
  sort: ListingSort,
  limit: number,
  cursor: string | undefined,
): Promise<FoundListings> {
  const { records, last } = await listListings(token, sort, limit, readCursor(token, sort, cursor));
  return { listings: records, nextCursor: last ? writeListingCursor(token, sort, last) : null };
}

/** Lists like `findListings`, as rows of an answer. */
export const pageOfListings = async (...list: Parameters<typeof findListings>) => withRows(await findListings(...list));

/** A found page with rows of an answer. */
export async function withRows({ listings, nextCursor }: FoundListings) {
  return { rows: await rowsOf(listings), nextCursor };
}

/**
 * The position after which a page begins; undefined for the first page. Throws invalid-argument when `cursor` is not a
 * cursor of the list with this name.
 */
export function readCursor(name: string, sort: SearchSort, cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const errors = [{ location: 'query.cursor', message: 'This is not a cursor of this list.' }];
  return readListingCursor(name, sort, cursor) ?? fail('invalid-argument', { errors });
}

/**
 * The listings as rows of an answer. Reads their authors and the listings from which they were remixed, in one round
 * trip.
 */
export async function rowsOf(listings: readonly Listing[]): Promise<Row[]> {
  const [states, owners] = await Promise.all([
    findAncestorStates(listings.flatMap(({ lineage }) => lineage[0]?.slug ?? [])),
    ownersOf(listings),
  ]);
  return listings.map((listing) => {
    const named = namedAncestors(listing.lineage.slice(0, 1), (slug) => states.get(slug));
    return listingView(listing, named, owners.get(listing.ownerId));
  });
}

/** The listing as a row of an answer, and the ancestors that the answer may name. One round trip. */
export async function rowAndLineageOf(listing: Listing) {
  const [states, owners] = await Promise.all([
    findAncestorStates(listing.lineage.map(({ slug }) => slug)),
    ownersOf([listing]),
  ]);
  const lineage = namedAncestors(listing.lineage, (slug) => states.get(slug));
  return {
    row: listingView(listing, lineage, owners.get(listing.ownerId)),
    lineage: lineage.map(({ slug, title }) => ({ slug, title })),
  };
}

/** The owners by their ids, without missing accounts. */
async function ownersOf(listings: readonly Listing[]): Promise<Map<string, ListingOwner>> {
  const ids = [...new Set(listings.map(({ ownerId }) => ownerId))];
  const users = await read(...ids.map(userRef));
  return new Map(
    users.flatMap((user) =>
      user ? [[user.userId, { displayName: displayNameOf(user), colour: user.brandColour }] as const] : [],
    ),
  );
}

/**
 * Reads the names of a listing's owner and organization in one round trip. Throws expired when their deletion has
 * begun: a job closes their decks one after the other.
 */
export async function ownerOf({ ownerId, organizationId }: Listing) {
  const [user, organization] = await read(userRef(ownerId), organizationRef(organizationId));
  if (!user || !organization) return failGone();
  return { displayName: displayNameOf(user), organizationName: organization.name };
}

/** The URL of a listing's entry file. The relative links of the deck resolve against it. */
export const contentUrl = ({ slug, pinned }: Listing) => fileUrlOf(slug, pinned.entryPath);

/**
 * The fields of the listing that shows a version of a deck. For a remix they count what the version has changed since
 * the base, which is what the remix took of its source: one round trip.
 */
export async function pinOfListing(
  { presentationId, remixedFrom }: Presentation,
  { picture, ...version }: Version,
): Promise<Pick<Listing, 'pinned' | 'picture' | 'changes'>> {
  const { fileCount, totalBytes } = version;
  const pinned = { ...pointerOf(version), fileCount, totalBytes };
  if (!remixedFrom) return { pinned, picture, changes: null };
  const [base, files] = await Promise.all([
    listFiles(presentationId, remixedFrom.base),
    listFiles(presentationId, pinned),
  ]);
  const { added, changed, removed } = countChanges(base, files);
  return { pinned, picture, changes: { added, changed, removed } };
}
