import { authorIdOf, listingKinds, type ListingFilter } from '../../../functions/src/policy/listings';
import type { Listing } from '../../../functions/src/records/listings';
import { listingSorts, sortKeys, type ListingSort } from '../../../functions/src/values/listing-cursor';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { runJob } from '../../support/jobs';
import { aStoredListing, manyListings, numbersFrom, storeListings } from '../../support/listings';
import {
  detail,
  expectEnded,
  list,
  newPage,
  owner,
  publish,
  publishNew,
  remixOf,
  startMarketplace,
  storedListing,
  update,
} from '../../support/marketplace';
import { drawing, showSlides, slidesOf } from '../../support/pictures';
import { words } from '../../support/words';
import { sha256, succeed, type Answered, world } from '../../support/world';
import { listingPicture, pagePath, slides, textOf } from './covers';
import { allPages, costOf, times, type Query } from './marketplace-lists';
import { fold, listed, partsOf, star, starredBy, starsOf, unstar, users, view } from './starring';

/**
 * The lists of the marketplace and its search, with every combination of filters and many listings. Stars of many users
 * at once, the ends of listings that race with their changes, and listings with many slides.
 */

startMarketplace();

/** The slugs of listings in the order of a sort, computed without an index. */
const sorted = (listings: readonly Listing[], sort: ListingSort): string[] =>
  listings
    .toSorted((a, b) => {
      for (const key of sortKeys[sort]) if (+a[key] !== +b[key]) return +b[key] - +a[key];
      return a.slug < b.slug ? 1 : -1;
    })
    .map(({ slug }) => slug);

// This test must be the first one, because the others leave listings behind, each in its own category.
test('the lists have the right listings on every page, for every combination of filters, in each sort in turn', async () => {
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

test('stars of many users at once do not contend: at most 32 shards count them, which no list shows, and folds lose none', async () => {
  const { slug } = await world.aListing(owner);
  await view(slug, '192.0.2.1');
  // Numbers that lie evenly, so that few stars show how many shards there are.
  let drawn = 0;
  jest.spyOn(Math, 'random').mockImplementation(() => (drawn++ * 0.618) % 1);
  const answers = await starredBy(50, slug);
  jest.restoreAllMocks();
  expect(Math.max(...answers.map(({ stars }) => stars))).toBe(50);
  const parts = await partsOf(slug);
  const spread = parts.reduce((sum, part) => sum + (part['stars'] as number), 0);
  expect(spread).toBeGreaterThan(40);
  expect((await storedListing(slug)).stars).toBe(50 - spread);
  expect(parts.length).toBeGreaterThan(16);
  expect(parts.length).toBeLessThanOrEqual(32);
  for (const sort of ['recent', 'stars', 'popular']) expect((await listed(sort)).join()).not.toContain('!');
  expect((await detail(slug)).data).toMatchObject({ stars: 50, viewCount: 1 });

  let isOver = false;
  const seen: number[] = [];
  const until = async (work: () => Promise<unknown>) => {
    while (!isOver) await work();
  };
  // A user without a star reads the number without changing it.
  const meanwhile = [until(fold), until(async () => seen.push((await unstar(slug)).data.stars))];
  let given = 50;
  const late = (await users(8)).map(async (user) => {
    const before = given;
    const { stars } = (await star(slug, user)).data;
    given++;
    expect(stars).toBeGreaterThan(before);
  });
  await Promise.all(late);
  isOver = true;
  await Promise.all(meanwhile);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  await Promise.all([fold(), fold(), fold()]);
  expect([(await storedListing(slug)).stars, await starsOf(slug), await partsOf(slug)]).toEqual([58, 58, []]);
  expect((await detail(slug)).data).toMatchObject({ stars: 58, viewCount: 1 });
});

const remove = (presentationId: string) => world.call('deletePresentation', { presentationId }, owner);

test('the slug of a deleted deck stays reserved for the listing of a remix while a deck or a listing was remixed from it', async () => {
  const { slug: root } = await world.aListing(owner);
  const first = await world.aListing(owner, { slug: 'remixed-first' }, await remixOf(root));
  const second = await world.aListing(owner, { slug: 'remixed-second' }, await remixOf(first.slug));
  const third = await remixOf(second.slug);
  for (const { presentationId } of [first, second]) await remove(presentationId);
  passSeconds(30 * 86_400);
  const claim = async ({ slug }: { slug: string }) => (await publishNew({ slug })).status;
  const claims = async () => [await claim(first), await claim(second)];
  expect(await claims()).toEqual([409, 409]);
  await remove(third.presentationId);
  expect([await claims(), await claims()]).toEqual([
    [409, 200],
    [200, 409],
  ]);
});

test('a deletion of a deck that races with its listing: one published or changed at that moment ends as well', async () => {
  const codeOf = async (answer: Promise<Answered<unknown>>) => (await answer).body.error?.code ?? 'ok';
  for (const round of [0, 1, 2, 3, 4]) {
    const { presentationId } = await world.aDeck(owner, [newPage()]);
    const slug = `ends-in-round-${round}`;
    if (round > 0) await world.aListing(owner, { slug }, { presentationId });
    const late = { slug, title: 'Late', status: 'public' };
    const change = () => (round > 0 ? update(owner, late) : publish(owner, { presentationId, slug }));
    const remix = () => world.call('remixMarketplaceListing', { slug }, owner);
    const calls: (() => Promise<Answered<unknown>>)[] = [change, () => star(slug), remix];
    calls.splice(round, 0, () => remove(presentationId));
    const answers = await Promise.all(calls.map((call) => codeOf(call())));
    const [deleted] = answers.splice(Math.min(round, 3), 1);
    expect(deleted).toBe('ok');
    // A call after the deletion finds an ended listing, or in the first round no listing.
    const isListed = round > 0 || answers[0] === 'ok';
    const possible = ['ok', ...(isListed ? ['expired'] : []), ...(round > 0 ? [] : ['not-found'])];
    expect(answers.filter((code) => !possible.includes(code))).toEqual([]);
    if (isListed) await expectEnded(slug);
    else expect((await detail(slug)).status).toBe(404);
  }
});

test('the page of a listing shows its first 12 slides, with their titles as texts, when they are near', async () => {
  const deck = await world.aDeck(owner);
  const { slug } = await world.aListing(owner, {}, deck);
  expect(await textOf(pagePath(slug))).not.toContain('class="slides"');
  await showSlides(owner, deck.presentationId, 1, [...slides(13), { key: 'last', bytes: drawing(() => 9, 480, 360) }]);
  const html = await textOf(pagePath(slug));
  const shown = [...html.matchAll(/<img class="picture" src="([^"]*_deck\/slides[^"]*)"([^>]*)>/g)];
  expect(shown).toHaveLength(12);
  const [, url, rest] = shown[2]!;
  expect(rest).toContain('alt="Part 3 &amp; “more”"');
  expect(rest).toContain('width="640" height="360" loading="lazy"');
  const answers = [await fetch(url!), await listingPicture(slug, 3)];
  expect(answers[1]!.url).toBe(url!.split('?')[0]);
  const hash = (await slidesOf(owner, deck.presentationId, 1))[2]!.sha256;
  for (const answer of answers) {
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=300, s-maxage=3600',
      etag: `"${hash}"`,
      'x-content-type-options': 'nosniff',
    });
    expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(hash);
  }
  for (const [of, number, status] of [
    [slug, 13, 404],
    [slug, 0, 400],
    ['no-such-listing', 1, 404],
  ] as const)
    expect((await listingPicture(of, number)).status).toBe(status);
});
