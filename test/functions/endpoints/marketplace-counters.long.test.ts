import { detail, owner, startMarketplace, storedListing as stored } from '../../support/marketplace';
import { world } from '../../support/world';
import { star, unstar, view, users, starredBy, starsOf, partsOf, fold, listed } from './starring';

/** Stars of many users at the same time, and folds of their counts. */

startMarketplace();

describe('stars', () => {
  test('of many users at once do not contend: at most 32 shards count them, which no list shows, and folds lose none', async () => {
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
    expect((await stored(slug)).stars).toBe(50 - spread);
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
    expect([(await stored(slug)).stars, await starsOf(slug), await partsOf(slug)]).toEqual([58, 58, []]);
    expect((await detail(slug)).data).toMatchObject({ stars: 58, viewCount: 1 });
  });
});
