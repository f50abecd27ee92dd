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
