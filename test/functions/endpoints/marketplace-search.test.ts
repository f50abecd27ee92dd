import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { FieldValue } from 'firebase-admin/firestore';
import type { z } from 'zod';
import type { listingRow } from '../../../functions/src/contract/listings';
import { authorIdOf } from '../../../functions/src/policy/listings';
import type { Listing } from '../../../functions/src/records/listings';
import { listingSorts, sortKeys, type ListingSort } from '../../../functions/src/values/listing-cursor';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { aStoredListing, numbersFrom, storeListings } from '../../support/listings';
import { blob, page, succeed, World, type Account } from '../../support/world';

type Row = z.output<typeof listingRow>;
interface Page {
  listings: Row[];
  nextCursor: string | null;
}

let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
  owner = await world.aPublisher();
});
afterAll(() => world.stop());

const list = (query: Record<string, string>) => world.call<Page>('listMarketplaceListings', undefined, { query });
const slugsOf = ({ listings }: Page) => listings.map(({ slug }) => slug);

/** The slugs of all pages. */
async function allPages(query: Record<string, string>, cursor?: string): Promise<string[]> {
  const found = await succeed(list({ ...query, ...(cursor !== undefined && { cursor }) }));
  return [...slugsOf(found), ...(found.nextCursor === null ? [] : await allPages(query, found.nextCursor))];
}

const readRow = (slug: string) => succeed(world.call<Row>('getMarketplaceListing', undefined, { query: { slug } }));
const pngOf = (bytes: number) => ({ ...blob(bytes, 'thumbnail.png'), contentType: 'image/png' });

describe('a search', () => {
  const words = ['Sales', 'report', 'spring', 'naïve', 'Größe', '売上', 'plan'];

  /** Listings with a few of the words each. */
  function withWords(count: number): Listing[] {
    const random = numbersFrom(57);
    const some = () => words.filter(() => random() < 0.35).join(' ');
    return Array.from({ length: count }, (_, i) =>
      aStoredListing({
        slug: `words-${i}`,
        title: `${some()} №${i}`,
        description: some() || 'none',
        tags: random() < 0.3 ? ['finance'] : [],
        kind: random() < 0.5 ? 'app' : 'plan',
        ownerId: random() < 0.5 ? 'ada' : 'grace',
        category: 'words',
        stars: Math.floor(random() * 4),
        remixCount: Math.floor(random() * 4),
        weekRemixCount: Math.floor(random() * 3),
        createdAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(random() * 60) * 1000),
      }),
    );
  }

  /** The words by which a listing is found, written down without the code of the search. */
  const plain = (text: string) =>
    text.toLowerCase().replaceAll('ï', 'i').replaceAll('ö', 'o').replaceAll('ß', 'ss').split(/[ №]+/);

  function expected(listings: readonly Listing[], query: Record<string, string>, sort: ListingSort): string[] {
    const sought = plain(query['q']!);
    const isFound = ({ title, description, tags, kind, ownerId }: Listing) =>
      sought.every((word) => plain([title, description, ...tags].join(' ')).some((each) => each.startsWith(word))) &&
      (query['kind'] === undefined || kind === query['kind']) &&
      (query['tag'] === undefined || tags.includes(query['tag'])) &&
      (query['author'] === undefined || authorIdOf(ownerId) === query['author']);
    return listings
      .filter(isFound)
      .sort((a, b) => {
        for (const key of sortKeys[sort]) if (+a[key] !== +b[key]) return +b[key] - +a[key];
        return a.slug < b.slug ? 1 : -1;
      })
      .map(({ slug }) => slug);
  }

  test('finds all listings with its words and filters, and no others, in each order and on every page', async () => {
    const listings = withWords(240);
    await storeListings(listings);
    const searches: Record<string, string>[] = [
      { q: 'sales' },
      { q: 'SAL', kind: 'app' },
      { q: 'naive grosse' },
      { q: 'spring sales rep' },
      { q: '売上', kind: 'plan', tag: 'finance' },
      { q: 'report', author: authorIdOf('ada'), category: 'words' },
      { q: 'fin pla', author: authorIdOf('grace'), kind: 'app' },
    ];
    for (const query of searches) {
      for (const sort of listingSorts) {
        const found = await allPages({ ...query, sort, limit: '20' });
        expect([query, sort, found]).toEqual([query, sort, expected(listings, query, sort)]);
        expect(found.length).toBeGreaterThan(0);
      }
    }
    expect((await succeed(list({ q: '…!?' }))).listings).toEqual([]);
  });

  test('for one word costs one query, and one for more a bounded number of reads, however many listings match', async () => {
    const costOf = async (query: Record<string, string>) => {
      const { calls, documentReads, documentWrites } = await world.costOf(() => succeed(list(query)));
      return [calls, documentReads, documentWrites];
    };
    const fill = (count: number, of: string) =>
      storeListings(
        Array.from({ length: count }, (_, i) =>
          aStoredListing({ slug: `${of}-${i}`, title: `Zebra ${i % 2 ? 'yak' : 'xerus'}`, tags: [`${of}-tag`] }),
        ),
      );
    const one = { q: 'zeb', kind: 'presentation', limit: '10' };
    const none = { q: 'zebra yak xerus', limit: '10' };
    await fill(500, 'few');
    const few = [await costOf(one), await costOf(none)];
    await fill(300, 'many');
    expect([await costOf(one), await costOf(none)]).toEqual(few);
    expect(few).toEqual([
      // The listings of the page and one more, and their only author.
      [{ BatchGetDocuments: 1, RunQuery: 1 }, 12, 0],
      // The words are counted, then two batches of 100 listings are examined.
      [{ RunAggregationQuery: 3, RunQuery: 2 }, 3 + 2 * 101, 0],
    ]);
    // A rare word beside common ones costs what the rare word costs.
    await storeListings([aStoredListing({ slug: 'rare', title: 'Zebra yak quokka' })]);
    expect(await costOf({ q: 'zebra yak quokka', limit: '10' })).toEqual([
      { BatchGetDocuments: 1, RunAggregationQuery: 3, RunQuery: 1 },
      5,
      0,
    ]);
    expect(await allPages({ ...none, limit: '10' })).toEqual([]);
  });

  test('finds the present words of a listing, and those of no listing that is not public', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const { slug } = await world.aListing(owner, { title: word });
    expect(await allPages({ q: word })).toEqual([slug]);
    await world.call('updateMarketplaceListing', { slug, title: 'Another' }, { key: owner.key });
    expect(await allPages({ q: word })).toEqual([]);
    await world.call('updateMarketplaceListing', { slug, tags: [word] }, { key: owner.key });
    expect(await allPages({ q: word.slice(0, 4), tag: word })).toEqual([slug]);
    await world.call('updateMarketplaceListing', { slug, status: 'unlisted' }, { key: owner.key });
    expect(await allPages({ q: word })).toEqual([]);
  });

  test('refuses a cursor of another search', async () => {
    const { nextCursor } = await succeed(list({ q: 'sales', limit: '2' }));
    expect((await list({ q: 'report', limit: '2', cursor: nextCursor! })).status).toBe(400);
    expect((await list({ author: 'ada' })).status).toBe(400);
  });
});

test('a row names its author by an id that is not that of the user, and lists by it', async () => {
  const author = await world.aPublisher();
  const { slug } = await world.aListing(author);
  const row = await readRow(slug);
  expect(row.author).toEqual({ authorId: authorIdOf(author.userId), displayName: 'Ada' });
  expect(JSON.stringify(row)).not.toContain(author.userId);
  expect(await allPages({ author: row.author!.authorId })).toEqual([slug]);
  await world.database.doc(`users/${author.userId}`).update({ firstName: 'Countess' });
  expect((await succeed(list({ author: row.author!.authorId }))).listings[0]!.author!.displayName).toBe('Countess');
});

describe('the picture of a listing', () => {
  test('is that of the version that it shows, at an address that opens it', async () => {
    const deck = await world.aPushedDeck(owner, [page(), pngOf(900)]);
    const { slug } = await world.aListing(owner, {}, deck);
    const { picture } = await readRow(slug);
    expect(picture).toMatchObject({ contentType: 'image/png', size: 900 });
    const answer = await fetch(picture!.url);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await answer.arrayBuffer()).byteLength).toBe(900);

    const files = [page('Two')];
    await world.uploadAll(owner, deck, files);
    await world.commit(owner, { presentationId: deck.presentationId }, files);
    const updated = await world.call<Row>('updateMarketplaceListing', { slug, version: 2 }, { key: owner.key });
    expect([updated.data.picture, (await readRow(slug)).picture]).toEqual([null, null]);
  });

  test('is looked for again when the bucket did not answer', async () => {
    const deck = await world.aDeck(owner, [page(), pngOf(700)]);
    const { slug } = await world.aListing(owner, {}, deck);
    await world.database.doc(`listings/${slug}`).update({ picture: FieldValue.delete() });
    await runJob('refreshMarketplace');
    expect((await readRow(slug)).picture).toMatchObject({ size: 700 });
  });
});

test('the remixes of the last 7 days order a list, and leave it when they are older', async () => {
  const [quiet, busy] = [await world.aListing(owner), await world.aListing(owner)];
  const remix = (slug: string, address: string) =>
    world.call('recordMarketplaceRemix', { slug }, { headers: { 'x-forwarded-for': address } });
  await remix(quiet.slug, '192.0.2.1');
  await remix(busy.slug, '192.0.2.1');
  await remix(busy.slug, '192.0.2.2');
  const week = async () => {
    const { listings } = await succeed(list({ sort: 'week', limit: '100' }));
    const ours = listings.filter(({ slug }) => slug === quiet.slug || slug === busy.slug);
    return ours.map(({ slug, weekRemixCount, remixCount }) => [slug, weekRemixCount, remixCount]);
  };
  const counted = [
    [busy.slug, 2, 2],
    [quiet.slug, 1, 1],
  ];
  expect(await week()).toEqual(counted);
  passSeconds(6 * 86_400);
  await runJob('refreshMarketplace');
  expect(await week()).toEqual(counted);
  passSeconds(86_400);
  await runJob('refreshMarketplace');
  expect((await week()).map(([, ofWeek]) => ofWeek)).toEqual([0, 0]);
});

test('a count of the week that was cut off is taken up by the next run', async () => {
  const state = world.database.doc('marketplaceStates/current');
  const weekOf = async () => (await state.get()).get('weekOf') as string | null;
  await state.set({ weekOf: null }, { merge: true });
  const running = runJob('refreshMarketplace');
  await turn();
  passSeconds(301);
  await running;
  expect(await weekOf()).toBeNull();
  await runJob('refreshMarketplace');
  expect(await weekOf()).toMatch(/^d\d+$/);
});

test('a picture that the bucket did not give at the publication is found by the job', async () => {
  const word = `pictured${randomUUID().slice(0, 8)}`;
  const { slug } = await world.aListing(owner, { title: word }, await world.aDeck(owner, [page(), pngOf(800)]));
  await world.database.doc(`listings/${slug}`).update({ picture: FieldValue.delete() });
  await runJob('refreshMarketplace');
  expect((await readRow(slug)).picture).toMatchObject({ size: 800 });
  // A later run reads its sample and the state only.
  const { documentWrites } = await world.costOf(() => runJob('refreshMarketplace'));
  expect(documentWrites).toBe(0);
});
