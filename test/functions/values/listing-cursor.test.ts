import fc from 'fast-check';
import { readListingCursor, searchSorts, writeListingCursor } from '../../../functions/src/values/listing-cursor';

test('a cursor is read back exactly, and only for the list that it was made for', () => {
  const listings = fc.record({
    slug: fc.constantFrom('abc', 'a-long-slug'),
    stars: fc.integer({ min: -5, max: 1_000_000 }),
    remixerCount: fc.nat(),
    weekRemixerCount: fc.nat(),
    score: fc.nat(),
    createdAt: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  });
  fc.assert(
    fc.property(listings, fc.constantFrom(...searchSorts), (listing, sort) => {
      const cursor = writeListingCursor('token', sort, listing);
      const { remixerCount, weekRemixerCount, stars, score } = listing;
      const counts = { popular: remixerCount, week: weekRemixerCount, stars, best: score };
      const counted = sort === 'recent' ? [] : [counts[sort]];
      expect(readListingCursor('token', sort, cursor)).toEqual([...counted, listing.createdAt, listing.slug]);
      expect(readListingCursor('other', sort, cursor)).toBeUndefined();
    }),
  );
});

describe('a cursor of a list', () => {
  const written = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  const [name, keys, slug] = ['stars.token', [7, 1000], 'abc'];

  test('is a JSON array of the list, the sort keys and the slug', () => {
    expect(readListingCursor('token', 'stars', written(name, keys, slug))).toEqual([7, new Date(1000), slug]);
  });

  test.each([
    ['of no JSON', 'nonsense'],
    ['of another order', written('popular.token', keys, slug)],
    ['without a slug', written(name, keys)],
    ['with a key too few', written(name, [1000], slug)],
    ['with a key too many', written(name, [...keys, 1], slug)],
    ['with texts as keys', written(name, keys.map(String), slug)],
    ['with a time before 1970', written(name, [7, -1], slug)],
    ['with a time after the year 9999', written(name, [7, Date.UTC(10000, 0, 1)], slug)],
    ['with a key above all times', written(name, [1e20, 1000], slug)],
    ['with keys that are not integers of a double', written(name, [1e300, 1e300], slug)],
    ['with a slug that is a path', written(name, keys, '../x')],
    ['with a slug of two segments', written(name, keys, 'abc/x')],
    ['that is cut off', written(name, keys, slug).slice(0, -2)],
    ['that was repeated', `${written(name, keys, slug)}x`.repeat(20)],
  ])('%s is refused', (_what, cursor) => expect(readListingCursor('token', 'stars', cursor)).toBeUndefined());
});
