import { randomUUID } from 'node:crypto';
import { authorIdOf, listingKinds, type ListingFilter } from '../../../functions/src/policy/listings';
import { listingRef, updateListing, type Listing } from '../../../functions/src/records/listings';
import { transact } from '../../../functions/src/records/transact';
import { listingSorts, sortKeys, type ListingSort } from '../../../functions/src/values/listing-cursor';
import { each } from '../../support/each';
import { runJob } from '../../support/jobs';
import { aStoredListing, manyListings, numbersFrom, storeListings } from '../../support/listings';
import { detail, list, listingDoc, owner, problems, startMarketplace, update } from '../../support/marketplace';
import type { Page } from '../../support/marketplace';
import { words } from '../../support/words';
import { succeed, world } from '../../support/world';

/** The lists of the marketplace and its search. */

startMarketplace();

type Query = Record<string, string>;
const slugsOf = ({ listings }: Page) => listings.map(({ slug }) => slug);
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
/** The slugs of all pages from `cursor` on. */
async function allPages(query: Query, cursor: string | null = null): Promise<string[]> {
  const found = await succeed(list({ ...query, ...(cursor !== null && { cursor }) }));
  return [...slugsOf(found), ...(found.nextCursor === null ? [] : await allPages(query, found.nextCursor))];
}
/** The slugs of listings in the order of a sort, computed without an index. */
const sorted = (listings: readonly Listing[], sort: ListingSort): string[] =>
  listings
    .toSorted((a, b) => {
      for (const key of sortKeys[sort]) if (+a[key] !== +b[key]) return +b[key] - +a[key];
      return a.slug < b.slug ? 1 : -1;
    })
    .map(({ slug }) => slug);
const costOf = async (query: Query) => {
  const { calls, documentReads, documentWrites } = await world.costOf(() => succeed(list(query)));
  return [calls, documentReads, documentWrites];
};

describe('the lists of the marketplace', () => {
  // This test must be the first one, because the others leave listings behind, each in its own category.
  test('have the right listings on every page, for every combination of filters, in each sort in turn', async () => {
    const listings = manyListings(60, 4);
    await storeListings(listings);
    const expected = ({ kind, interactive, category, tag, stack }: ListingFilter, sort: ListingSort) => {
      const found = listings
        .filter((each) => each.status === 'public' && !each.takedown)
        .filter((each) => kind === undefined || each.kind === kind)
        .filter((each) => interactive === undefined || each.interactive === interactive)
        .filter((each) => category === undefined || each.category === category)
        .filter((each) => tag === undefined || each.tags.includes(tag))
        .filter((each) => stack === undefined || each.techStack.includes(stack));
      return sorted(found, sort);
    };
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
    const asQuery = (filter: ListingFilter) => {
      const named = Object.entries(filter).filter(([, value]) => value !== undefined);
      return Object.fromEntries(named.map(([name, value]) => [name, String(value)]));
    };
    await Promise.all(
      filters.map(async (filter, i) => {
        const sort = listingSorts[(i + Math.floor(i / listingSorts.length)) % listingSorts.length]!;
        const found = await allPages({ ...asQuery(filter), sort, limit: String([30, 12, 20][i % 3]) });
        expect([filter, sort, found]).toEqual([filter, sort, expected(filter, sort)]);
      }),
    );
  });

  test('cost one query a page, which reads one document more than the page shows, however many listings exist', async () => {
    const facets = { category: 'cost', tags: ['sales'], techStack: ['react'], kind: 'plan' as const };
    const fill = (count: number, of: string) =>
      storeListings(times(count, (i) => aStoredListing({ slug: `cost-${of}-${i}`, ...facets })));
    const narrow = { kind: 'plan', interactive: 'false', category: 'cost', tag: 'sales', stack: 'react', limit: '3' };
    const costs = async () => [await costOf({ category: 'cost', limit: '10', sort: 'stars' }), await costOf(narrow)];
    await fill(12, 'few');
    const few = await costs();
    await fill(12, 'many');
    expect(await costs()).toEqual(few);
    expect(few).toEqual([
      // The listings of the page and one more, and their only author.
      [{ BatchGetDocuments: 1, RunQuery: 1 }, 12, 0],
      [{ BatchGetDocuments: 1, RunQuery: 1 }, 5, 0],
    ]);
  });

  test.each(listingSorts)('neither hide nor repeat a listing when others change, in pages of %s', async (sort) => {
    const start = Date.parse('2026-01-01T00:00:00Z');
    const category = `moving by ${sort}`;
    const listings = times(16, (i) =>
      aStoredListing({ slug: `${sort}-${i + 10}`, category, createdAt: new Date(start - i * 1000), stars: 16 - i }),
    );
    await storeListings(listings);
    const query = { category, sort, limit: '4' };
    const first = await succeed(list(query));
    const seen = slugsOf(first);
    // The listing that the cursor names is unlisted, and a new one is added at the top. In the list that counters do
    // not sort, counters change.
    await transact((tx) => {
      const last = listings.find(({ slug }) => slug === seen.at(-1))!;
      updateListing(tx, last, { status: 'unlisted' });
      const moved = sort === 'recent' ? listings : [];
      for (const { slug } of moved) tx.update(listingRef(slug), { stars: 7, remixerCount: 7 });
      return Promise.resolve();
    });
    await storeListings([aStoredListing({ slug: `${sort}-new`, category, stars: 99, remixerCount: 99 })]);
    const rest = await allPages(query, first.nextCursor);
    expect([...seen, ...rest].sort()).toEqual(listings.map(({ slug }) => slug).sort());
  });

  test('show a negative count as zero, and keep the place of its listing', async () => {
    const category = 'below zero';
    await storeListings([0, 1, 2].map((i) => aStoredListing({ slug: `below-${i}`, category, stars: i - 2 })));
    const query = { category, sort: 'stars' };
    expect(await allPages({ ...query, limit: '1' })).toEqual(['below-2', 'below-1', 'below-0']);
    expect((await list(query)).data.listings.map(({ stars }) => stars)).toEqual([0, 0, 0]);
  });

  test('show only public listings, take tags in any case, ignore keys, and may be kept for a minute', async () => {
    const category = 'hidden';
    await storeListings([
      aStoredListing({ slug: 'shown', category, tags: ['lower'] }),
      aStoredListing({ slug: 'unlisted-one', category, status: 'unlisted' }),
      aStoredListing({ slug: 'taken-down', category, takedown: { at: new Date(), reason: 'Spam' } }),
      aStoredListing({ slug: 'deck-is-gone', category, deletedAt: new Date() }),
    ]);
    const answer = await list({ category });
    expect(answer.data).toMatchObject({ listings: [{ slug: 'shown', status: 'public' }], nextCursor: null });
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
    expect((await list({ tag: 'nobody-uses-it' })).data).toEqual({ listings: [], nextCursor: null });
    const headers = { authorization: 'Bearer nonsense' };
    const tagged = await world.call<Page>('listMarketplaceListings', undefined, { query: { tag: 'LOWER' }, headers });
    expect(slugsOf(tagged.data)).toEqual(['shown']);
  });

  test('refuse wrong parameters, and every cursor that was not made for the same list', async () => {
    await storeListings(manyListings(8, 3));
    const sort = 'stars';
    const cursor = (await succeed(list({ limit: '5', sort }))).nextCursor!;
    expect((await list({ limit: '100', sort, cursor })).status).toBe(200);
    const wrong = words('sort=worst kind=deck interactive=yes limit=0 limit=101 limit=x author=ada cursor=');
    const queries: Query[] = [
      ...wrong.map((parameter) => Object.fromEntries([parameter.split('=')]) as Query),
      { cursor },
      { cursor, sort, kind: 'app' },
      { cursor, sort: 'popular' },
      { cursor, sort, q: 'sales' },
      { cursor: 'nonsense', sort },
      { cursor: cursor.slice(0, -2), sort },
    ];
    const answers = await Promise.all(queries.map(async (query) => [query, ...problems(await list(query))]));
    const refusal = (query: Query) => [query, 400, 'invalid-argument', [`query.${Object.keys(query)[0]}`]];
    expect(answers).toEqual(queries.map(refusal));
  });
});

describe('a row', () => {
  test('names its author by an id that is not that of the user, and lists by it', async () => {
    const author = await world.aPublisher();
    const { slug } = await world.aListing(author);
    const { data } = await detail(slug);
    const { authorId } = data.author!;
    expect(data.author).toEqual({ authorId: authorIdOf(author.userId), displayName: 'Ada' });
    expect(JSON.stringify(data)).not.toContain(author.userId);
    expect(await allPages({ author: authorId })).toEqual([slug]);
    await world.database.doc(`users/${author.userId}`).update({ firstName: 'Countess' });
    expect((await succeed(list({ author: authorId }))).listings[0]!.author!.displayName).toBe('Countess');
  });
});

describe('a search', () => {
  /** The words by which a listing is found, written down without the code of the search. */
  const plain = (text: string) =>
    text.toLowerCase().replaceAll('ï', 'i').replaceAll('ö', 'o').replaceAll('ß', 'ss').split(/[ №]+/);

  test('finds all listings with its words and filters, and no others, in its order and on every page', async () => {
    const random = numbersFrom(57);
    const vocabulary = words('Turnover report spring naïve Größe 売上 plan');
    const some = () => vocabulary.filter(() => random() < 0.35).join(' ');
    const listings = times(100, (i) =>
      aStoredListing({
        slug: `words-${i}`,
        title: `${some()} №${i}`,
        description: some() || 'none',
        tags: random() < 0.3 ? ['finance'] : [],
        kind: random() < 0.5 ? 'app' : 'plan',
        ownerId: random() < 0.5 ? 'ada' : 'grace',
        category: 'words',
        stars: Math.floor(random() * 4),
        remixerCount: Math.floor(random() * 4),
        weekRemixerCount: Math.floor(random() * 3),
        createdAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(random() * 60) * 1000),
      }),
    );
    await storeListings(listings);
    // Runs of the job may overlap.
    await Promise.all([runJob('foldMarketplaceCounters'), runJob('foldMarketplaceCounters')]);
    const isFound = ({ title, description, tags, kind, ownerId }: Listing, query: Query) => {
      const found = plain([title, description, ...tags].join(' '));
      const fields: Record<string, string | undefined> = { kind, author: authorIdOf(ownerId), tag: tags[0] };
      const hasWords = plain(query['q']!).every((word) => found.some((other) => other.startsWith(word)));
      return hasWords && Object.keys(fields).every((name) => !query[name] || fields[name] === query[name]);
    };
    const searches: Query[] = [
      { q: 'turnover' },
      { q: 'TUR', kind: 'app' },
      { q: 'naive grosse' },
      { q: 'spring turnover rep' },
      { q: '売上', kind: 'plan', tag: 'finance' },
      { q: 'report', author: authorIdOf('ada'), category: 'words' },
      { q: 'fin pla', author: authorIdOf('grace'), kind: 'app' },
    ];
    for (const [i, query] of each(searches.entries())) {
      const matching = listings.filter((listing) => isFound(listing, query));
      expect(matching.length).toBeGreaterThan(0);
      const sort = listingSorts[i % listingSorts.length]!;
      const found = await allPages({ ...query, sort, limit: '10' });
      expect([query, sort, found]).toEqual([query, sort, sorted(matching, sort)]);
    }
    expect((await succeed(list({ q: '…!?' }))).listings).toEqual([]);
  });

  test('costs the same few reads however many listings match; two common words without a common hit find nothing', async () => {
    const [yak, xerus, both] = ['Yak zebra', 'Xerus zebra', 'Zebra'];
    const fill = (count: number, of: string) =>
      storeListings(times(count, (i) => aStoredListing({ slug: `${of}-${i}`, title: i % 2 ? yak : xerus })));
    const costs = async () => {
      await runJob('foldMarketplaceCounters');
      // The instance reads the changed parts once.
      await list({ q: both });
      return [await costOf({ q: 'zeb', limit: '10' }), await costOf({ q: 'yak xerus' })];
    };
    await fill(40, 'few');
    const few = await costs();
    await fill(300, 'many');
    expect(await costs()).toEqual(few);
    // The changed listings, of which there are none, the versions of the parts, the listings of the page, and their
    // author.
    expect(few).toEqual([
      [{ BatchGetDocuments: 3, RunQuery: 1 }, 2 + 10 + 1, 0],
      [{ BatchGetDocuments: 1, RunQuery: 1 }, 2, 0],
    ]);
    expect(await succeed(list({ q: 'yak xerus' }))).toEqual({ listings: [], nextCursor: null });
    expect(await allPages({ q: 'yak', limit: '40' })).toHaveLength(170);
  });

  test('goes on when there are more parts than a call reads, and finds nothing only when it has read all', async () => {
    const stored = world.database.doc('searchParts/versions');
    const before = ((await stored.get()).get('versions') ?? []) as string[];
    await stored.set({ versions: [...before, ...times(61, () => randomUUID())] });
    const first = await succeed(list({ q: 'nowhere' }));
    expect([first.listings, first.nextCursor]).toEqual([[], expect.any(String)]);
    expect(await allPages({ q: 'nowhere' }, first.nextCursor)).toEqual([]);
    expect(await succeed(list({ q: 'nowhere' }))).toEqual({ listings: [], nextCursor: null });
    await stored.set({ versions: before });
  });

  test('finds the names of an author and its organization, also the new ones after a run of the job', async () => {
    const [ada, name] = [await world.aPublisher(), `n${randomUUID().slice(0, 8)}`];
    const { slug } = await world.aListing(ada, { title: 'Anything' });
    const key = await world.aDashboardSession(ada);
    await runJob('foldMarketplaceCounters');
    expect(await allPages({ q: name })).toEqual([]);
    await succeed(world.call('updateProfile', { firstName: name }, { key }));
    await succeed(world.call('updateOrganization', { name: `${name}org` }, { key }));
    await runJob('foldMarketplaceCounters');
    expect(await allPages({ q: `${name}org ${name} anything` })).toEqual([slug]);
    // A listing that changes keeps its author.
    await update(ada, { slug, title: 'Something' });
    expect(await allPages({ q: `${name} something` })).toEqual([slug]);
  });

  test('finds the present words of a listing, and those of no listing that is not public', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const { slug } = await world.aListing(owner, { title: word });
    expect(await allPages({ q: word })).toEqual([slug]);
    await runJob('foldMarketplaceCounters');
    await update(owner, { slug, title: 'Another' });
    expect(await allPages({ q: word })).toEqual([]);
    await runJob('foldMarketplaceCounters');
    expect(await allPages({ q: word })).toEqual([]);
    await update(owner, { slug, tags: [word] });
    expect(await allPages({ q: word.slice(0, 4), tag: word })).toEqual([slug]);
    await runJob('foldMarketplaceCounters');
    // As an instance sees a change that it has not read yet.
    await listingDoc(slug).update({ status: 'unlisted' });
    expect(await allPages({ q: word })).toEqual([]);
    await update(owner, { slug, status: 'unlisted' });
    expect(await allPages({ q: word })).toEqual([]);
    await runJob('foldMarketplaceCounters');
    expect(await allPages({ q: word })).toEqual([]);
    expect((await listingDoc(slug).get()).data()).not.toHaveProperty('searchPart');
  });
});
