import { authorIdOf, listingKinds, type ListingFilter } from '../../../functions/src/policy/listings';
import type { Listing } from '../../../functions/src/records/listings';
import { listingSorts, sortKeys, type ListingSort } from '../../../functions/src/values/listing-cursor';
import { each } from '../../support/each';
import { runJob } from '../../support/jobs';
import { aStoredListing, manyListings, numbersFrom, storeListings } from '../../support/listings';
import { list, startMarketplace } from '../../support/marketplace';
import { words } from '../../support/words';
import { succeed } from '../../support/world';
import { type Query, times, allPages, costOf } from './marketplace-lists';

/** The lists of the marketplace and its search, with every combination of filters and many listings. */

startMarketplace();

/** The slugs of listings in the order of a sort, computed without an index. */
const sorted = (listings: readonly Listing[], sort: ListingSort): string[] =>
  listings
    .toSorted((a, b) => {
      for (const key of sortKeys[sort]) if (+a[key] !== +b[key]) return +b[key] - +a[key];
      return a.slug < b.slug ? 1 : -1;
    })
    .map(({ slug }) => slug);

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
});
