import { isSameListing, type ListingId } from '../functions/src/policy/listings';
import {
  findListingStates,
  lineagesOfDescendants,
  listingsRemixedFrom,
  type ListingState,
} from '../functions/src/records/listings';
import { decksRemixedFrom, decksTakenDownWith, type Presentation } from '../functions/src/records/presentations';

/** A deck that was remixed from a listing, directly or through other listings. */
export interface Remix {
  deck: Presentation;
  /** The listing of the deck. */
  listing: ListingState | undefined;
}

/**
 * Visits all remixes of a listing in pages of at most 100, the nearest first. `visit` returns the listings of the page,
 * whose remixes are visited later, or 'stop'.
 *
 * The memory holds one page and the slugs of the listed remixes.
 */
export async function visitRemixes(
  root: ListingId,
  visit: (remixes: Remix[]) => Promise<(ListingId | undefined)[] | 'stop'>,
): Promise<void> {
  const sources = new SourceQueue();
  sources.add(root);
  const hidden = hiddenSources(root);
  for (let source = await sources.next(hidden); source; source = await sources.next(hidden)) {
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

  /** The next listing. Reads `more` only when the queue is empty. */
  async next(more: AsyncGenerator<readonly ListingId[], void>): Promise<ListingId | undefined> {
    while (this.waiting.length === 0) {
      const next = await more.next();
      if (next.done) return undefined;
      for (const listing of next.value) this.add(listing);
    }
    return this.waiting.shift();
  }
}

/**
 * The listings below the root that the other records of a chain of remixes may no longer lead to: the deck between is
 * deleted, and its listing has no source, or its slug belongs to another listing now. They are named by the decks that
 * were taken down with the root, and by the lineage of the root's public descendants.
 *
 * The documents of these listings are not read: another listing may have the slug.
 */
async function* hiddenSources(root: ListingId): AsyncGenerator<ListingId[], void> {
  for await (const decks of decksTakenDownWith(root.slug)) {
    yield decks.flatMap(({ remixedFrom }) => remixedFrom ?? []);
  }
  for await (const lineages of lineagesOfDescendants(root)) {
    yield lineages.flatMap((lineage) =>
      lineage.slice(
        0,
        lineage.findIndex((each) => isSameListing(each, root)),
      ),
    );
  }
}

async function withListings(decks: readonly Presentation[]): Promise<Remix[]> {
  const listings = await findListingStates(decks.map(({ listingSlug }) => listingSlug));
  return decks.map((deck, i) => ({ deck, listing: listings[i] }));
}

/** The first `limit` remixes, and whether more follow. Reads no further page of remixes than these need. */
export async function firstRemixes(root: ListingId, limit: number): Promise<{ remixes: Remix[]; hasMore: boolean }> {
  const found: Remix[] = [];
  await visitRemixes(root, (page) => {
    found.push(...page);
    return Promise.resolve(found.length > limit ? 'stop' : page.map(({ listing }) => listing));
  });
  return { remixes: found.slice(0, limit), hasMore: found.length > limit };
}
