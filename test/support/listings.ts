import { listingKinds } from '../../functions/src/policy/listings';
import { createListing, type Listing } from '../../functions/src/records/listings';
import { transact } from '../../functions/src/records/transact';

/** A listing without a deck. The lists never read the deck. */
export function aStoredListing(fields: Partial<Listing> & { slug: string }): Listing {
  const createdAt = fields.createdAt ?? new Date();
  return {
    generation: 1,
    presentationId: 'none',
    ownerId: 'nobody',
    organizationId: 'none',
    title: fields.slug,
    description: 'Worth a look.',
    kind: 'presentation',
    interactive: false,
    category: null,
    tags: [],
    techStack: [],
    status: 'public',
    pinned: {
      version: 1,
      manifestId: 'none',
      shardCount: 1,
      entryPath: 'index.html',
      isolation: null,
      fileCount: 1,
      totalBytes: 1,
    },
    versions: [{ version: 1, since: createdAt }],
    lineage: [],
    source: null,
    changes: null,
    stars: 0,
    remixCount: 0,
    viewCount: 0,
    remixerCount: 0,
    weekRemixerCount: 0,
    remixerDays: {},
    usedByOthers: false,
    picture: null,
    createdAt,
    updatedAt: createdAt,
    takedown: null,
    deletedAt: null,
    ...fields,
  };
}

/** Writes listings as publishing writes them. */
export async function storeListings(listings: readonly Listing[]): Promise<void> {
  for (let start = 0; start < listings.length; start += 100) {
    await transact((tx) => {
      for (const listing of listings.slice(start, start + 100)) createListing(tx, listing);
      return Promise.resolve();
    });
  }
}

/** Random numbers from a seed (mulberry32), so that a failure is reproducible. */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Listings with few distinct values in each field, so that every filter finds listings and every sort has ties. */
export function manyListings(count: number, seed: number): Listing[] {
  const random = numbersFrom(seed);
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const someOf = (values: readonly string[]) => values.filter(() => random() < 0.4);
  const start = Date.parse('2026-01-01T00:00:00Z');
  return Array.from({ length: count }, (_, i) => {
    const kind = oneOf(listingKinds);
    return aStoredListing({
      slug: `listing-${Math.floor(random() * 1e9)}-${i}`,
      kind,
      interactive: kind === 'app' || random() < 0.5,
      category: oneOf([null, 'Business', 'Learning', 'Büro & Co']),
      tags: someOf(['sales', 'q3', 'c++']),
      techStack: someOf(['react', 'three.js', 'css']),
      status: random() < 0.9 ? 'public' : 'unlisted',
      stars: oneOf([0, 0, 1, 2, 50]),
      remixerCount: oneOf([0, 0, 1, 7]),
      takedown: random() < 0.05 ? { at: new Date(), reason: 'Spam' } : null,
      createdAt: new Date(start + Math.floor(random() * 60) * 1000),
    });
  });
}
