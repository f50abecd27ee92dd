import { readIn } from '../../../functions/src/records/database';
import { listingRef, updateListing } from '../../../functions/src/records/listings';
import { transact } from '../../../functions/src/records/transact';
import { passSeconds } from '../../support/clock';
import { aStoredListing, storeListings } from '../../support/listings';
import {
  contentUrl,
  detail,
  newPage,
  owner,
  publish,
  remixesOf,
  startMarketplace,
  update,
  world,
} from '../../support/marketplace';
import { succeed, type Account, type Answered } from '../../support/world';

startMarketplace();

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
