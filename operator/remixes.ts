import { descendantToken, isSameListing, type ListingId } from '../functions/src/policy/listings';
import { read, refIf } from '../functions/src/records/database';
import { listingRef, listingsRemixedFrom, listListings, type Listing } from '../functions/src/records/listings';
import { decksRemixedFrom, type Presentation } from '../functions/src/records/presentations';
import { sortKeys } from '../functions/src/values/listing-cursor';

/** A deck that was remixed from a listing, directly or through other listings. */
export interface Remix {
  deck: Presentation;
  /** The listing of the deck. */
  listing: Listing | undefined;
}

/**
 * Visits all remixes of a listing in pages of at most 100, the nearest first. `visit` returns the listings of the page,
 * whose remixes are visited later, or 'stop'.
 *
 * The memory holds one page and the slugs of the listed remixes.
 */
export async function visitRemixes(
  root: Listing,
  visit: (remixes: Remix[]) => Promise<(Listing | undefined)[] | 'stop'>,
): Promise<void> {
  const sources = new SourceQueue();
  sources.add(root);
  await addDeletedBetween(root, sources);
  for (let source = sources.next(); source; source = sources.next()) {
    for await (const decks of decksRemixedFrom(source)) {
      const listings = await visit(await withListings(decks));
      if (listings === 'stop') return;
      for (const listing of listings) if (listing) sources.add(listing);
    }
    // The deck of a remix may be deleted while decks that were remixed from its listing exist.
    for await (const listing of listingsRemixedFrom(source)) if (listing.deletedAt) sources.add(listing);
  }
}

/** Listings whose remixes are to be visited, each once. */
class SourceQueue {
  private readonly waiting: ListingId[] = [];
  private readonly seen = new Set<string>();

  add({ slug, generation }: ListingId): void {
    const id = `${slug}!${generation}`;
    if (this.seen.has(id)) return;
    this.seen.add(id);
    this.waiting.push({ slug, generation });
  }

  next(): ListingId | undefined {
    return this.waiting.shift();
  }
}

/**
 * Adds the listings of deleted decks between the root and its public descendants. A listing that was published before
 * listings stored their source is found only by the lineage of its descendants.
 */
async function addDeletedBetween(root: Listing, sources: SourceQueue): Promise<void> {
  const token = descendantToken(root.slug, root.generation);
  const known = new Set<string>();
  for (let after: unknown[] | undefined; ;) {
    const { records, last } = await listListings(token, 'recent', 100, after);
    const between = records
      .flatMap(({ lineage }) =>
        lineage.slice(
          0,
          lineage.findIndex((each) => isSameListing(each, root)),
        ),
      )
      .filter(({ slug }) => !known.has(slug) && known.add(slug));
    const listings = await read(...between.map(({ slug }) => listingRef(slug)));
    for (const listing of listings) if (listing?.deletedAt) sources.add(listing);
    if (!last) return;
    after = [...sortKeys.recent.map((key) => last[key]), last.slug];
  }
}

async function withListings(decks: readonly Presentation[]): Promise<Remix[]> {
  const listings = await read(...decks.map(({ listingSlug }) => refIf(listingRef, listingSlug)));
  return decks.map((deck, i) => ({ deck, listing: listings[i] }));
}

/** The first `limit` remixes, and whether more follow. */
export async function firstRemixes(root: Listing, limit: number): Promise<{ remixes: Remix[]; hasMore: boolean }> {
  const found: Remix[] = [];
  await visitRemixes(root, (page) => {
    found.push(...page);
    return Promise.resolve(found.length > limit ? 'stop' : page.map(({ listing }) => listing));
  });
  return { remixes: found.slice(0, limit), hasMore: found.length > limit };
}
