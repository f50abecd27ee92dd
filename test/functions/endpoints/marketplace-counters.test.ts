import { setTimeout as pause } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { hashKey, mintKey } from '../../../functions/src/values/keys';
import { startSchedules } from '../../../local/schedules';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { storeDocuments } from '../../support/stored';
import { succeed, World, type Account } from '../../support/world';

let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
  owner = await world.aPublisher();
});
afterAll(() => world.stop());

interface Starred {
  slug: string;
  starred: boolean;
  stars: number;
}
const star = (slug: string, { key } = owner) => world.call<Starred>('starMarketplaceListing', { slug }, { key });
const unstar = (slug: string, { key } = owner) => world.call<Starred>('unstarMarketplaceListing', { slug }, { key });
const signal = (name: string, slug: string, from: string) =>
  world.call<Record<string, number>>(name, { slug }, { headers: { 'x-forwarded-for': from } });
const view = async (slug: string, from: string) =>
  (await succeed(signal('recordMarketplaceView', slug, from)))['viewCount'];
const remix = async (slug: string, from: string) =>
  (await succeed(signal('recordMarketplaceRemix', slug, from)))['remixCount'];

/** Other users whose keys may publish. */
async function users(count: number): Promise<Account[]> {
  const template = (await world.database.doc(`apiKeys/${hashKey(owner.key)}`).get()).data()!;
  const made = Array.from({ length: count }, () => ({ ...owner, key: mintKey('organization'), keyId: randomUUID() }));
  const records = made.map(({ key, keyId }) => {
    return [`apiKeys/${hashKey(key)}`, { ...template, keyId, userId: randomUUID() }] as const;
  });
  await storeDocuments(world.database, records);
  return made;
}

const stored = async (slug: string) => (await world.database.doc(`listings/${slug}`).get()).data()!;
const starsOf = async (slug: string) => (await world.database.collection(`listings/${slug}/stars`).get()).size;
const partsOf = async (slug: string) =>
  (await world.database.collection('listings').where('partOf', '==', slug).get()).docs.map((part) => part.data());
const fold = () => runJob('foldMarketplaceCounters');
const listed = async (sort: string) => {
  const query = { sort, limit: '100' };
  const answer = world.call<{ listings: { slug: string }[] }>('listMarketplaceListings', undefined, { query });
  return (await succeed(answer)).listings.map(({ slug }) => slug);
};
/** Marks a listing as taken down or deleted. */
const shut = async (slug: string, changes: object) =>
  void (await world.database.doc(`listings/${slug}`).update(changes));
const takedown = { at: new Date(0), reason: 'x' };

describe('stars', () => {
  test('a user has one for each listing, and may take it back', async () => {
    const { slug } = await world.aListing(owner);
    const [other] = await users(1);
    expect((await star(slug)).data).toEqual({ slug, starred: true, stars: 1 });
    expect((await star(slug)).data).toEqual({ slug, starred: true, stars: 1 });
    expect((await star(slug, other)).data).toEqual({ slug, starred: true, stars: 2 });
    expect((await unstar(slug)).data).toEqual({ slug, starred: false, stars: 1 });
    expect((await unstar(slug)).data).toEqual({ slug, starred: false, stars: 1 });
    expect([(await stored(slug))['stars'], await starsOf(slug)]).toEqual([1, 1]);
  });

  test('are counted once, however many calls of one user race', async () => {
    const { slug } = await world.aListing(owner);
    const answers = await Promise.all(Array.from({ length: 30 }, () => star(slug)));
    expect(new Set(answers.map(({ data }) => JSON.stringify(data)))).toEqual(
      new Set([JSON.stringify({ slug, starred: true, stars: 1 })]),
    );
    for (const { status } of await Promise.all(Array.from({ length: 30 }, () => unstar(slug))))
      expect(status).toBe(200);
    await fold();
    expect([(await stored(slug))['stars'], await starsOf(slug)]).toEqual([0, 0]);
  });

  test('given and removed in parallel are counted exactly', async () => {
    const { slug } = await world.aListing(owner);
    const some = await users(10);
    await Promise.all(
      some.flatMap((user) => [star(slug, user), unstar(slug, user), star(slug, user), unstar(slug, user)]),
    );
    const { stars } = (await unstar(slug)).data;
    expect(stars).toBe(await starsOf(slug));
  });

  test('of 100 users at once are all counted, most of them in shards, and a fold meanwhile loses none', async () => {
    const { slug } = await world.aListing(owner);
    const many = await users(100);
    let isOver = false;
    const folding = (async () => {
      while (!isOver) await fold();
    })();
    const seen: number[] = [];
    // A user without a star reads the number without changing it.
    const watching = (async () => {
      while (!isOver) seen.push((await unstar(slug)).data.stars);
    })();
    let given = 0;
    await Promise.all(
      many.map(async (user) => {
        const before = given;
        const { stars } = (await star(slug, user)).data;
        given++;
        expect(stars).toBeGreaterThan(before);
      }),
    );
    isOver = true;
    await Promise.all([folding, watching]);
    expect((await unstar(slug)).data.stars).toBe(100);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    await fold();
    expect([(await stored(slug))['stars'], await starsOf(slug), await partsOf(slug)]).toEqual([100, 100, []]);
  });

  test('of many users at once do not contend for one document: they are spread over at most 32 shards', async () => {
    const { slug } = await world.aListing(owner);
    const answers = await Promise.all((await users(100)).map((user) => star(slug, user)));
    expect(Math.max(...answers.map(({ data }) => data.stars))).toBe(100);
    const parts = await partsOf(slug);
    const spread = parts.reduce((sum, part) => sum + (part['stars'] as number), 0);
    expect(spread).toBeGreaterThan(50);
    expect((await stored(slug))['stars']).toBe(100 - spread);
    expect(parts.length).toBeGreaterThan(16);
    expect(parts.length).toBeLessThanOrEqual(32);
    await Promise.all([fold(), fold(), fold()]);
    expect([(await stored(slug))['stars'], await partsOf(slug)]).toEqual([100, []]);
    expect((await unstar(slug)).data.stars).toBe(100);
  });

  test('are in the lists, and in their order, a minute later under `npm start` too', async () => {
    const few = (await world.aListing(owner)).slug;
    const many = (await world.aListing(owner)).slug;
    await Promise.all((await users(2)).map((user) => star(few, user)));
    await Promise.all((await users(40)).map((user) => star(many, user)));
    await fold();
    // The order of `sort=stars` is that of the stored counts. These stars are in shards.
    await Promise.all((await users(60)).map((user) => star(few, user)));
    expect(await partsOf(few)).not.toEqual([]);
    const ranked = async () => (await listed('stars')).filter((slug) => [few, many].includes(slug));
    passSeconds(0);
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const schedules = startSchedules({ functions: world.functions, baseUrl: world.cloud.baseUrl, log });
    try {
      passSeconds(60);
      await schedules.runDue();
      expect([await ranked(), await partsOf(few), (await stored(few))['stars']]).toEqual([[few, many], [], 62]);
      expect(lines).toContainEqual(expect.stringMatching(/^schedule foldMarketplaceCounters: first run /));
    } finally {
      await schedules.close();
    }
  });

  test('are counted in shards when other instances contend for the listing', async () => {
    const { slug } = await world.aListing(owner);
    const [one, two] = await users(2);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let hold = () => {};
    const held = new Promise<void>((resolve) => (hold = resolve));
    // A transaction locks the listing for longer than an uncontended commit takes, 2 s.
    const busy = world.database.runTransaction(async (tx) => {
      await tx.get(world.database.doc(`listings/${slug}`));
      hold();
      await released;
    });
    await held;
    const commits = () => world.cloud.firestore.stats().calls['Commit'] ?? 0;
    const before = commits();
    const first = star(slug, one);
    while (commits() === before) await pause(10);
    await pause(2500);
    release();
    await busy;
    expect((await first).data.stars).toBe(1);
    expect(await partsOf(slug)).toEqual([]);
    expect((await star(slug, two)).data.stars).toBe(2);
    expect(await partsOf(slug)).toHaveLength(1);
    await fold();
    expect([(await stored(slug))['stars'], await partsOf(slug)]).toEqual([2, []]);
  });

  test('need a public listing; they can be removed from any listing', async () => {
    const [starred, other] = await users(2);
    const { slug } = await world.aListing(owner);
    await succeed(star(slug, starred));
    await succeed(world.call('updateMarketplaceListing', { slug, status: 'unlisted' }, { key: owner.key }));
    expect((await star(slug, other)).error.code).toBe('conflict');
    expect((await star(slug, starred)).data).toMatchObject({ starred: true, stars: 1 });
    for (const state of [{ takedown }, { takedown: null, deletedAt: new Date() }]) {
      await shut(slug, state);
      const { status, error } = await star(slug, other);
      expect([status, error.code]).toEqual([410, 'expired']);
      expect((await unstar(slug, other)).data.stars).toBe(1);
    }
    expect((await unstar(slug, starred)).data).toEqual({ slug, starred: false, stars: 0 });
  });

  test.each(['no-such-listing', 'a', '-', 'A', 'a!0', '__x__', 'a/b', '..', 'x'.repeat(81)])(
    'of an unknown listing (%j) are answered 404',
    async (slug) => {
      for (const answer of [await star(slug), await unstar(slug)]) {
        expect([answer.status, answer.error.code]).toEqual([404, 'not-found']);
      }
    },
  );

  test('are refused to an admin key', async () => {
    const { slug } = await world.aListing(owner);
    const [admin] = await users(1);
    const asAdmin = { kind: 'admin', userId: null, organizationId: null };
    await world.database.doc(`apiKeys/${hashKey(admin!.key)}`).update(asAdmin);
    expect((await star(slug, admin)).status).toBe(403);
    expect((await unstar(slug, admin)).status).toBe(403);
  });
});

describe.each([
  ['recordMarketplaceView', 'viewCount', view],
  ['recordMarketplaceRemix', 'remixCount', remix],
] as const)('%s', (name, field, record) => {
  test('counts once for each listing, client network and hour, and always answers the total', async () => {
    // The middle of an hour, so that no new hour begins during the test.
    passSeconds(3600 + 1800 - (Math.floor(Date.now() / 1000) % 3600));
    const { slug } = await world.aListing(owner);
    const other = await world.aListing(owner);
    expect(await record(slug, '192.0.2.1')).toBe(1);
    expect(await record(slug, '192.0.2.1')).toBe(1);
    expect(await record(slug, '192.0.2.2')).toBe(2);
    expect(await record(other.slug, '192.0.2.1')).toBe(1);
    expect(await record(slug, '2001:db8::1')).toBe(3);
    expect(await record(slug, '2001:db8::ffff:2')).toBe(3);
    passSeconds(1200);
    expect(await record(slug, '192.0.2.1')).toBe(3);
    passSeconds(1200);
    expect(await record(slug, '192.0.2.1')).toBe(4);
    expect((await stored(slug))[field]).toBe(4);
  });

  test('ignores addresses that the client sends itself', async () => {
    const { slug } = await world.aListing(owner);
    for (const said of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) expect(await record(slug, `${said}, 192.0.2.9`)).toBe(1);
  });

  test('counts once, however many calls of one client race, and once for every other client', async () => {
    const { slug } = await world.aListing(owner);
    await Promise.all(Array.from({ length: 20 }, () => record(slug, '192.0.2.7')));
    expect(await record(slug, '192.0.2.7')).toBe(1);
    await Promise.all(Array.from({ length: 30 }, (_, i) => record(slug, `198.51.100.${i}`)));
    expect(await record(slug, '192.0.2.7')).toBe(31);
    await fold();
    expect([(await stored(slug))[field], await partsOf(slug)]).toEqual([31, []]);
  });

  test('stores no client address', async () => {
    const { slug } = await world.aListing(owner);
    await record(slug, '203.0.113.77');
    for (const { id, data } of (await world.database.collection('listingSignals').get()).docs.map((each) => ({
      id: each.id,
      data: each.data(),
    }))) {
      expect(id).toMatch(/^[0-9a-f]{64}$/);
      expect(Object.keys(data)).toEqual(['expiresAt']);
    }
  });

  test('counts an unlisted listing, and refuses a deleted or taken-down listing', async () => {
    const { slug } = await world.aListing(owner);
    await succeed(world.call('updateMarketplaceListing', { slug, status: 'unlisted' }, { key: owner.key }));
    expect(await record(slug, '192.0.2.1')).toBe(1);
    for (const state of [{ takedown }, { takedown: null, deletedAt: new Date() }]) {
      await shut(slug, state);
      const { status, error } = await signal(name, slug, '192.0.2.2');
      expect([status, error.code]).toEqual([410, 'expired']);
    }
    expect((await stored(slug))[field]).toBe(1);
    for (const unknown of ['no-such-listing', `${slug}!0`, '__x__']) {
      expect((await signal(name, unknown, '192.0.2.1')).status).toBe(404);
    }
    expect((await signal(name, '', '192.0.2.1')).status).toBe(400);
  });
});

describe('lists', () => {
  test('are sorted by the counters: at once without contention, after a fold with contention', async () => {
    const [a, b, c] = [await world.aListing(owner), await world.aListing(owner), await world.aListing(owner)];
    const mine = new Set([a, b, c].map(({ slug }) => slug));
    const order = async (sort: string) => (await listed(sort)).filter((slug) => mine.has(slug));
    const many = await users(40);
    for (const user of many.slice(0, 3)) await succeed(star(b.slug, user));
    await succeed(star(a.slug, many[0]));
    for (const from of ['192.0.2.1', '192.0.2.2']) await remix(a.slug, from);
    await remix(c.slug, '192.0.2.1');
    expect(await order('stars')).toEqual([b.slug, a.slug, c.slug]);
    expect(await order('popular')).toEqual([a.slug, c.slug, b.slug]);
    await Promise.all(many.map((user) => star(c.slug, user)));
    await fold();
    expect(await order('stars')).toEqual([c.slug, b.slug, a.slug]);
  });

  test('and the detail of a listing show the same numbers as the counting calls', async () => {
    const { slug } = await world.aListing(owner);
    await Promise.all((await users(30)).map((user) => star(slug, user)));
    await view(slug, '192.0.2.1');
    const detail = async () =>
      succeed(world.call<Record<string, number>>('getMarketplaceListing', undefined, { query: { slug } }));
    expect((await partsOf(slug)).length).toBeGreaterThan(0);
    expect(await detail()).toMatchObject({ stars: 30, viewCount: 1 });
    await fold();
    expect(await detail()).toMatchObject({ stars: 30, viewCount: 1 });
  });

  test('never show a shard of a counter', async () => {
    const { slug } = await world.aListing(owner);
    await Promise.all((await users(25)).map((user) => star(slug, user)));
    expect((await partsOf(slug)).length).toBeGreaterThan(0);
    for (const sort of ['recent', 'stars', 'popular']) {
      for (const each of await listed(sort)) expect(each).not.toContain('!');
    }
    await fold();
  });

  test('keep every count while the owner changes the listing', async () => {
    const { slug } = await world.aListing(owner);
    const changes = Array.from({ length: 5 }, (_, i) =>
      world.call('updateMarketplaceListing', { slug, title: `Title ${i}` }, { key: owner.key }),
    );
    const stars = (await users(20)).map((user) => star(slug, user));
    for (const { status } of await Promise.all([...changes, ...stars])) expect(status).toBe(200);
    await fold();
    expect((await stored(slug))['stars']).toBe(20);
  });
});

describe('a fold', () => {
  test('continues with the other listings when one listing cannot be folded', async () => {
    const { slug } = await world.aListing(owner);
    await Promise.all((await users(20)).map((user) => star(slug, user)));
    const broken = { '0-gone': { stars: 1 }, '0-damaged': { stars: 'many' } };
    for (const [partOf, counts] of Object.entries(broken)) {
      await world.database.doc(`listings/${partOf}!3`).set({ partOf, ...counts });
    }
    await fold();
    expect((await stored(slug))['stars']).toBe(20);
    for (const partOf of Object.keys(broken)) {
      expect(await partsOf(partOf)).toHaveLength(1);
      await world.database.doc(`listings/${partOf}!3`).delete();
    }
  });

  test('of a listing does not count for a listing whose slug has the same prefix', async () => {
    const { slug } = await world.aListing(owner, { slug: 'begins' });
    const longer = await world.aListing(owner, { slug: 'begins-alike' });
    const many = await users(30);
    await Promise.all(many.map((user) => star(longer.slug, user)));
    expect((await star(slug)).data.stars).toBe(1);
    expect((await unstar(longer.slug)).data.stars).toBe(30);
    await fold();
    expect([(await stored(slug))['stars'], (await stored(longer.slug))['stars']]).toEqual([1, 30]);
  });
});
