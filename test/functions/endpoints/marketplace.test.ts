import type { z } from 'zod';
import type { listingRow } from '../../../functions/src/contract/listings';
import type { Answer as DetailAnswer } from '../../../functions/src/endpoints/marketplace/getMarketplaceListing';
import { authorIdOf } from '../../../functions/src/policy/listings';
import { readIn } from '../../../functions/src/records/database';
import { listingRef, updateListing } from '../../../functions/src/records/listings';
import { transact } from '../../../functions/src/records/transact';
import { labelOfListing, originOf } from '../../../functions/src/values/deck-origins';
import { passSeconds } from '../../support/clock';
import { navigation, requestLocally } from '../../support/deck-origin';
import { aStoredListing, storeListings } from '../../support/listings';
import { blob, page, sha256, succeed, World, type Account, type Answered } from '../../support/world';

type Listing = z.output<typeof listingRow>;
type Detail = z.output<typeof DetailAnswer>;
interface Page {
  listings: Listing[];
  nextCursor: string | null;
}

let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
  owner = await world.aPublisher('enterprise');
});
afterAll(() => world.stop());
beforeEach(() => world.forgetPublications(owner));

const publish = (by: Account, fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
  world.call<Listing>(
    'publishMarketplaceListing',
    { kind: 'presentation', description: 'Worth a look.', ...fields },
    { key: by.key, headers },
  );
const update = (by: Account, fields: Record<string, unknown>) =>
  world.call<Listing>('updateMarketplaceListing', fields, { key: by.key });
const list = (query: Record<string, string> = {}) => world.call<Page>('listMarketplaceListings', undefined, { query });
const detail = (slug: string, key?: string) =>
  world.call<Detail>('getMarketplaceListing', undefined, { query: { slug }, key });
const remixesOf = (slug: string) =>
  world.call<{ slug: string; remixes: Listing[]; nextCursor: string | null }>('listMarketplaceRemixes', undefined, {
    query: { slug },
  });
const find = async (slug: string) => (await list({ limit: '100' })).data.listings.find((each) => each.slug === slug);
const contentUrl = (slug: string, path = '') => `${world.cloud.baseUrl}/getMarketplaceListingContent/${slug}/${path}`;
const problems = ({ status, error }: Answered<unknown>) => [
  status,
  error.code,
  error.details?.errors?.map(({ location }) => location),
];
/** A page with unique bytes. */
const newPage = () => page(Math.random().toString(36));
/** Pushes a new version of a deck. */
const push = async (presentationId: string, files = [newPage()]) => {
  await world.uploadAll(owner, { presentationId }, files);
  return succeed(world.commit(owner, { presentationId }, files));
};

describe('publishMarketplaceListing', () => {
  test('lists the current version of a deck under a slug made from its title', async () => {
    const { presentationId } = await world.aDeck(owner, [page()], 'Q3 Roadmap — 2026');
    await push(presentationId);
    const answer = await publish(owner, { presentationId });
    expect(answer.data).toEqual({
      slug: 'q3-roadmap-2026',
      kind: 'presentation',
      interactive: false,
      version: 2,
      status: 'public',
      marketplaceUrl: `${world.cloud.marketplaceUrl}/marketplace/q3-roadmap-2026`,
    });
    expect(await find('q3-roadmap-2026')).toEqual({
      ...answer.data,
      ...{ title: 'Q3 Roadmap — 2026', description: 'Worth a look.', category: null, tags: [], techStack: [] },
      ...{ stars: 0, remixCount: 0, weekRemixCount: 0, viewCount: 0, remixedFromSlug: null, remixedFromTitle: null },
      ...{ author: { authorId: authorIdOf(owner.userId), displayName: 'Ada' }, picture: null },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
    });
  });

  test('accepts every optional field of a listing', async () => {
    const { presentationId } = await world.aDeck(owner);
    await push(presentationId);
    const said = {
      slug: 'a-chosen-slug',
      title: ' Own title ',
      description: ' Two\nlines ',
      category: 'Business',
      tags: ['Sales', 'q3', 'sales'],
      techStack: ['reveal.js', 'c++'],
    };
    await succeed(publish(owner, { presentationId, ...said, version: 1, interactive: true }));
    expect(await find('a-chosen-slug')).toMatchObject({
      ...{ title: 'Own title', description: 'Two\nlines', category: 'Business', version: 1, interactive: true },
      ...{ tags: ['sales', 'q3'], techStack: ['reveal.js', 'c++'] },
    });
  });

  test('an app is interactive, whatever the input says', async () => {
    const { presentationId } = await world.aDeck(owner);
    const { data } = await publish(owner, { presentationId, kind: 'app', interactive: false });
    expect(data.interactive).toBe(true);
  });

  test.each<[Record<string, unknown>, string[]]>([
    [{ kind: undefined }, ['body.kind']],
    [{ kind: 'deck' }, ['body.kind']],
    [{ description: undefined }, ['body.description']],
    [{ description: ' ' }, ['body.description']],
    [{ description: 'x'.repeat(501) }, ['body.description']],
    [{ title: 'x'.repeat(256) }, ['body.title']],
    [{ category: 'x'.repeat(61) }, ['body.category']],
    [{ tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, ['body.tags']],
    [{ tags: ['ok', 'not ok', 'ü'] }, ['body.tags[1]', 'body.tags[2]']],
    [{ techStack: ['React'] }, ['body.techStack[0]']],
    [{ version: 2 }, ['body.version']],
    [{ version: 0 }, ['body.version']],
    ...['ab', 'Upper', 'two--hyphens', '-a-b', 'a_b', 'ünï', 'x'.repeat(81), 'search', 'admin'].map(
      (slug): [Record<string, unknown>, string[]] => [{ slug }, ['body.slug']],
    ),
  ])('refuses %j', async (fields, locations) => {
    const { presentationId } = await world.aDeck(owner);
    expect(problems(await publish(owner, { presentationId, ...fields }))).toEqual([400, 'invalid-argument', locations]);
  });

  test('is allowed to the owner only, not to a dev of the deck', async () => {
    const deck = await world.aDeck(owner);
    const dev = await world.aPublisher();
    await world.addMember(deck, dev);
    expect((await publish(dev, { presentationId: deck.presentationId })).status).toBe(403);
  });

  test('a deck has one listing, however many calls publish it at once', async () => {
    const { presentationId } = await world.aDeck(owner);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => publish(owner, { presentationId, slug: `race-of-one-deck-${i}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    const { listings } = (await list({ limit: '100' })).data;
    expect(listings.filter(({ slug }) => slug.startsWith('race-of-one-deck'))).toHaveLength(1);
    const again = await publish(owner, { presentationId });
    expect([again.status, again.error.details]).toEqual([
      409,
      { slug: expect.stringMatching(/^race-of-one-deck-\d$/), reason: 'deck-is-listed' },
    ]);
  });

  test('a slug belongs to one deck, however many calls request it at once', async () => {
    const decks = await Promise.all(Array.from({ length: 6 }, () => world.aDeck(owner)));
    const answers = await Promise.all(
      decks.map(({ presentationId }) => publish(owner, { presentationId, slug: 'wanted-by-all' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.error.details).toEqual({ slug: 'wanted-by-all', reason: 'slug-is-taken' });
  });

  test('decks with the same title get different slugs, also when they are published at once', async () => {
    const decks = await Promise.all(Array.from({ length: 6 }, () => world.aDeck(owner, [page()], 'The same title')));
    const slugs = await Promise.all(
      decks.map(async ({ presentationId }) => (await publish(owner, { presentationId })).data.slug),
    );
    expect(new Set(slugs).size).toBe(6);
    expect(slugs.filter((slug) => slug === 'the-same-title')).toHaveLength(1);
    for (const slug of slugs) expect(slug).toMatch(/^the-same-title(-[a-z0-9]{6})?$/);
  });

  test.each([
    ['你好，世界', /^ni-hao-shi-jie$/],
    ['Привет мир', /^privet-mir$/],
    ['العربية', /^[a-z-]{3,}$/],
    ['🚀🚀', /^deck-[a-z0-9]{6}$/],
    ['AI', /^ai-[a-z0-9]{6}$/],
    ['Search', /^search-[a-z0-9]{6}$/],
    ['ab '.repeat(80), /^(ab-)+ab$/],
  ])('a title in any script has a slug: %s', async (title, slug) => {
    const { presentationId } = await world.aDeck(owner, [page()], title);
    expect((await publish(owner, { presentationId })).data.slug).toMatch(slug);
  });

  test('calls with one Idempotency-Key publish once', async () => {
    const { presentationId } = await world.aDeck(owner);
    const headers = { 'idempotency-key': 'once' };
    const [first, second] = [
      await publish(owner, { presentationId }, headers),
      await publish(owner, { presentationId }, headers),
    ];
    expect(second.data).toEqual(first.data);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  test('an admin key cannot publish, and a deck that was taken down cannot be published', async () => {
    const { presentationId } = await world.aDeck(owner);
    const deck = world.database.doc(`presentations/${presentationId}`);
    await deck.update({ takedown: { at: new Date(), reason: 'Spam' } });
    expect((await publish(owner, { presentationId })).status).toBe(409);
    const key = await world.anAdmin();
    expect((await publish({ ...owner, key }, { presentationId })).error.code).toBe('permission-denied');
  });
});

test('a text that is not valid Unicode is refused, and the error names its field', async () => {
  const { presentationId } = await world.aDeck(owner);
  const body = `{"presentationId":"${presentationId}","kind":"plan","description":"a\\ud800b","tags":["x","\\udc00"]}`;
  const answer = await world.call('publishMarketplaceListing', body, {
    key: owner.key,
    headers: { 'content-type': 'application/json' },
  });
  expect(problems(answer)).toEqual([400, 'invalid-argument', ['body.description', 'body.tags[1]']]);
});

describe('updateMarketplaceListing', () => {
  test('changes the given fields and no others', async () => {
    const { slug } = await world.aListing(owner, { tags: ['one'], category: 'Old' });
    const before = (await detail(slug)).data;
    const changed = await succeed(update(owner, { slug, title: 'New title', category: null }));
    expect(changed).toMatchObject({ slug, title: 'New title', category: null, tags: ['one'] });
    expect(changed.createdAt).toBe(before.createdAt);
    expect(changed.updatedAt > before.updatedAt).toBe(true);
    expect((await detail(slug)).data).toMatchObject({ ...changed });
  });

  test('unlists and lists again: an unlisted listing is in no list and keeps its slug', async () => {
    const { slug } = await world.aListing(owner);
    await succeed(update(owner, { slug, status: 'unlisted' }));
    expect(await find(slug)).toBeUndefined();
    expect((await detail(slug)).data.status).toBe('unlisted');
    expect(await world.visit(contentUrl(slug))).toBe(200);
    await succeed(update(owner, { slug, status: 'public' }));
    expect(await find(slug)).toMatchObject({ slug });
  });

  test('a listing that becomes an app becomes interactive, and stays interactive while it is an app', async () => {
    const { slug } = await world.aListing(owner);
    expect((await update(owner, { slug, kind: 'app' })).data.interactive).toBe(true);
    expect((await update(owner, { slug, interactive: false })).data.interactive).toBe(true);
    expect((await update(owner, { slug, kind: 'plan', interactive: false })).data.interactive).toBe(false);
  });

  test('changes the version that the listing shows', async () => {
    const { slug, presentationId } = await world.aListing(owner);
    const second = newPage();
    await push(presentationId, [second]);
    expect((await update(owner, { slug, version: 2 })).data.version).toBe(2);
    expect(await (await fetch(contentUrl(slug))).text()).toBe(second.bytes.toString());
    expect(problems(await update(owner, { slug, version: 9 }))).toEqual([400, 'invalid-argument', ['body.version']]);
  });

  test('two parallel changes are both stored', async () => {
    const { slug } = await world.aListing(owner);
    await Promise.all([update(owner, { slug, title: 'Both' }), update(owner, { slug, description: 'Count' })]);
    expect((await detail(slug)).data).toMatchObject({ title: 'Both', description: 'Count' });
  });

  test('refuses a call without changes, a stranger and an unknown slug', async () => {
    const { slug } = await world.aListing(owner);
    expect(problems(await update(owner, { slug }))).toEqual([400, 'invalid-argument', ['body.slug']]);
    const stranger = await world.aPublisher();
    expect((await update(stranger, { slug, title: 'Mine' })).error.code).toBe('permission-denied');
    for (const unknown of ['nobody-has-this', '__x__', 'a/b', 'X']) {
      expect((await update(owner, { slug: unknown, title: 'x' })).status).toBe(404);
    }
  });
});

describe('getMarketplaceListing', () => {
  test('shows every field of a listing to every caller, and nothing that opens the deck', async () => {
    const deck = await world.aDeck(owner, [page('x', 'slides/a b.html'), blob(10, 'slides/ü.png')], 'In a folder');
    const { slug } = await world.aListing(owner, {}, deck);
    const answer = await detail(slug);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
    expect(answer.data).toMatchObject({
      owner: { displayName: 'Ada', organizationName: "Ada's workspace" },
      ...{ entryPath: 'slides/a b.html', fileCount: 2, lineage: [], contentUrl: contentUrl(slug, 'slides/a%20b.html') },
      files: [
        { path: 'slides/a b.html', size: expect.any(Number), contentType: 'text/html; charset=utf-8' },
        { path: 'slides/ü.png', size: 10, contentType: 'application/octet-stream' },
      ],
    });
    expect(await world.visit(answer.data.contentUrl)).toBe(200);
    expect(answer.data.originUrl).toBe(`${originOf(world.cloud.deckOrigin!, labelOfListing(slug))}/`);
    const opened = await requestLocally(answer.data.originUrl!, { headers: navigation });
    expect([opened.status, opened.headers.location]).toEqual([303, '/slides/a%20b.html']);
    for (const field of ['presentationId', 'currentVersion', 'takedown']) expect(answer.data).not.toHaveProperty(field);
    const text = JSON.stringify(answer.body);
    for (const secret of [deck.presentationId, deck.token, deck.tokenId, sha256('x')])
      expect(text).not.toContain(secret);
  });

  test('answers a caller without a live key like anybody, and a stranger with a key also whether it starred', async () => {
    const { slug } = await world.aListing(owner);
    const stranger = await world.anOwner();
    const everybody = (await detail(slug)).data;
    for (const key of ['nonsense', `${owner.key.slice(0, -6)}aaaaaa`]) {
      expect((await detail(slug, key)).data).toEqual(everybody);
    }
    expect(everybody).toMatchObject({ isStarred: null });
    expect((await detail(slug, stranger.key)).data).toEqual({ ...everybody, isStarred: false });
  });

  test('shows only the owner which deck it lists and the current version of the deck', async () => {
    const { slug, presentationId } = await world.aListing(owner);
    await push(presentationId);
    for (const key of [owner.key, await world.aDashboardSession(owner), await world.anAdmin()]) {
      expect((await detail(slug, key)).data).toMatchObject({ presentationId, version: 1, currentVersion: 2 });
    }
    expect((await detail(slug, (await world.anOwner()).key)).data).not.toHaveProperty('presentationId');
  });

  test('answers no originUrl when decks have no origins', async () => {
    const { slug } = await world.aListing(owner);
    process.env['DECK_ORIGIN'] = '';
    const { data } = await detail(slug);
    process.env['DECK_ORIGIN'] = world.cloud.deckOrigin!;
    expect(data.originUrl).toBeNull();
  });

  test('shows only the owner why an operator took the listing down', async () => {
    const { slug, presentationId } = await world.aListing(owner);
    expect((await detail(slug, owner.key)).data.takedown).toBeNull();
    const at = new Date();
    await world.database.doc(`listings/${slug}`).update({ takedown: { at, reason: 'Spam' } });
    for (const status of [(await detail(slug)).status, await world.visit(contentUrl(slug))]) expect(status).toBe(410);
    const answer = await detail(slug, owner.key);
    expect(answer.data.takedown).toEqual({ at: at.toISOString(), reason: 'Spam' });
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('vary')).toBe('Authorization');
    const hash = sha256(page().bytes);
    const query = { presentationId, sha256: hash };
    expect((await world.call('downloadPresentationAsset', undefined, { key: owner.key, query })).status).toBe(200);
  });

  test('answers 404 to an unknown slug and 400 without a slug', async () => {
    for (const slug of ['nobody-has-this', 'a', '__proto__', '..']) expect((await detail(slug)).status).toBe(404);
    expect((await detail('')).status).toBe(400);
  });
});

describe('a listing shows one version', () => {
  test('later pushes, restores, revoked links and expiry do not change its content', async () => {
    const first = newPage();
    const deck = await world.aDeck(owner, [first]);
    const { presentationId } = deck;
    const { slug } = await world.aListing(owner, {}, deck);
    await push(presentationId);
    await push(presentationId);
    await succeed(world.call('restorePresentationVersion', { presentationId, version: 2 }, { key: owner.key }));
    await succeed(world.call('unsharePresentation', { presentationId, all: true }, { key: owner.key }));
    await world.database.doc(`presentations/${presentationId}`).update({ expiresAt: new Date(Date.now() - 1) });
    expect((await detail(slug)).data.version).toBe(1);
    expect(await (await fetch(contentUrl(slug))).text()).toBe(first.bytes.toString());
  });

  test('deleting its deck ends it for good: 410, and its slug is not free the next moment', async () => {
    const { slug, presentationId } = await world.aListing(owner, { slug: 'gone-but-taken' });
    const remove = () =>
      world.call<{ listingSlug: string }>('deletePresentation', { presentationId }, { key: owner.key });
    expect((await remove()).data.listingSlug).toBe(slug);
    expect((await remove()).data.listingSlug).toBe(slug);
    expect(await find(slug)).toBeUndefined();
    for (const key of [undefined, owner.key]) expect((await detail(slug, key)).error.code).toBe('expired');
    expect(await world.visit(contentUrl(slug))).toBe(410);
    expect((await update(owner, { slug, status: 'public' })).status).toBe(410);
    const { presentationId: other } = await world.aDeck(owner);
    expect((await publish(owner, { presentationId: other, slug })).status).toBe(409);
  });
});

describe('the slug of a deleted deck', () => {
  const DAY = 86_400;
  const remove = (by: Account, presentationId: string) =>
    succeed(world.call('deletePresentation', { presentationId }, { key: by.key }));
  const publishAs = async (by: Account, slug: string) => {
    const { presentationId } = await world.aDeck(by);
    return publish(by, { presentationId, slug });
  };

  test('is free after 30 days when nobody but its owner used the listing, and the next listing inherits nothing', async () => {
    const slug = 'free-again';
    const { presentationId } = await world.aListing(owner, { slug, title: 'The former one' });
    const mine = { key: owner.key };
    for (const name of ['starMarketplaceListing', 'recordMarketplaceView', 'recordMarketplaceRemix']) {
      await succeed(world.call(name, { slug }, mine));
    }
    const remixes = [
      await succeed(world.call<{ presentationId: string }>('remixMarketplaceListing', { slug }, mine)),
      await succeed(world.call<{ presentationId: string }>('remixMarketplaceListing', { slug }, mine)),
    ] as const;
    const published = await world.aListing(owner, {}, remixes[0]);
    await succeed(world.call('reportMarketplaceListing', { slug, reason: 'spam' }));
    await remove(owner, presentationId);

    const next = await world.aPublisher();
    passSeconds(30 * DAY - 60);
    expect((await publishAs(next, slug)).status).toBe(409);
    expect(await world.visit(contentUrl(slug))).toBe(410);
    passSeconds(60);
    await succeed(publishAs(next, slug));
    expect((await detail(slug)).data).toMatchObject({
      ...{ title: expect.not.stringContaining('former'), owner: { displayName: 'Ada' }, lineage: [] },
      ...{ stars: 0, viewCount: 0, remixCount: 0, remixedFromSlug: null },
    });
    expect((await remixesOf(slug)).data.remixes).toEqual([]);
    expect((await world.database.collection(`listingReports/${slug}/reports`).get()).size).toBe(0);
    expect((await world.database.doc(`listingReports/${slug}`).get()).exists).toBe(false);
    // What was remixed from the former listing does not name the next one.
    expect((await detail(published.slug)).data).toMatchObject({ lineage: [], remixedFromSlug: null });
    const { slug: late } = await world.aListing(owner, {}, remixes[1]);
    expect((await detail(late)).data).toMatchObject({ lineage: [], remixedFromSlug: null });
    // The former owner is a stranger, whose star counts as that of any user.
    expect((await update(owner, { slug, title: 'x' })).status).toBe(403);
    const star = await world.call<{ stars: number }>('starMarketplaceListing', { slug }, mine);
    expect(star.data).toMatchObject({ stars: 1 });
    expect((await remixesOf(slug)).data.remixes).toEqual([]);
  });

  test('is never free after a star, a view or a remix by others, also when the owner used the listing first', async () => {
    const other = await world.aPublisher();
    const by = (name: string, account?: Account) => async (slug: string) => {
      await succeed(world.call(name, { slug }, { key: account?.key }));
    };
    const uses: ((slug: string) => Promise<void>)[] = [
      async (slug) => {
        await by('starMarketplaceListing', other)(slug);
        await by('unstarMarketplaceListing', other)(slug);
      },
      by('recordMarketplaceView'),
      by('recordMarketplaceView', other),
      async (slug) => {
        await by('recordMarketplaceView', owner)(slug);
        await by('recordMarketplaceView')(slug);
      },
      by('recordMarketplaceRemix'),
      by('remixMarketplaceListing', other),
    ];
    const slugs = uses.map((_, i) => `used-by-others-${i}`);
    for (const [i, use] of uses.entries()) {
      const { presentationId } = await world.aListing(owner, { slug: slugs[i]! });
      await use(slugs[i]!);
      await remove(owner, presentationId);
    }
    passSeconds(31 * DAY);
    for (const slug of slugs) {
      expect((await publishAs(other, slug)).error.details).toEqual({ slug, reason: 'slug-is-taken' });
    }
  });

  test('is not free when uses are not counted yet, or noted with the end of a star', async () => {
    const other = await world.aPublisher();
    const ended = { deletedAt: new Date(Date.now() - 31 * DAY * 1000), status: 'unlisted' } as const;
    await storeListings([
      aStoredListing({ slug: 'not-used', ...ended }),
      aStoredListing({ slug: 'used-taken-down', ...ended, takedown: { at: new Date(), reason: 'Spam' } }),
      aStoredListing({ slug: 'used-in-shards', ...ended }),
      aStoredListing({ slug: 'used-by-a-star', ...ended, stars: 1 }),
      aStoredListing({ slug: 'not-deleted' }),
    ]);
    await world.database.doc('listings/used-in-shards!3').set({ partOf: 'used-in-shards', viewCount: 1 });
    const star = { userId: other.userId, starredAt: new Date() };
    await world.database.doc(`listings/used-by-a-star/stars/${other.userId}`).set(star);
    await succeed(world.call('unstarMarketplaceListing', { slug: 'used-by-a-star' }, { key: other.key }));
    const free = async (slug: string) => (await publishAs(owner, slug)).status;
    expect(await free('not-used')).toBe(200);
    for (const slug of ['used-taken-down', 'used-in-shards', 'used-by-a-star', 'not-deleted']) {
      expect([slug, await free(slug)]).toEqual([slug, 409]);
    }
  });

  test('stays reserved for the listing of a remix while a deck or a listing was remixed from it', async () => {
    const { slug: root } = await world.aListing(owner);
    const remixOf = (slug: string) =>
      succeed(world.call<{ presentationId: string }>('remixMarketplaceListing', { slug }, { key: owner.key }));
    const first = await world.aListing(owner, { slug: 'remixed-first' }, await remixOf(root));
    const second = await world.aListing(owner, { slug: 'remixed-second' }, await remixOf(first.slug));
    const third = await remixOf(second.slug);
    for (const { presentationId } of [first, second]) await remove(owner, presentationId);
    passSeconds(30 * DAY);
    const statuses = async () => [
      (await publishAs(owner, first.slug)).status,
      (await publishAs(owner, second.slug)).status,
    ];
    expect(await statuses()).toEqual([409, 409]);
    await remove(owner, third.presentationId);
    expect(await statuses()).toEqual([409, 200]);
    expect(await statuses()).toEqual([200, 409]);
  });

  test('goes to one deck, however many calls want it at once, and is taken again', async () => {
    const slug = 'freed-and-wanted';
    const { presentationId } = await world.aListing(owner, { slug });
    await remove(owner, presentationId);
    passSeconds(30 * DAY);
    const answers = await Promise.all(Array.from({ length: 6 }, () => publishAs(owner, slug)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await world.database.doc(`listings/${slug}`).get()).data()).toMatchObject({ generation: 2 });
  });
});

test('an organization publishes twenty new listings in a day, however many calls race', async () => {
  const publisher = await world.aPublisher();
  const decks = await Promise.all(Array.from({ length: 23 }, () => world.aDeck(publisher)));
  const first = await Promise.all(decks.map(({ presentationId }) => publish(publisher, { presentationId })));
  const refused = first.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(3);
  for (const { status, error, headers } of refused) {
    expect([status, error.code]).toEqual([429, 'rate-limited']);
    expect(error.details).toEqual({
      ...{ limit: 20, actual: 21, plan: 'free', windowSeconds: 86_400 },
      retryInSeconds: expect.any(Number) as number,
    });
    expect(headers.get('retry-after')).toBe(String(error.details!['retryInSeconds']));
  }
  const again = async () => {
    const { presentationId } = decks[first.findIndex(({ status }) => status !== 200)]!;
    return (await publish(publisher, { presentationId })).status;
  };
  passSeconds(86_340);
  expect(await again()).toBe(429);
  passSeconds(60);
  expect(await again()).toBe(200);
});

describe('a race with the end of a listing', () => {
  /** Fails unless a listing has ended: it is in no list, and its detail and content answer 410. */
  const expectEnded = async (slug: string) => {
    const stored = (await world.database.doc(`listings/${slug}`).get()).data()!;
    expect([stored['filters'], (await detail(slug)).status, await world.visit(contentUrl(slug))]).toEqual([
      [],
      410,
      410,
    ]);
  };
  const star = (slug: string) => world.call('starMarketplaceListing', { slug }, { key: owner.key });
  const remix = (slug: string) => world.call('remixMarketplaceListing', { slug }, { key: owner.key });

  test('a deletion of its deck: a listing published or changed at that moment ends as well', async () => {
    for (let round = 0; round < 5; round++) {
      const { presentationId } = await world.aDeck(owner, [newPage()]);
      const slug = `ends-in-round-${round}`;
      if (round > 0) await world.aListing(owner, { slug }, { presentationId });
      const codeOf = async (answer: Promise<Answered<unknown>>) => (await answer).body.error?.code ?? 'ok';
      const change = () =>
        codeOf(
          round > 0
            ? update(owner, { slug, title: 'Late', status: 'public' })
            : publish(owner, { presentationId, slug }),
        );
      const calls = [change, () => codeOf(star(slug)), () => codeOf(remix(slug))];
      const remove = () => codeOf(world.call('deletePresentation', { presentationId }, { key: owner.key }));
      const answers = await Promise.all(
        [...calls.slice(0, round), remove, ...calls.slice(round)].map((call) => call()),
      );
      const [deleted] = answers.splice(Math.min(round, calls.length), 1);
      expect(deleted).toBe('ok');
      // A call after the deletion finds an ended listing, or in the first round no listing.
      const isListed = round > 0 || answers[0] === 'ok';
      const late = isListed ? ['expired'] : [];
      const possible = round > 0 ? ['ok', ...late] : ['ok', 'not-found', ...late];
      expect(answers.filter((code) => !possible.includes(code))).toEqual([]);
      if (isListed) await expectEnded(slug);
      else expect((await detail(slug)).status).toBe(404);
    }
  });

  test('a take-down: changes at that moment or later do not make the listing visible again', async () => {
    for (let round = 0; round < 5; round++) {
      const { slug } = await world.aListing(owner);
      const takeDown = () =>
        transact(async (tx) => {
          const [listing] = await readIn(tx, listingRef(slug));
          updateListing(tx, listing!, { takedown: { at: new Date(), reason: 'Spam' } });
        });
      await Promise.all([
        update(owner, { slug, status: 'unlisted' }),
        takeDown(),
        update(owner, { slug, tags: ['late'] }),
        star(slug),
        remix(slug),
      ]);
      await expectEnded(slug);
      await succeed(update(owner, { slug, status: 'public' }));
      await expectEnded(slug);
    }
  });
});

describe('getMarketplaceListingContent', () => {
  test('serves the files to every caller, for shared caches, with the sandbox of the viewer', async () => {
    const image = blob(2000, 'img/a.png');
    const { slug } = await world.aListing(owner, {}, await world.aDeck(owner, [page(), image]));
    const entry = await fetch(contentUrl(slug));
    expect(Object.fromEntries(entry.headers)).toMatchObject({
      'cache-control': 'public, max-age=300, s-maxage=3600',
      'content-security-policy': expect.stringMatching(/^sandbox allow-scripts(?!.*allow-same-origin)/),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
      etag: `"${sha256(page().bytes)}"`,
    });
    const range = await fetch(contentUrl(slug, 'img/a.png'), { headers: { range: 'bytes=0-9' } });
    expect([range.status, range.headers.get('content-range')]).toEqual([206, 'bytes 0-9/2000']);
    const fresh = await fetch(contentUrl(slug), { headers: { 'if-none-match': entry.headers.get('etag')! } });
    expect(fresh.status).toBe(304);
    expect(await world.visit(contentUrl(slug), {}, 'HEAD')).toBe(200);
  });

  test('redirects to the URL with a slash, against which relative links resolve', async () => {
    const { slug } = await world.aListing(owner);
    const answer = await fetch(contentUrl(slug).slice(0, -1), { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, `${slug}/`]);
  });

  test('answers 404 to an unknown file or listing, and no cache may keep it', async () => {
    const { slug } = await world.aListing(owner);
    for (const url of [contentUrl(slug, 'none.png'), contentUrl('nobody-has-this'), contentUrl('__x__')]) {
      const answer = await fetch(url);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
      await answer.text();
    }
  });

  test('does not count a view', async () => {
    const { slug } = await world.aListing(owner);
    await world.visit(contentUrl(slug));
    expect((await detail(slug)).data.viewCount).toBe(0);
  });
});

describe('listMarketplaceRemixes', () => {
  /** A deck made as a remix of a listing. */
  const aRemix = async (slug: string) => {
    const deck = await world.aDeck(owner);
    const remixedFrom = { slug, generation: 1, version: 1 };
    await world.database.doc(`presentations/${deck.presentationId}`).update({ remixedFrom });
    return deck;
  };

  test('lists the published remixes, remixes of remixes included', async () => {
    const source = await world.aListing(owner, { title: 'Source' });
    expect((await remixesOf(source.slug)).data).toEqual({ slug: source.slug, remixes: [], nextCursor: null });
    const child = await world.aListing(owner, { title: 'Child' }, await aRemix(source.slug));
    const grandchild = await world.aListing(owner, {}, await aRemix(child.slug));
    const { remixes } = (await remixesOf(source.slug)).data;
    expect(
      remixes.map(({ slug, remixedFromSlug, remixedFromTitle }) => [slug, remixedFromSlug, remixedFromTitle]),
    ).toEqual([
      [grandchild.slug, child.slug, 'Child'],
      [child.slug, source.slug, 'Source'],
    ]);
    expect((await detail(grandchild.slug)).data.lineage).toEqual([
      { slug: child.slug, title: 'Child' },
      { slug: source.slug, title: 'Source' },
    ]);
    await succeed(update(owner, { slug: child.slug, status: 'unlisted' }));
    expect((await remixesOf(source.slug)).data.remixes).toHaveLength(1);
  });

  test('a deck that is not a remix has no ancestors, whatever slugs exist', async () => {
    await world.aListing(owner, { slug: 'none' });
    await world.aListing(owner, { slug: 'undefined-one' });
    const { slug } = await world.aListing(owner);
    expect((await detail(slug)).data).toMatchObject({ lineage: [], remixedFromSlug: null, remixedFromTitle: null });
    expect((await remixesOf('none')).data.remixes).toEqual([]);
  });

  test('a listing published later does not name a taken-down ancestor', async () => {
    const source = await world.aListing(owner, { title: 'Source' });
    const child = await world.aListing(owner, { title: 'Offensive' }, await aRemix(source.slug));
    const deck = await aRemix(child.slug);
    await world.database.doc(`listings/${child.slug}`).update({ takedown: { at: new Date(), reason: 'Spam' } });
    const { slug } = await world.aListing(owner, {}, deck);
    expect((await detail(slug)).data.lineage).toEqual([{ slug: source.slug, title: 'Source' }]);
  });

  test('answers 404 to an unknown listing and 400 without a slug', async () => {
    expect((await remixesOf('nobody-has-this')).status).toBe(404);
    expect((await world.call('listMarketplaceRemixes')).status).toBe(400);
  });
});
