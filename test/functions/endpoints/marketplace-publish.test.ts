import { authorIdOf } from '../../../functions/src/policy/listings';
import { atOnce, fullRefusal, outcomes } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { aStoredListing, storeListings } from '../../support/listings';
import {
  contentUrl,
  detail,
  expectEnded,
  find,
  list,
  owner,
  problems,
  publish,
  publishNew,
  push,
  remixesOf,
  remixOf,
  setTakedown,
  startMarketplace,
  storedListing,
  storeLike,
  update,
} from '../../support/marketplace';
import { page, succeed, type Account, world } from '../../support/world';

startMarketplace();

const remove = (presentationId: string) => world.call('deletePresentation', { presentationId }, owner);

describe('publishMarketplaceListing', () => {
  test('lists the current version under a slug made from the title, and once for each Idempotency-Key', async () => {
    const { presentationId } = await world.aDeck(owner, [page()], 'Q3 Roadmap — 2026');
    await push(presentationId);
    const once = { 'idempotency-key': 'once' };
    const { data } = await publish(owner, { presentationId }, once);
    const slug = 'q3-roadmap-2026';
    const marketplaceUrl = `${world.cloud.marketplaceUrl}/marketplace/${slug}`;
    const kind = 'presentation';
    expect(data).toEqual({ slug, kind, interactive: false, version: 2, status: 'public', marketplaceUrl });
    const texts = { title: 'Q3 Roadmap — 2026', description: 'Worth a look.', category: null, tags: [], techStack: [] };
    const counts = { stars: 0, remixCount: 0, remixerCount: 0, weekRemixerCount: 0, viewCount: 0 };
    const time = expect.any(String) as string;
    expect(await find(slug)).toEqual({
      ...data,
      ...texts,
      ...counts,
      remixedFromSlug: null,
      remixedFromTitle: null,
      changes: null,
      author: { authorId: authorIdOf(owner.userId), displayName: 'Ada' },
      colour: null,
      picture: null,
      createdAt: time,
      updatedAt: time,
    });
    const again = await publish(owner, { presentationId }, once);
    expect([again.data, again.headers.get('idempotency-replayed')]).toEqual([data, 'true']);
  });

  test('accepts every optional field of a listing', async () => {
    const { presentationId } = await world.aDeck(owner);
    await push(presentationId);
    const chosen = { slug: 'a-chosen-slug', category: 'Business', version: 1, interactive: true };
    const texts = { title: ' Own title ', description: ' Two\nlines ' };
    const words = { tags: ['Sales', 'q3', 'sales'], techStack: ['reveal.js', 'c++'] };
    await succeed(publish(owner, { presentationId, ...chosen, ...texts, ...words }));
    const kept = { title: 'Own title', description: 'Two\nlines', tags: ['sales', 'q3'], techStack: words.techStack };
    expect(await find('a-chosen-slug')).toMatchObject({ ...chosen, ...kept });
  });

  test('refuses wrong fields, a version that the deck does not have and a reserved slug, and names each of them', async () => {
    const { presentationId } = await world.aDeck(owner);
    for (const [fields, locations] of [
      [{ tags: ['ok', 'not ok', 'ü'] }, ['body.tags[1]', 'body.tags[2]']],
      [{ version: 2 }, ['body.version']],
      [{ slug: 'search' }, ['body.slug']],
    ] as const) {
      const answer = await publish(owner, { presentationId, ...fields });
      expect([fields, ...problems(answer)]).toEqual([fields, 400, 'invalid-argument', locations]);
    }
  });

  test('a deck has one listing, however many calls publish it at once', async () => {
    const { presentationId } = await world.aDeck(owner);
    const answers = await atOnce(8, (i) => publish(owner, { presentationId, slug: `race-of-one-deck-${i}` }));
    expect(outcomes(answers)).toEqual({ ok: 1, conflict: 7 });
    const { listings } = (await list({ limit: '100' })).data;
    const [slug, ...others] = listings.map((row) => row.slug).filter((row) => row.startsWith('race-of-one-deck'));
    expect(others).toEqual([]);
    const again = await fullRefusal(publish(owner, { presentationId }));
    expect(again).toEqual([409, 'conflict', { slug, reason: 'deck-is-listed' }]);
  });

  test('a slug belongs to one deck, and decks with one title get different slugs, however many calls race', async () => {
    const slug = 'wanted-by-all';
    const answers = await atOnce(4, () => publishNew({ slug }));
    expect(outcomes(answers)).toEqual({ ok: 1, conflict: 3 });
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.error.details).toEqual({ slug, reason: 'slug-is-taken' });
    const titled = await atOnce(4, () => publishNew({}, owner, 'The same title'));
    const slugs = [...new Set(titled.map(({ data }) => data.slug))].sort();
    const marked = Array<unknown>(3).fill(expect.stringMatching(/^the-same-title-\w{6}$/));
    expect(slugs).toEqual(['the-same-title', ...marked]);
  });

  test('an admin key cannot publish, and a deck that was taken down cannot be published', async () => {
    const { presentationId } = await world.aDeck(owner);
    const key = await world.anAdmin();
    expect((await publish({ ...owner, key }, { presentationId })).error.code).toBe('permission-denied');
    const takedown = { at: new Date(), reason: 'Spam' };
    await world.database.doc(`presentations/${presentationId}`).update({ takedown });
    expect((await publish(owner, { presentationId })).status).toBe(409);
  });

  test('an organization publishes twenty new listings in a day, however many calls race', async () => {
    const publisher = await world.aPublisher();
    const times = Array.from({ length: 17 }, () => new Date());
    await world.database.doc(`listingWindows/${publisher.organizationId}`).set({ times, expiresAt: new Date() });
    const first = await atOnce(5, () => publishNew({}, publisher));
    expect(outcomes(first)).toEqual({ ok: 3, 'rate-limited': 2 });
    const { error, headers } = first.find(({ status }) => status === 429)!;
    const retryInSeconds = Number(headers.get('retry-after'));
    expect(error.details).toEqual({ limit: 20, plan: 'free', windowSeconds: 86_400, retryInSeconds });
    passSeconds(86_340);
    expect((await publishNew({}, publisher)).status).toBe(429);
    passSeconds(60);
    await succeed(publishNew({}, publisher));
  });
});

describe('updateMarketplaceListing', () => {
  test('changes the given fields and no others, and two parallel changes are both stored', async () => {
    const { slug } = await world.aListing(owner, { tags: ['one'], category: 'Old' });
    const before = (await detail(slug)).data;
    const changed = await succeed(update(owner, { slug, title: 'New title', category: null }));
    const { createdAt } = before;
    expect(changed).toMatchObject({ slug, title: 'New title', category: null, tags: ['one'], createdAt });
    expect(changed.updatedAt > before.updatedAt).toBe(true);
    expect((await detail(slug)).data).toMatchObject({ ...changed });
    await Promise.all([update(owner, { slug, title: 'Both' }), update(owner, { slug, description: 'Count' })]);
    expect((await detail(slug)).data).toMatchObject({ title: 'Both', description: 'Count' });
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

  test('an app is interactive, whatever the input says, also a listing that becomes an app', async () => {
    expect((await publishNew({ kind: 'app', interactive: false })).data.interactive).toBe(true);
    const { slug } = await world.aListing(owner);
    for (const [fields, interactive] of [
      [{ kind: 'app' }, true],
      [{ interactive: false }, true],
      [{ kind: 'plan', interactive: false }, false],
    ] as const) {
      expect((await update(owner, { slug, ...fields })).data.interactive).toBe(interactive);
    }
  });

  test('refuses a call without changes, an unknown version, a stranger and an unknown slug', async () => {
    const { slug } = await world.aListing(owner);
    expect(problems(await update(owner, { slug }))).toEqual([400, 'invalid-argument', ['body.slug']]);
    expect(problems(await update(owner, { slug, version: 2 }))).toEqual([400, 'invalid-argument', ['body.version']]);
    const stranger = await world.aPublisher();
    expect((await update(stranger, { slug, title: 'Mine' })).error.code).toBe('permission-denied');
    for (const unknown of ['nobody-has-this', '__x__', 'a/b', 'X']) {
      expect((await update(owner, { slug: unknown, title: 'x' })).status).toBe(404);
    }
  });
});

describe('the slug of a deleted deck', () => {
  const DAY = 86_400;
  const by = (name: string, account?: Account) => async (slug: string) => {
    await succeed(world.call(name, { slug }, { key: account?.key }));
  };

  test('is free after 30 days when nobody but its owner used the listing, and the next listing inherits nothing', async () => {
    const slug = 'free-again';
    const { presentationId } = await world.aListing(owner, { slug, title: 'The former one' });
    for (const name of ['starMarketplaceListing', 'recordMarketplaceView', 'recordMarketplaceRemix']) {
      await by(name, owner)(slug);
    }
    const [first, second] = [await remixOf(slug), await remixOf(slug)];
    const published = await world.aListing(owner, {}, first);
    await succeed(world.call('reportMarketplaceListing', { slug, reason: 'spam' }));
    await succeed(remove(presentationId));

    const next = await world.aPublisher();
    passSeconds(30 * DAY - 60);
    expect((await publishNew({ slug }, next)).status).toBe(409);
    expect(await world.visit(contentUrl(slug))).toBe(410);
    passSeconds(60);
    await succeed(publishNew({ slug }, next));
    const unused = { stars: 0, viewCount: 0, remixCount: 0, remixedFromSlug: null, lineage: [] };
    expect((await detail(slug)).data).toMatchObject({ ...unused, title: 'A deck' });
    expect((await remixesOf(slug)).data.remixes).toEqual([]);
    const reports = world.database.doc(`listingReports/${slug}`);
    expect([(await reports.collection('reports').get()).size, (await reports.get()).exists]).toEqual([0, false]);
    // What was remixed from the former listing does not name the next one.
    const late = await world.aListing(owner, {}, second);
    for (const remix of [published, late]) {
      expect((await detail(remix.slug)).data).toMatchObject({ lineage: [], remixedFromSlug: null });
    }
    // The former owner is a stranger, whose star counts as that of any user.
    expect((await update(owner, { slug, title: 'x' })).status).toBe(403);
    await by('starMarketplaceListing', owner)(slug);
    expect((await detail(slug)).data.stars).toBe(1);
    expect((await remixesOf(slug)).data.remixes).toEqual([]);
  });

  test('is never free after a star, a view or a remix by others, also when the owner used the listing first', async () => {
    const other = await world.aPublisher();
    const uses = [
      [by('starMarketplaceListing', other), by('unstarMarketplaceListing', other)],
      [by('recordMarketplaceView')],
      [by('recordMarketplaceView', other)],
      [by('recordMarketplaceView', owner), by('recordMarketplaceView')],
      [by('recordMarketplaceRemix')],
      [by('remixMarketplaceListing', other)],
    ];
    const { slug } = await world.aListing(owner);
    const slugs = uses.map((_, i) => `used-by-others-${i}`);
    await storeLike(slug, ...slugs.map((each) => ({ slug: each })));
    for (const [i, used] of slugs.entries()) {
      for (const use of uses[i]!) await use(used);
    }
    // Such a slug is not free: policy/listings.test.ts.
    const marks = await Promise.all(slugs.map(async (each) => (await storedListing(each)).usedByOthers));
    expect(marks).toEqual(slugs.map(() => true));
  });

  test('is not free when uses are not counted yet, or noted with the end of a star', async () => {
    const other = await world.aPublisher();
    const ended = { deletedAt: new Date(Date.now() - 31 * DAY * 1000), status: 'unlisted' } as const;
    await storeListings([
      aStoredListing({ slug: 'not-used', ...ended }),
      aStoredListing({ slug: 'used-in-shards', ...ended }),
      aStoredListing({ slug: 'used-by-a-star', ...ended, stars: 1 }),
    ]);
    await world.database.doc('listings/used-in-shards!3').set({ partOf: 'used-in-shards', viewCount: 1 });
    const star = { userId: other.userId, starredAt: new Date() };
    await world.database.doc(`listings/used-by-a-star/stars/${other.userId}`).set(star);
    await by('unstarMarketplaceListing', other)('used-by-a-star');
    const answers = ['not-used', 'used-in-shards', 'used-by-a-star'].map((slug) => publishNew({ slug }));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 409, 409]);
  });

  test('goes to one deck, however many calls want it at once, and is taken again', async () => {
    const slug = 'freed-and-wanted';
    const { presentationId } = await world.aListing(owner, { slug });
    await remove(presentationId);
    passSeconds(30 * DAY);
    expect(outcomes(await atOnce(6, () => publishNew({ slug })))).toEqual({ ok: 1, conflict: 5 });
    expect((await world.database.doc(`listings/${slug}`).get()).data()).toMatchObject({ generation: 2 });
  });
});

test('a take-down: changes at that moment or later do not make the listing visible again', async () => {
  for (const status of ['unlisted', 'public']) {
    const { slug } = await world.aListing(owner);
    await Promise.all([
      update(owner, { slug, status }),
      setTakedown(slug, { at: new Date(), reason: 'Spam' }),
      update(owner, { slug, tags: ['late'] }),
      world.call('starMarketplaceListing', { slug }, owner),
      world.call('remixMarketplaceListing', { slug }, owner),
    ]);
    await expectEnded(slug);
    await succeed(update(owner, { slug, status: 'public' }));
    await expectEnded(slug);
  }
});
