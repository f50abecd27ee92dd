import { randomUUID } from 'node:crypto';
import { authorIdOf } from '../../../functions/src/policy/listings';
import { listingRef, updateListing } from '../../../functions/src/records/listings';
import { transact } from '../../../functions/src/records/transact';
import { newId } from '../../../functions/src/values/ids';
import { listingSorts } from '../../../functions/src/values/listing-cursor';
import { refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { aStoredListing, manyListings, storeListings } from '../../support/listings';
import { detail, list, listingDoc, owner, problems, startMarketplace, update } from '../../support/marketplace';
import type { Page } from '../../support/marketplace';
import { storeDocuments } from '../../support/stored';
import { words } from '../../support/words';
import { type Account, page, succeed, world } from '../../support/world';
import { type Query, slugsOf, times, allPages, costOf } from './marketplace-lists';

/** The lists of the marketplace, its search, and the list of the decks of a user. */

startMarketplace();

/** The refusal of a query whose first field is wrong. */
const problemsOf = (query: Query) => [400, 'invalid-argument', [`query.${Object.keys(query)[0]}`]];

describe('the lists of the marketplace', () => {
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
    expect(answers).toEqual(queries.map((query) => [query, ...problemsOf(query)]));
  });
});

test('a row names its author by an id that is not that of the user, and lists by it', async () => {
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

describe('a search', () => {
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

describe('listMyPresentations', () => {
  interface List {
    presentations: { id: string; title: string; shareUrl: string | null; updatedAt: string; createdAt: string }[];
    nextCursor: string | null;
  }
  const decksOf = ({ key }: Pick<Account, 'key'>, query: Query = {}) =>
    world.call<List>('listMyPresentations', undefined, { key, query });

  test('shows a deck with its role, its version and its link', async () => {
    const mine = await world.anOwner();
    const deck = await world.aDeck(mine, [page()], 'First');
    const { presentationId, shareUrl } = deck;
    await succeed(world.commit(mine, { presentationId, title: 'Renamed' }, [page()]));
    const { presentations, nextCursor } = await succeed(decksOf(mine));
    const seen = { role: 'owner', shareUrl, totalViews: 0, lastViewedAt: null };
    expect(presentations).toMatchObject([{ id: presentationId, title: 'Renamed', version: 2, ...seen }]);
    expect([nextCursor, presentations[0]!.updatedAt > presentations[0]!.createdAt]).toEqual([null, true]);
    // Without the secret that sealed it, the list succeeds and shows no link.
    const secret = process.env['SERVICE_SECRET'];
    process.env['SERVICE_SECRET'] = 'another secret, as long as it must be';
    const unsealed = await decksOf(mine);
    process.env['SERVICE_SECRET'] = secret;
    expect(unsealed.data.presentations).toMatchObject([{ shareUrl: null }]);
    expect((await fetch(shareUrl)).status).toBe(200);
  });

  test('lists every deck once, newest first, page by page', async () => {
    const mine = await world.anOwner();
    const { presentationId: first } = await world.aDeck(mine);
    const stored = (await world.database.doc(`presentations/${first}`).get()).data()!;
    const now = Date.now();
    const ids = times(104, newId);
    // Every third deck has the same time as the one before. Pages must not skip or repeat such decks.
    const decks = ids.map((presentationId, i) => {
      const updatedAt = new Date(now - 60_000 - Math.floor(i / 3) * 1000);
      return [`presentations/${presentationId}`, { ...stored, presentationId, firstTokens: [], updatedAt }] as const;
    });
    await storeDocuments(world.database, decks);
    const pagesFrom = async (query: Query): Promise<List['presentations']> => {
      const { presentations, nextCursor: cursor } = await succeed(decksOf(mine, { limit: '19', ...query }));
      return [...presentations, ...(cursor ? await pagesFrom({ cursor }) : [])];
    };
    const seen = await pagesFrom({});
    expect(seen.map(({ id }) => id).sort()).toEqual([first, ...ids].sort());
    const at = seen.map(({ updatedAt }) => updatedAt);
    expect(at).toEqual(at.toSorted().reverse());
    passSeconds(0);
    await world.useKey(mine);
    const cost = await world.costOf(async () => {
      expect((await succeed(decksOf(mine))).presentations).toHaveLength(100);
    });
    // The key, the decks, and one more query, which finds out whether decks of others follow.
    expect(cost.roundTrips).toBeLessThanOrEqual(1 + 3);
  });

  test('refuses wrong limits and cursors', async () => {
    const cursors = ['1.no-id', `999999999999999.${newId()}`].map((text) => Buffer.from(text).toString('base64url'));
    const queries: Query[] = [
      ...['0', '101', 'x'].map((limit) => ({ limit })),
      ...['nonsense', 'shared', ...cursors].map((cursor) => ({ cursor })),
    ];
    const answers = await Promise.all(queries.map(async (query) => problems(await decksOf(owner, query))));
    expect(answers).toEqual(queries.map(problemsOf));
  });

  test('an admin key is reported as such, owns no deck, may act on every deck and cannot make one', async () => {
    const key = await world.anAdmin();
    const { presentationId } = await world.aDeck(owner);
    const described = { type: 'admin-api-key', organizationId: null, organizationName: null };
    expect(await succeed(world.call('verifyApiKey', undefined, { key }))).toMatchObject(described);
    expect(await succeed(decksOf({ key }))).toEqual({ presentations: [], nextCursor: null });
    expect((await world.call('precheckAssets', { presentationId, hashes: [] }, { key })).data).toEqual({ missing: [] });
    const opened = world.call('precheckAssets', { hashes: [] }, { key });
    expect(await refusal(opened)).toEqual([403, 'permission-denied']);
  });
});
