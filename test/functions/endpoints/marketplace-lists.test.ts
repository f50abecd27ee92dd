import type { z } from 'zod';
import type { listingRow } from '../../../functions/src/contract/listings';
import { listingKinds, type ListingFilter } from '../../../functions/src/policy/listings';
import { listingRef, updateListing, type Listing } from '../../../functions/src/records/listings';
import { transact } from '../../../functions/src/records/transact';
import { type ListingSort, listingSorts, sortKeys } from '../../../functions/src/values/listing-cursor';
import { aStoredListing, manyListings, storeListings } from '../../support/listings';
import { succeed, World } from '../../support/world';

interface Page {
  listings: z.output<typeof listingRow>[];
  nextCursor: string | null;
}

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

const list = (query: Record<string, string> = {}) => world.call<Page>('listMarketplaceListings', undefined, { query });

/** The slugs of all pages from `cursor` on. */
async function allPages(query: Record<string, string>, cursor: string | null = null): Promise<string[]> {
  const { listings, nextCursor } = await succeed(list({ ...query, ...(cursor !== null && { cursor }) }));
  const slugs = listings.map(({ slug }) => slug);
  return nextCursor === null ? slugs : [...slugs, ...(await allPages(query, nextCursor))];
}

/** The expected list, computed without an index. */
function expected(listings: readonly Listing[], filter: ListingFilter, sort: ListingSort): string[] {
  const { kind, interactive, category, tag, stack } = filter;
  return listings
    .filter((each) => each.status === 'public' && !each.takedown)
    .filter((each) => kind === undefined || each.kind === kind)
    .filter((each) => interactive === undefined || each.interactive === interactive)
    .filter((each) => category === undefined || each.category === category)
    .filter((each) => tag === undefined || each.tags.includes(tag))
    .filter((each) => stack === undefined || each.techStack.includes(stack))
    .sort((a, b) => {
      for (const key of sortKeys[sort]) if (+a[key] !== +b[key]) return +b[key] - +a[key];
      return a.slug < b.slug ? 1 : -1;
    })
    .map(({ slug }) => slug);
}

const asQuery = (filter: ListingFilter) =>
  Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

// This test must be the first one, because the others leave listings behind, each in its own category.
test('every combination of filters, in each sort in turn, has the right listings on every page', async () => {
  const listings = manyListings(120, 4);
  await storeListings(listings);
  const choices: ListingFilter[][] = [
    [undefined, ...listingKinds].map((kind) => ({ kind })),
    [undefined, true, false].map((interactive) => ({ interactive })),
    [undefined, 'Büro & Co'].map((category) => ({ category })),
    [undefined, 'c++'].map((tag) => ({ tag })),
    [undefined, 'three.js'].map((stack) => ({ stack })),
  ];
  const filters = choices.reduce<ListingFilter[]>(
    (some, others) => some.flatMap((one) => others.map((other) => ({ ...one, ...other }))),
    [{}],
  );
  expect(filters).toHaveLength(4 * 3 * 2 * 2 * 2);
  await Promise.all(
    filters.map(async (filter, i) => {
      const sort = listingSorts[(i + Math.floor(i / listingSorts.length)) % listingSorts.length]!;
      const found = await allPages({ ...asQuery(filter), sort, limit: String([60, 25, 40][i % 3]) });
      expect([filter, sort, found]).toEqual([filter, sort, expected(listings, filter, sort)]);
    }),
  );
});

test('a page costs one query that reads one document more than the page shows, however many listings exist', async () => {
  const costOf = async (query: Record<string, string>) => {
    const cost = await world.costOf(() => succeed(list(query)));
    return [cost.calls, cost.documentReads, cost.documentWrites];
  };
  const some = (count: number, of: string) =>
    storeListings(
      Array.from({ length: count }, (_, i) =>
        aStoredListing({
          slug: `cost-${of}-${i}`,
          category: 'cost',
          tags: ['sales'],
          techStack: ['react'],
          kind: 'plan',
        }),
      ),
    );
  const all = { kind: 'plan', interactive: 'false', category: 'cost', tag: 'sales', stack: 'react' };
  await some(20, 'few');
  const few = [await costOf({ category: 'cost', limit: '10', sort: 'stars' }), await costOf({ ...all, limit: '3' })];
  await some(100, 'many');
  expect([
    await costOf({ category: 'cost', limit: '10', sort: 'stars' }),
    await costOf({ ...all, limit: '3' }),
  ]).toEqual(few);
  expect(few).toEqual([
    // The listings of the page and one more, and their only author.
    [{ BatchGetDocuments: 1, RunQuery: 1 }, 12, 0],
    [{ BatchGetDocuments: 1, RunQuery: 1 }, 5, 0],
  ]);
});

test.each(listingSorts)(
  'listings that are added, unlisted or moved between two pages of %s neither hide nor duplicate another listing',
  async (sort) => {
    const start = Date.parse('2026-01-01T00:00:00Z');
    const category = `moving by ${sort}`;
    const listings = Array.from({ length: 40 }, (_, i) =>
      aStoredListing({ slug: `${sort}-${i + 10}`, category, createdAt: new Date(start - i * 1000), stars: 40 - i }),
    );
    await storeListings(listings);
    const query = { category, sort, limit: '10' };
    const first = await succeed(list(query));
    const seen = first.listings.map(({ slug }) => slug);
    // The listing that the cursor names is unlisted, and a new one is added at the top. In lists that counters do not
    // sort, counters change.
    await transact((tx) => {
      updateListing(
        tx,
        listings.find(({ slug }) => slug === seen.at(-1))!,
        { status: 'unlisted' },
      );
      const moved = sort === 'recent' ? listings : [];
      for (const { slug } of moved) tx.update(listingRef(slug), { stars: 7, remixCount: 7 });
      return Promise.resolve();
    });
    await storeListings([aStoredListing({ slug: `${sort}-new`, category, stars: 99, remixCount: 99 })]);
    const rest = await allPages(query, first.nextCursor);
    expect([...seen, ...rest].sort()).toEqual(listings.map(({ slug }) => slug).sort());
  },
);

test('a negative count is shown as zero, and its listing keeps its place in the list', async () => {
  const category = 'below zero';
  const below = Array.from({ length: 3 }, (_, i) => aStoredListing({ slug: `below-${i}`, category, stars: i - 2 }));
  await storeListings(below);
  const query = { category, sort: 'stars', limit: '1' };
  expect(await allPages(query)).toEqual(['below-2', 'below-1', 'below-0']);
  expect((await list(query)).data.listings[0]!.stars).toBe(0);
  expect((await list({ ...query, limit: '3' })).data.listings.map(({ stars }) => stars)).toEqual([0, 0, 0]);
});

test('shows only public listings, and caches may keep the list for a minute', async () => {
  const category = 'hidden';
  await storeListings([
    aStoredListing({ slug: 'shown', category }),
    aStoredListing({ slug: 'unlisted-one', category, status: 'unlisted' }),
    aStoredListing({ slug: 'taken-down', category, takedown: { at: new Date(), reason: 'Spam' } }),
    aStoredListing({ slug: 'deck-is-gone', category, deletedAt: new Date() }),
  ]);
  const answer = await list({ category });
  expect(answer.data).toMatchObject({ listings: [{ slug: 'shown', status: 'public' }], nextCursor: null });
  expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
  expect((await list({ tag: 'nobody-uses-it' })).data).toEqual({ listings: [], nextCursor: null });
});

test('tags are searched in lower case, and an Authorization header is ignored', async () => {
  await storeListings([aStoredListing({ slug: 'tagged', tags: ['lower'] })]);
  const answer = await world.call<Page>('listMarketplaceListings', undefined, {
    query: { tag: 'LOWER' },
    headers: { authorization: 'Bearer nonsense' },
  });
  expect(answer.data.listings).toHaveLength(1);
});

test.each([
  [{ sort: 'best' }, 'query.sort'],
  [{ kind: 'deck' }, 'query.kind'],
  [{ interactive: 'yes' }, 'query.interactive'],
  [{ limit: '0' }, 'query.limit'],
  [{ limit: '101' }, 'query.limit'],
  [{ limit: 'x' }, 'query.limit'],
  [{ cursor: '' }, 'query.cursor'],
  [{ cursor: 'nonsense' }, 'query.cursor'],
])('refuses %j', async (query, location) => {
  const { status, error } = await list(query);
  expect([status, error.code, error.details?.errors?.[0]?.location]).toEqual([400, 'invalid-argument', location]);
});

test('a cursor is valid for its own list only, and any other text is refused', async () => {
  await storeListings(manyListings(20, 3));
  const { nextCursor } = await succeed(list({ limit: '5', sort: 'stars' }));
  const cursor = nextCursor!;
  expect((await list({ limit: '100', sort: 'stars', cursor })).status).toBe(200);
  const [name, keys, slug] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, number[], string];
  const written = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  const foreign: Record<string, string>[] = [
    { sort: 'stars', kind: 'app', cursor },
    { sort: 'popular', cursor },
    { cursor },
    ...[
      written(name, keys),
      written(name, keys.slice(1), slug),
      written(name, [...keys, 1], slug),
      written(name, keys.map(String), slug),
      written(name, [7, -1], slug),
      written(name, [7, Date.UTC(10000, 0, 1)], slug),
      written(name, [1e20, keys[1]], slug),
      written(
        name,
        keys.map(() => 1e300),
        slug,
      ),
      written(name, keys, '../x'),
      written(name, keys, `${slug}/x`),
      cursor.slice(0, -2),
      `${cursor}x`.repeat(20),
    ].map((broken) => ({ sort: 'stars', cursor: broken })),
  ];
  for (const query of foreign) {
    const { status, error } = await list(query);
    expect([status, error.details?.errors?.[0]?.location]).toEqual([400, 'query.cursor']);
  }
});
