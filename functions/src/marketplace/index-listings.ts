import { entryOf, type SearchEntry } from '../policy/search-entries';
import { read, readIn, type Transaction } from '../records/database';
import {
  isListed,
  leavePart,
  listingRef,
  pagesOfUnindexed,
  setIndexed,
  type Listing,
  type PlacedListing,
} from '../records/listings';
import { organizationRef } from '../records/organizations';
import { PART_SIZE, readPart, readPartVersions, storePart } from '../records/search-parts';
import { transact } from '../records/transact';
import { userRef } from '../records/users';
import { displayNameOf } from '../values/display-name';

/** Changed listings of one search part, or new ones. The job names it by `id` in its log. */
interface ChangedListings {
  id: string;
  part: number | undefined;
  listings: readonly PlacedListing[];
}

/** The listings of one transaction, at most. */
const AT_ONCE = 100;

/** All listings whose last change is not in their search part yet. */
export async function* changedListings(): AsyncGenerator<ChangedListings> {
  for await (const page of pagesOfUnindexed()) {
    for (const part of new Set(page.map(({ searchPart }) => searchPart))) {
      const all = page.filter(({ searchPart }) => searchPart === part);
      for (let start = 0; start < all.length; start += AT_ONCE) {
        yield { id: String(part ?? 'new'), part, listings: all.slice(start, start + AT_ONCE) };
      }
    }
  }
}

/**
 * Brings the search part of listings up to date, in one transaction. A listing that changes at the same time is left to
 * the next run.
 */
export async function indexListings({ part, listings }: ChangedListings): Promise<void> {
  const namesOf = await readNames(listings);
  await transact(async (tx) => {
    const found = await readIn(tx, ...listings.map(({ slug }) => listingRef(slug)));
    const changed = found.filter((each): each is Listing => Boolean(each?.unindexed) && each?.searchPart === part);
    if (changed.length === 0) return;
    const versions = await readPartVersions(tx);
    const entries = changed.filter(isListed).map((listing) => entryOf(listing, namesOf(listing)));
    if (part === undefined) return note(tx, changed, await addToLast(tx, versions, entries));
    const slugs = new Set(changed.map(({ slug }) => slug));
    const others = (await readPart(tx, part)).filter(({ slug }) => !slugs.has(slug));
    if (storePart(tx, versions, part, [...others, ...entries])) return note(tx, changed, part);
    // The part is full of long texts: the next run adds these listings to the last part.
    storePart(tx, versions, part, others);
    for (const { slug } of changed) leavePart(tx, slug);
  });
}

/** Adds entries of new listings to the last part, or to a new one. Returns its number. */
async function addToLast(tx: Transaction, versions: readonly string[], entries: readonly SearchEntry[]) {
  if (entries.length === 0) return undefined;
  const last = Math.max(0, versions.length - 1);
  const known = await readPart(tx, last);
  const fits = known.length + entries.length <= PART_SIZE;
  if (fits && storePart(tx, versions, last, [...known, ...entries])) return last;
  storePart(tx, versions, last + 1, entries);
  return last + 1;
}

function note(tx: Transaction, changed: readonly Listing[], part: number | undefined): void {
  for (const listing of changed) setIndexed(tx, listing.slug, isListed(listing) ? part : undefined);
}

/** The names by which the search finds the listings of each owner. One read of each name, in two round trips. */
async function readNames(listings: readonly PlacedListing[]) {
  const distinct = <T>(values: readonly T[]) => [...new Set(values)];
  const users = await read(...distinct(listings.map(({ ownerId }) => ownerId)).map(userRef));
  const organizations = await read(
    ...distinct(listings.map(({ organizationId }) => organizationId)).map(organizationRef),
  );
  const ofUsers = new Map(users.map((user) => [user?.userId, user && displayNameOf(user)]));
  const ofOrganizations = new Map(organizations.map((each) => [each?.organizationId, each?.name]));
  return ({ ownerId, organizationId }: PlacedListing) =>
    [ofUsers.get(ownerId), ofOrganizations.get(organizationId)].filter((name) => name !== undefined);
}
