import { setImmediate as turn } from 'node:timers/promises';
import { countSignal } from '../../../functions/src/records/listing-counters';
import { atOnce, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { runJob } from '../../support/jobs';
import { list, listingDoc, owner, startMarketplace, storedListing as stored, update } from '../../support/marketplace';
import { succeed, type Account, world } from '../../support/world';
import { star, unstar, signal, view, users, starredBy, starsOf, partsOf, fold, listed } from './starring';

startMarketplace();

const remix = async (slug: string, from: string) =>
  (await succeed(signal('recordMarketplaceRemix', slug, from)))['remixCount'];
/** A shard as contended counts write it. */
const storeShard = (partOf: string, counts: object) =>
  world.database.doc(`listings/${partOf}!3`).set({ partOf, ...counts });
const commits = () => world.cloud.firestore.stats().calls['Commit'] ?? 0;
/** What ends a listing: a take-down, and the deletion of its deck. */
const ends = [{ takedown: { at: new Date(0), reason: 'x' } }, { takedown: null, deletedAt: new Date() }];

describe('stars', () => {
  test('a user has one for each listing, and may take it back', async () => {
    const { slug } = await world.aListing(owner);
    const [other] = await users(1);
    for (const [call, by, starred, stars] of [
      [star, owner, true, 1],
      [star, owner, true, 1],
      [star, other, true, 2],
      [unstar, owner, false, 1],
      [unstar, owner, false, 1],
    ] as const) {
      expect(await succeed(call(slug, by))).toEqual({ slug, starred, stars });
    }
    expect([(await stored(slug)).stars, await starsOf(slug)]).toEqual([1, 1]);
  });

  test('are counted once, however many calls of one user race', async () => {
    const { slug } = await world.aListing(owner);
    let pending: ReturnType<typeof star>[] = [];
    await world.database.runTransaction(async (tx) => {
      // While this transaction locks the star, no call sees the star of another call.
      await tx.get(listingDoc(slug).collection('stars').doc(owner.userId));
      const before = commits();
      pending = Array.from({ length: 8 }, () => star(slug));
      while (commits() < before + 8) await turn();
    });
    // The last call sees the star.
    const given = [...(await Promise.all(pending)), await star(slug)];
    expect(given.map(({ data }) => data)).toEqual(given.map(() => ({ slug, starred: true, stars: 1 })));
    await atOnce(8, () => succeed(unstar(slug)));
    await fold();
    expect([(await stored(slug)).stars, await starsOf(slug)]).toEqual([0, 0]);
  });

  test('given and removed in parallel are counted exactly', async () => {
    const { slug } = await world.aListing(owner);
    const some = await users(5);
    await Promise.all([...some, ...some].flatMap((user) => [star(slug, user), unstar(slug, user)]));
    expect((await unstar(slug)).data.stars).toBe(await starsOf(slug));
  });

  test('are counted in shards when other instances contend for the listing', async () => {
    const { slug } = await world.aListing(owner);
    const [one, two] = await users(2);
    let first!: ReturnType<typeof star>;
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now');
    await world.database.runTransaction(async (tx) => {
      // This transaction locks the listing for longer than an uncontended commit takes, 2 s.
      await tx.get(listingDoc(slug));
      const before = commits();
      first = star(slug, one);
      while (commits() === before) await turn();
      clock.mockImplementation(() => now() + 2100);
    });
    expect((await first).data.stars).toBe(1);
    clock.mockRestore();
    expect(await partsOf(slug)).toEqual([]);
    expect((await star(slug, two)).data.stars).toBe(2);
    expect(await partsOf(slug)).toHaveLength(1);
    await fold();
    expect([(await stored(slug)).stars, await partsOf(slug)]).toEqual([2, []]);
  });

  test('need a public listing and no admin key; they can be removed from any listing', async () => {
    const [starred, other] = await users(2);
    const { slug } = await world.aListing(owner);
    await succeed(star(slug, starred));
    const admin = { ...owner, key: await world.anAdmin() };
    expect([(await star(slug, admin)).status, (await unstar(slug, admin)).status]).toEqual([403, 403]);
    await succeed(update(owner, { slug, status: 'unlisted' }));
    expect((await star(slug, other)).error.code).toBe('conflict');
    expect((await star(slug, starred)).data).toMatchObject({ starred: true, stars: 1 });
    for (const end of each(ends)) {
      await listingDoc(slug).update(end);
      expect(await refusal(star(slug, other))).toEqual([410, 'expired']);
      expect((await unstar(slug, other)).data.stars).toBe(1);
    }
    expect((await unstar(slug, starred)).data).toEqual({ slug, starred: false, stars: 0 });
    for (const unknown of ['no-such-listing', 'a', 'A', 'a!0', '__x__', 'a/b', '..', 'x'.repeat(81)]) {
      for (const call of [star, unstar]) expect(await refusal(call(unknown))).toEqual([404, 'not-found']);
    }
  });

  test('keep every count while the owner changes the listing', async () => {
    const { slug } = await world.aListing(owner);
    const changing = atOnce(3, (i) => succeed(update(owner, { slug, title: `Title ${i}` })));
    await Promise.all([changing, starredBy(8, slug)]);
    await fold();
    expect((await stored(slug)).stars).toBe(8);
  });
});

test.each([
  ['recordMarketplaceView', 'viewCount', view],
  ['recordMarketplaceRemix', 'remixCount', remix],
] as const)(
  '%s counts once for each listing, client network and hour, and always answers the total',
  async (_name, field, record) => {
    // The middle of an hour, so that no new hour begins during the test.
    passSeconds(3600 + 1800 - (Math.floor(Date.now() / 1000) % 3600));
    const { slug } = await world.aListing(owner);
    const other = await world.aListing(owner);
    for (const [of, from, total] of [
      [slug, '192.0.2.1', 1],
      [slug, '192.0.2.1', 1],
      // A client may send an address itself.
      [slug, '1.1.1.1, 192.0.2.1', 1],
      [slug, '192.0.2.2', 2],
      [other.slug, '192.0.2.1', 1],
      [slug, '2001:db8::1', 3],
      [slug, '2001:db8::ffff:2', 3],
    ] as const) {
      expect(await record(of, from)).toBe(total);
    }
    for (const total of [3, 4]) {
      passSeconds(1200);
      expect(await record(slug, '192.0.2.1')).toBe(total);
    }
    expect((await stored(slug))[field]).toBe(4);
  },
);

describe('a view', () => {
  test('counts once, however many calls of one client race, and once for every other client', async () => {
    // A network counts once in each hour of the clock, which must not begin meanwhile.
    passSeconds(0);
    const { slug } = await world.aListing(owner);
    await atOnce(8, () => view(slug, '192.0.2.7'));
    expect(await view(slug, '192.0.2.7')).toBe(1);
    await atOnce(8, (i) => view(slug, `198.51.100.${i}`));
    expect(await view(slug, '192.0.2.7')).toBe(9);
    // Two instances that had read before the first of them counted.
    const marker = { id: '0'.repeat(64), expiresAt: new Date(Date.now() + 3600_000) };
    const count = () => countSignal({ slug, counter: 'viewCount', isByOthers: true }, marker);
    expect([await count(), await count()]).toEqual([true, false]);
    await fold();
    expect([(await stored(slug)).viewCount, await partsOf(slug)]).toEqual([10, []]);
    // No client address is stored.
    const { docs } = await world.database.collection('listingSignals').get();
    expect(docs.filter(({ id }) => !/^[0-9a-f]{64}$/.test(id))).toEqual([]);
    expect([...new Set(docs.flatMap((each) => Object.keys(each.data())))]).toEqual(['expiresAt']);
  });

  test('counts of an unlisted listing, not of a deleted or taken-down one, and a remix neither', async () => {
    const { slug } = await world.aListing(owner);
    await succeed(update(owner, { slug, status: 'unlisted' }));
    expect(await view(slug, '192.0.2.1')).toBe(1);
    for (const end of each(ends)) {
      await listingDoc(slug).update(end);
      for (const name of ['recordMarketplaceView', 'recordMarketplaceRemix']) {
        expect(await refusal(signal(name, slug, '192.0.2.2'))).toEqual([410, 'expired']);
      }
    }
    expect(await stored(slug)).toMatchObject({ viewCount: 1, remixCount: 0 });
    for (const unknown of ['no-such-listing', `${slug}!0`, '__x__']) {
      expect((await signal('recordMarketplaceView', unknown, '192.0.2.1')).status).toBe(404);
    }
  });
});

describe('lists', () => {
  test('are sorted by the counters: at once without contention, after a fold with contention', async () => {
    const mine = [await world.aListing(owner), await world.aListing(owner), await world.aListing(owner)];
    const [a, b, c] = mine.map(({ slug }) => slug) as [string, string, string];
    const order = async (sort: string) => (await listed(sort)).filter((slug) => [a, b, c].includes(slug));
    for (const by of await users(3)) await succeed(star(b, by));
    await succeed(star(a));
    expect(await order('stars')).toEqual([b, a, c]);
    await storeShard(c, { stars: 4 });
    expect(await order('stars')).toEqual([b, a, c]);
    await fold();
    expect(await order('stars')).toEqual([c, b, a]);
  });

  test('rank by the users who really remixed, each once and never the owner, and not by the public counter', async () => {
    const [quiet, busy] = [await world.aListing(owner), await world.aListing(owner)];
    const make = ({ slug }: { slug: string }, { key }: Account) =>
      succeed(world.call('remixMarketplaceListing', { slug }, { key }));
    const others = [await world.anOwner(), await world.anOwner()];
    for (const other of others) await make(busy, other);
    for (let times = 0; times < 3; times++) {
      await make(quiet, others[0]!);
      await make(quiet, owner);
      await remix(quiet.slug, `192.0.2.${times}`);
    }
    await fold();
    const ranked = async (sort: string) => {
      const { listings } = await succeed(list({ sort, limit: '100' }));
      const ours = listings.filter(({ slug }) => slug === quiet.slug || slug === busy.slug);
      return ours.map(({ slug, ...of }) => `${slug} ${of.remixerCount} ${of.weekRemixerCount} ${of.remixCount}`);
    };
    const counted = [`${busy.slug} 2 2 0`, `${quiet.slug} 1 1 3`];
    expect([await ranked('popular'), await ranked('week')]).toEqual([counted, counted]);
    const afterDays = async (days: number) => {
      passSeconds(days * 86_400);
      await runJob('refreshMarketplace');
      return ranked('week');
    };
    expect(await afterDays(6)).toEqual(counted);
    expect((await afterDays(1)).sort()).toEqual([`${busy.slug} 2 0 0`, `${quiet.slug} 1 0 3`].sort());
  });

  test('get the count of a week that was cut off from the next run', async () => {
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
});

describe('a fold', () => {
  test('continues with the other listings when one listing cannot be folded', async () => {
    const { slug } = await world.aListing(owner);
    const broken = { '0-gone': { stars: 1 }, '0-damaged': { stars: 'many' } };
    const shards = Object.entries({ ...broken, [slug]: { stars: 20 } });
    for (const [partOf, counts] of shards) await storeShard(partOf, counts);
    await fold();
    expect((await stored(slug)).stars).toBe(20);
    for (const partOf of Object.keys(broken)) {
      expect(await partsOf(partOf)).toHaveLength(1);
      await world.database.doc(`listings/${partOf}!3`).delete();
    }
  });

  test('of a listing does not count for a listing whose slug has the same prefix', async () => {
    const { slug } = await world.aListing(owner, { slug: 'begins' });
    const longer = await world.aListing(owner, { slug: 'begins-alike' });
    await storeShard(longer.slug, { stars: 30 });
    expect((await star(slug)).data.stars).toBe(1);
    expect((await unstar(longer.slug)).data.stars).toBe(30);
    await fold();
    expect([(await stored(slug)).stars, (await stored(longer.slug)).stars]).toEqual([1, 30]);
  });
});
